"""The warden's own life: run the command to its end and beyond, report, exit."""

from __future__ import annotations

import os
import resource
import sys
import time

from pytest_searchlight.warden.assignment import read_assignment
from pytest_searchlight.warden.command import become_subreaper, start_command
from pytest_searchlight.warden.tree import Tree, list_descendants

TYPE_CHECKING = False  # a name type checkers know; typing itself is one of the slow imports
if TYPE_CHECKING:
    import signal

    from pytest_searchlight.warden.assignment import Assignment
else:
    # The C module below `signal`: the enums that `signal` adds would be the slowest part of every start.
    import _signal as signal

_MAX_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


def main() -> None:
    """Get ready, wait for a command, run it, report, exit."""
    control_fd = int(sys.argv[1])
    os.set_inheritable(control_fd, False)  # noqa: FBT003 - positional only
    wakeup_fd = _prepare_signals()
    reaches_all = become_subreaper()
    assignment = read_assignment(control_fd)
    if assignment is None:
        os._exit(0)  # nobody needs this warden any more
    exit_code, report = run_command(
        assignment, control_fd=control_fd, wakeup_fd=wakeup_fd, reaches_all=reaches_all
    )
    _send_report(report, control_fd=control_fd)
    # The interpreter's own farewell costs 2 ms and nothing here needs it.
    os._exit(exit_code)


def run_command(
    assignment: Assignment, *, control_fd: int, wakeup_fd: int, reaches_all: bool
) -> tuple[int, str]:
    """Run a command to its end and beyond; return the warden's exit code and its report."""
    started_s = time.monotonic()
    pid, start_errno = start_command(assignment)
    if start_errno is not None:
        return 127, f'{{"exit_code": null, "start_errno": {start_errno}}}'
    _let_go_of_input_and_output()
    tree = Tree(pid, wakeup_fd=wakeup_fd, reaches_all=reaches_all)
    stopped = not tree.wait_for_command(control_fd)
    if stopped:
        tree.stop_command(assignment.grace_s)
    duration_s = time.monotonic() - started_s
    tree.sweep(assignment.grace_s)
    return _describe_end(tree, stopped=stopped, duration_s=duration_s, reaches_all=reaches_all)


def _send_report(report: str, *, control_fd: int) -> None:
    try:
        os.write(control_fd, report.encode())
    except OSError:
        return  # the harness is gone; nobody is left to read it


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
