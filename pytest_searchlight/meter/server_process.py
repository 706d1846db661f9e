"""The provider's server as a process: started with an environment of its own, and ended."""

from __future__ import annotations

import errno
import fcntl
import os

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the C module below `signal`: the enums that `signal` adds cost 2 ms

PIPE_BYTES = 1024 * 1024
RESET_SIGNALS = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
"""Signals that Python or whoever started the meter may have ignored, which a child would inherit."""


class ServerProcess:
    """The running server, leader of a session and process group of its own.

    Attributes:
        pid: process id, and id of the group.
        stdin, stdout, stderr: the meter's ends of the server's streams.

    Raises:
        OSError: the server cannot be started.
    """

    def __init__(self, command: list[str], *, environment: dict[str, str], folder: str) -> None:
        environment = complete_environment(environment, home=folder)
        os.chdir(folder)
        program = find_program(command[0], environment)
        child_in, self.stdin = os.pipe()
        self.stdout, child_out = os.pipe()
        self.stderr, child_err = os.pipe()
        self.pid = os.posix_spawn(
            program,
            command,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, fd, to) for to, fd in enumerate((child_in, child_out, child_err))
            ],
            setsid=True,
            setsigmask=(),
            setsigdef=RESET_SIGNALS,
        )
        for descriptor in (child_in, child_out, child_err):
            os.close(descriptor)
        widen_pipe(self.stdin)
        widen_pipe(self.stdout)

    def close_input(self) -> None:
        """Ends the server's stdin. The number stays taken: another thread may be about to write to it."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.stdin, inheritable=False)
        os.close(nowhere)

    def has_ended(self) -> bool:
        """Whether the server itself has ended. It is not reaped here, so its group id stays its own."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def signal(self, signum: int) -> None:
        """Signals the server's whole process group."""
        signal_group(self.pid, signum)

    def reap(self) -> int:
        """Ends what is left of the group; returns the server's exit code, negative for a signal."""
        self.signal(signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def widen_pipe(descriptor: int) -> None:
    """Asks for a larger pipe, which saves most of the cost of big frames; a refusal changes nothing."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:
        return  # a socket, or the user's allowance for pipes is used up


def signal_group(group: int, signum: int) -> bool:
    """Signals a process group; False when nobody is left in it."""
    try:
        os.killpg(group, signum)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody is left, who runs as another user
        return True
    return True


def describe_exit(code: int) -> str:
    """An exit code in words; negative codes are signals."""
    if code >= 0:
        return f"exit code {code}"
    from signal import Signals

    try:
        return f"killed by signal {-code} ({Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"


def complete_environment(given: dict[str, str], *, home: str) -> dict[str, str]:
    """The server's environment: what the spec gives, and the least that programs expect besides."""
    return {"PATH": os.defpath, "HOME": home, "LANG": "C.UTF-8", "TMPDIR": "/tmp", **given}  # noqa: S108


def find_program(name: str, environment: dict[str, str]) -> str:
    """Where on the server's own PATH the program is.

    Raises:
        FileNotFoundError: it is nowhere on it.
    """
    if "/" in name:
        return name
    for folder in os.get_exec_path(environment):
        if os.access(f"{folder}/{name}", os.X_OK):
            return f"{folder}/{name}"
    raise FileNotFoundError(errno.ENOENT, "no such program on the server's PATH", name)
