"""The command and all that came from it, as their subreaper sees them."""

from __future__ import annotations

import os
import select
import time

TYPE_CHECKING = False  # a name type checkers know; typing itself is one of the slow imports
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    # The C module below `signal`: the enums that `signal` adds would be the slowest part of every start.
    import _signal as signal

SETTLE_S = 0.2
"""A server whose client has just gone needs a moment to see the end of its input."""
KILL_LIMIT_S = 5.0


class Tree:
    """The command and all that came from it, as their subreaper sees them.

    Attributes:
        command_status: the command's wait status, once it has ended.
        is_gone: no process of the tree is left.
        signalled: every process that was sent a signal.
    """

    def __init__(self, command_pid: int, *, wakeup_fd: int, reaches_all: bool) -> None:
        self.command_pid = command_pid
        self.command_status: int | None = None
        self.is_gone = False
        self.signalled: set[int] = set()
        self._wakeup_fd = wakeup_fd
        self._reaches_all = reaches_all
        self._poller = select.poll()
        self._poller.register(wakeup_fd, select.POLLIN)

    def has_command_ended(self) -> bool:
        """Whether the command itself has been reaped."""
        return self.command_status is not None

    def wait_for_command(self, control_fd: int) -> bool:
        """Wait for the command's own end (True) or a word on `control_fd` (False)."""
        self._poller.register(control_fd, select.POLLIN)
        ready: set[int] = set()
        self._reap()
        while not self.has_command_ended() and control_fd not in ready:
            ready = self._poll(timeout_s=None)
        self._poller.unregister(control_fd)
        return self.has_command_ended()

    def wait_until(self, is_done: Callable[[], bool], *, timeout_s: float) -> bool:
        """Reap until `is_done`, for at most `timeout_s`."""
        deadline_s = time.monotonic() + timeout_s
        self._reap()
        while not is_done() and (left_s := deadline_s - time.monotonic()) > 0:
            self._poll(timeout_s=left_s)
        return is_done()

    def stop_command(self, grace_s: float) -> None:
        """End the command alone; its servers should see it go and close in good order."""
        self._send(self.command_pid, signal.SIGTERM)
        if not self.wait_until(self.has_command_ended, timeout_s=grace_s):
            self._send(self.command_pid, signal.SIGKILL)
            self.wait_until(self.has_command_ended, timeout_s=KILL_LIMIT_S)

    def sweep(self, grace_s: float) -> None:
        """End whatever the command left behind."""
        if not self._reaches_all:
            self._kill_group()
            return
        if self.wait_until(self._has_gone, timeout_s=SETTLE_S):
            return
        self.signal_all(signal.SIGTERM)
        if self.wait_until(self._has_gone, timeout_s=grace_s):
            return
        deadline_s = time.monotonic() + KILL_LIMIT_S
        while not self.is_gone and time.monotonic() < deadline_s:
            # Again and again: a process may have started another one between the look and the kill.
            self.signal_all(signal.SIGKILL)
            self.wait_until(self._has_gone, timeout_s=0.05)

    def signal_all(self, number: int) -> None:
        """Send a signal to every living process of the tree."""
        for pid in list_descendants(os.getpid()):
            self._send(pid, number)

    def _send(self, pid: int, number: int) -> None:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            return
        self.signalled.add(pid)

    def _kill_group(self) -> None:
        try:
            os.killpg(self.command_pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return

    def _has_gone(self) -> bool:
        return self.is_gone

    def _poll(self, *, timeout_s: float | None) -> set[int]:
        ready = {fd for fd, _ in self._poller.poll(None if timeout_s is None else timeout_s * 1000 + 1)}
        if self._wakeup_fd in ready:
            os.read(self._wakeup_fd, 4096)
            self._reap()
        return ready

    def _reap(self) -> None:
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.command_pid:
                    self.command_status = status
        except ChildProcessError:
            self.is_gone = True


def list_descendants(ancestor_pid: int) -> list[int]:
    """Living processes below `ancestor_pid`, from ``/proc``; zombies are not alive."""
    children: dict[int, list[tuple[int, bool]]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would cost 5 ms at every start
        if name.isdigit() and (stat := _read_stat(name)):
            parent_pid, is_alive = stat
            children.setdefault(parent_pid, []).append((int(name), is_alive))
    found: list[int] = []
    to_visit = [ancestor_pid]
    while to_visit:
        for pid, is_alive in children.get(to_visit.pop(), ()):
            to_visit.append(pid)
            if is_alive:
                found.append(pid)
    return found


def _read_stat(pid_name: str) -> tuple[int, bool] | None:
    """Parent and liveness, or None when the process has gone meanwhile."""
    try:
        with open(f"/proc/{pid_name}/stat", "rb") as file:  # noqa: PTH123 - as above
            stat = file.read()
    except OSError:
        return None
    # The name stands in parentheses and may hold anything, parentheses and spaces included.
    state, parent_pid = stat[stat.rindex(b")") + 1 :].split(maxsplit=2)[:2]
    return int(parent_pid), state not in (b"Z", b"X")
