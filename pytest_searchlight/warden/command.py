"""Starts the command: a session of its own, default signals, and exactly the environment that was given."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # a name type checkers know; typing itself is one of the slow imports
if TYPE_CHECKING:
    import signal

    from pytest_searchlight.warden.assignment import Assignment
else:
    # The C module below `signal`: the enums that `signal` adds would be the slowest part of every start.
    import _signal as signal

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> bool:
    """Make orphans below this process its own children, where the kernel can (Linux)."""
    return _call_prctl(_PR_SET_CHILD_SUBREAPER, 1) and os.path.exists("/proc/self/stat")  # noqa: PTH110


def _call_prctl(option: int, value: int) -> bool:
    """Linux ``prctl``; False where there is none or it is refused."""
    try:
        # The C module below `ctypes`, which saves 3 ms of every start; the names are old and steady.
        from _ctypes import call_cdeclfunction, dlopen, dlsym

        prctl = dlsym(dlopen(None, 0), "prctl")  # type: ignore[arg-type]  # None is this process itself
        return bool(call_cdeclfunction(prctl, (option, value, 0, 0, 0)) == 0)
    except (ImportError, OSError):
        return False


def start_command(assignment: Assignment) -> tuple[int, int | None]:
    """Fork and execute; return the pid and, when it could not be executed and has ended, the errno."""
    result_fd, child_fd = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_command(assignment, failure_fd=child_fd)
    os.close(child_fd)
    failure = os.read(result_fd, 16)
    os.close(result_fd)
    if not failure:
        return pid, None
    os.waitpid(pid, 0)
    return pid, int(failure)


def _become_command(assignment: Assignment, *, failure_fd: int) -> None:
    """In the forked child: never returns."""
    try:
        os.setsid()
        _call_prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in signal.valid_signals():
            if signal.getsignal(number) != signal.SIG_DFL:
                signal.signal(number, signal.SIG_DFL)
        os.chdir(assignment.folder)
        program, *_ = assignment.command
        os.execvpe(program, assignment.command, assignment.environment)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(failure_fd, b"%d" % (error.errno or 0))
    finally:
        os._exit(127)
