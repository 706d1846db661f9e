"""A process that outlives the meter only to end the server when the meter was killed.

The kernel's parent-death signal would reach the server alone; the guard ends the server's whole process
group. It costs a fork, about a millisecond.
"""

from __future__ import annotations

import os
import signal
import time

from pytest_searchlight.meter.server_process import signal_group

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from typing import NoReturn

POLL_S = 0.02
HIGHEST_DESCRIPTOR = 256


class Guard:
    """The meter's handle on its guard; to be made before the meter starts a thread.

    Args:
        stop_grace_s: patience between the polite and the forceful end of the server.
    """

    def __init__(self, *, stop_grace_s: float) -> None:
        read_end, self._write_end = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _stand_guard(read_end, stop_grace_s=stop_grace_s)
        os.close(read_end)

    def watch(self, process_group: int) -> None:
        """Tells the guard what to end."""
        os.write(self._write_end, b"%d\n" % process_group)

    def dismiss(self) -> None:
        """Ends the guard, when there is nothing left to be ended."""
        os.write(self._write_end, b"dismissed\n")
        os.close(self._write_end)
        os.waitpid(self._pid, 0)


def _stand_guard(control: int, *, stop_grace_s: float) -> NoReturn:
    """Waits until the meter dismisses the guard, or dies: either way the pipe ends."""
    os.setsid()
    os.dup2(control, 0)
    os.closerange(1, HIGHEST_DESCRIPTOR)  # above all the client's pipe, which must end with the meter
    heard = b""
    while chunk := os.read(0, 64):
        heard += chunk
    group, _, dismissal = heard.partition(b"\n")
    if group.isdigit() and not dismissal:
        _end_group(int(group), grace_s=stop_grace_s)
    os._exit(0)


def _end_group(group: int, *, grace_s: float) -> None:
    signal_group(group, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while time.monotonic() < deadline and signal_group(group, 0):
        time.sleep(POLL_S)
    signal_group(group, signal.SIGKILL)
