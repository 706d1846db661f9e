"""Run one command and leave nothing of it behind. Standard library only, runnable by path.

    python -I -S warden.py CONTROL_FD GRACE_S COMMAND [ARGUMENT ...]

The command gets its own session, default signal dispositions, exactly the warden's environment, and the
warden's stdin, stdout and stderr. CONTROL_FD is a socket whose other end the harness holds: a byte on it
asks for an end, and so does its closing, which the kernel sees to even when the harness dies by SIGKILL.

An end is polite first: SIGTERM to the command, GRACE_S, SIGKILL. What the command leaves behind, by its
own end or ours, gets a moment to notice, then SIGTERM, GRACE_S, SIGKILL. Daemons cannot slip away: the
warden is their subreaper, so whoever loses its parent becomes the warden's own child, whatever session or
process group it moved to.

The warden exits with the command's exit code (128 + n after signal n) and first writes one JSON object to
CONTROL_FD:

    exit_code          as above; null when the command could not be started
    stopped            whether the warden had to end the command
    start_errno        why the command could not be started, else null
    duration_s         wall clock, from start to the command's end
    cpu_s              user + system time of all that ran
    max_rss_bytes      of the largest process, never below the warden's own (about 10 MB)
    leftovers_killed   processes other than the command that had to be signalled
    survivors          processes that even SIGKILL did not end within 5 s
    reaches_all        false where there is no subreaper: only the process group was ended
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import sys
import time

TYPE_CHECKING = False  # a name type checkers know; typing itself is one of the slow imports
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    # The C module below `signal`: the enums that `signal` adds cost 5 ms at every start, a third of it all.
    # For the same reason contextlib and json are not imported here.
    import _signal as signal

SETTLE_S = 0.2
"""A server whose client has just gone needs a moment to see the end of its input."""
KILL_LIMIT_S = 5.0

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_MAX_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


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

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to every living process of the tree."""
        for pid in list_descendants(os.getpid()):
            self._send(pid, number)

    def _send(self, pid: int, number: signal.Signals) -> None:
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


def _call_prctl(option: int, value: int) -> bool:
    """Linux ``prctl``; False where there is none or it is refused."""
    try:
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (AttributeError, OSError):
        return False


def _prepare_signals() -> int:
    """Make the warden deaf to all but its control socket; return the fd that wakes it when a child ends.

    Dispositions and masks are inherited: with SIGCHLD ignored, the exit code of the command would be lost.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    wakeup_fd, signal_fd = os.pipe()
    os.set_blocking(signal_fd, False)
    signal.set_wakeup_fd(signal_fd, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return wakeup_fd


def _read_environment() -> dict[bytes, bytes]:
    """The environment as it was given: Python adds LC_CTYPE to its own in the C locale."""
    try:
        with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - as above
            entries = file.read().split(b"\0")
    except OSError:
        return dict(os.environb)
    pairs = (entry.partition(b"=") for entry in entries if entry)
    return {name: value for name, _, value in pairs}


def start_command(command: list[str]) -> tuple[int, int | None]:
    """Fork and execute; return the pid and, when it could not be executed and has ended, the errno."""
    environment = _read_environment()
    result_fd, child_fd = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_command(command, environment, failure_fd=child_fd)
    os.close(child_fd)
    failure = os.read(result_fd, 16)
    os.close(result_fd)
    if not failure:
        return pid, None
    os.waitpid(pid, 0)
    return pid, int(failure)


def _become_command(command: list[str], environment: dict[bytes, bytes], *, failure_fd: int) -> None:
    """In the forked child: never returns."""
    try:
        os.setsid()
        _call_prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in signal.valid_signals():
            if signal.getsignal(number) != signal.SIG_DFL:
                signal.signal(number, signal.SIG_DFL)
        os.execvpe(command[0], command, environment)  # noqa: S606 - no shell is what we want
    except OSError as error:
        os.write(failure_fd, b"%d" % (error.errno or 0))
    finally:
        os._exit(127)


def _let_go_of_input_and_output() -> None:
    """Only the command may hold the pipes open, or their other ends would never see it close them."""
    null_fd = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_fd, 0)
    os.dup2(null_fd, 1)
    os.close(null_fd)


def _describe_end(tree: Tree, *, stopped: bool, duration_s: float, reaches_all: bool) -> tuple[int, str]:
    """Exit code and JSON report; written by hand because importing json costs 3 ms at every start."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = signal.SIGKILL if tree.command_status is None else tree.command_status
    code = os.waitstatus_to_exitcode(status)
    exit_code = code if code >= 0 else 128 - code
    survivors = 0 if tree.is_gone or not reaches_all else len(list_descendants(os.getpid()))
    report = (
        f'{{"exit_code": {exit_code}, "stopped": {_to_json(stopped)}, "start_errno": null, '
        f'"duration_s": {duration_s:.6f}, "cpu_s": {usage.ru_utime + usage.ru_stime:.6f}, '
        f'"max_rss_bytes": {usage.ru_maxrss * _MAX_RSS_UNIT_BYTES}, '
        f'"leftovers_killed": {len(tree.signalled - {tree.command_pid})}, "survivors": {survivors}, '
        f'"reaches_all": {_to_json(reaches_all)}}}'
    )
    return exit_code, report


def _to_json(value: bool) -> str:  # noqa: FBT001 - a conversion of one value
    return "true" if value else "false"


def run_command(command: list[str], *, control_fd: int, grace_s: float) -> tuple[int, str]:
    """Run `command` to its end and beyond; return the warden's exit code and its report."""
    wakeup_fd = _prepare_signals()
    reaches_all = _call_prctl(_PR_SET_CHILD_SUBREAPER, 1) and os.path.exists("/proc/self/stat")  # noqa: PTH110
    started_s = time.monotonic()
    pid, start_errno = start_command(command)
    if start_errno is not None:
        return 127, f'{{"exit_code": null, "start_errno": {start_errno}}}'
    _let_go_of_input_and_output()
    tree = Tree(pid, wakeup_fd=wakeup_fd, reaches_all=reaches_all)
    stopped = not tree.wait_for_command(control_fd)
    if stopped:
        tree.stop_command(grace_s)
    duration_s = time.monotonic() - started_s
    tree.sweep(grace_s)
    return _describe_end(tree, stopped=stopped, duration_s=duration_s, reaches_all=reaches_all)


def _send_report(report: str, *, control_fd: int) -> None:
    try:
        os.write(control_fd, report.encode())
    except OSError:
        return  # the harness is gone; nobody is left to read it


def main() -> None:
    """Read the command line, run, report, exit."""
    control_fd, grace_s, command = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    os.set_inheritable(control_fd, False)  # noqa: FBT003 - positional only
    exit_code, report = run_command(command, control_fd=control_fd, grace_s=grace_s)
    _send_report(report, control_fd=control_fd)
    # The interpreter's own farewell costs 2 ms and nothing here needs it.
    os._exit(exit_code)


if __name__ == "__main__":
    main()
