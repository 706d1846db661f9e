"""A process that outlives the meter only to end the server when the meter was killed.

The kernel's parent-death signal would reach the server alone; the guard ends the server's whole process
group. It is a shell, because that starts in a millisecond, and a fork of the meter would make the meter
itself slower while the two still share their memory.
"""

from __future__ import annotations

import contextlib
import os

POLLS_PER_SECOND = 10
SCRIPT = """
read -r dismissed && exit
kill -s TERM -- "-$1"
polls=$2
while [ "$polls" -gt 0 ] && kill -s 0 -- "-$1"; do sleep 0.1; polls=$((polls - 1)); done
kill -s KILL -- "-$1"
"""


class Guard:
    """The meter's handle on its guard.

    Args:
        process_group: what the guard ends, should the meter die without dismissing it.
        stop_grace_s: patience between the polite and the forceful end.
    """

    def __init__(self, process_group: int, *, stop_grace_s: float) -> None:
        child_in, self._leash = os.pipe()
        polls = str(round(stop_grace_s * POLLS_PER_SECOND))
        self._pid = os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", SCRIPT, "searchlight-meter-guard", str(process_group), polls],
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
        with contextlib.suppress(OSError):  # somebody has ended it already
            os.write(self._leash, b"dismissed\n")
            os.waitpid(self._pid, 0)
