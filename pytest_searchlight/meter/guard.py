"""A process that outlives the meter only to end the server when the meter was killed.

The kernel's parent-death signal would reach the server alone; the guard ends the server's whole process
group. It is a shell, because that starts in a millisecond, and a fork of the meter would make the meter
itself slower while the two still share their memory.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator

SHORTEST_PAUSE_S = 0.004
"""Most servers go at once, and the run is not over before they have gone."""
LONGEST_PAUSE_S = 0.1
SCRIPT = """
read -r dismissed && exit
group=$1
shift
kill -s TERM -- "-$group"
for pause_s; do
    sleep "$pause_s"
    kill -s 0 -- "-$group" || exit
done
kill -s KILL -- "-$group"
"""


class Guard:
    """The meter's handle on its guard.

    Args:
        process_group: what the guard ends, should the meter die without dismissing it.
        stop_grace_s: patience between the polite and the forceful end.
    """

    def __init__(self, process_group: int, *, stop_grace_s: float) -> None:
        child_in, self._leash = os.pipe()
        pauses = (f"{pause_s:.3f}" for pause_s in plan_pauses(stop_grace_s))
        self._pid = os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", SCRIPT, "searchlight-meter-guard", str(process_group), *pauses],
            {"PATH": os.defpath},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, child_in, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )
        os.close(child_in)

    def dismiss(self) -> None:
        """Ends the guard, when there is nothing left to be ended."""
        try:
            os.write(self._leash, b"dismissed\n")
            os.waitpid(self._pid, 0)
        except OSError:
            return  # somebody has ended it already


def plan_pauses(total_s: float) -> Iterator[float]:
    """Growing pauses between looks at what is to end, which together last `total_s`."""
    pause_s = SHORTEST_PAUSE_S
    while total_s > 0:
        yield min(pause_s, total_s)
        total_s -= pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
