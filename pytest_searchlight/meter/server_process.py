"""The provider's server as a process: started with its own environment, ended, and never left behind."""

from __future__ import annotations

import errno
import os
import signal
import time

from pytest_searchlight.meter.relay import widen_pipe

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from typing import NoReturn

    from pytest_searchlight.meter.spec import Spec

GUARD_POLL_S = 0.02
RESET_SIGNALS = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


class Guard:
    """A process that outlives the meter only to end the server when the meter was killed.

    It is forked before the meter starts any thread, lives in a session of its own and waits for the end of
    a pipe that the meter holds. A parent-death signal would reach the server alone, not what it started.
    """

    def __init__(self, *, stop_grace_s: float) -> None:
        read_end, self._write_end = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._write_end)
            _stand_guard(read_end, stop_grace_s=stop_grace_s)
        os.close(read_end)

    def watch(self, process_group: int) -> None:
        """Tells the guard what to end."""
        os.write(self._write_end, b"%d\n" % process_group)

    def dismiss(self) -> None:
        """Ends the guard; nothing is left to be ended."""
        os.write(self._write_end, b"dismissed\n")
        os.close(self._write_end)
        os.waitpid(self._pid, 0)


def _stand_guard(control: int, *, stop_grace_s: float) -> NoReturn:
    os.setsid()
    os.dup2(control, 0)
    os.closerange(1, 256)
    heard = b""
    while chunk := os.read(0, 64):
        heard += chunk
    group, _, rest = heard.partition(b"\n")
    if group.isdigit() and not rest:
        end_group(int(group), grace_s=stop_grace_s)
    os._exit(0)


def end_group(group: int, *, grace_s: float) -> None:
    """Ends a process group: politely, and after `grace_s` by force."""
    signal_group(group, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while time.monotonic() < deadline and signal_group(group, 0):
        time.sleep(GUARD_POLL_S)
    signal_group(group, signal.SIGKILL)


def signal_group(group: int, signum: int) -> bool:
    """Signals a process group; False when nobody is left in it."""
    try:
        os.killpg(group, signum)
    except ProcessLookupError:
        return False
    except PermissionError:  # a member runs as somebody else
        return True
    return True


class ServerProcess:
    """The running server, leader of its own session, with pipes for its three streams.

    Raises:
        OSError: the server cannot be started.
    """

    def __init__(self, spec: Spec) -> None:
        environment = complete_environment(spec.env, home=spec.cwd)
        os.chdir(spec.cwd)
        program = find_program(spec.command[0], environment)
        child_in, self.stdin = os.pipe()
        self.stdout, child_out = os.pipe()
        self.stderr, child_err = os.pipe()
        for descriptor in (self.stdin, self.stdout):
            widen_pipe(descriptor)
        redirects = [(os.POSIX_SPAWN_DUP2, fd, to) for to, fd in enumerate((child_in, child_out, child_err))]
        self.pid = os.posix_spawn(
            program,
            spec.command,
            environment,
            file_actions=redirects,
            setsid=True,
            setsigmask=(),
            setsigdef=RESET_SIGNALS,
        )
        for descriptor in (child_in, child_out, child_err):
            os.close(descriptor)

    def close_input(self) -> None:
        """Ends the server's stdin. The number stays taken: another thread may be about to write to it."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.stdin, inheritable=False)
        os.close(nowhere)

    def has_ended(self) -> bool:
        """Whether the server itself has ended. It is not reaped, so its group id stays its own."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def signal(self, signum: int) -> None:
        """Signals the server's whole process group."""
        signal_group(self.pid, signum)

    def reap(self) -> int:
        """Ends what is left of the group and returns the exit code, negative for a signal."""
        self.signal(signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def describe_exit(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"


def complete_environment(given: dict[str, str], *, home: str) -> dict[str, str]:
    """The server's environment: what the spec gives, and the least that programs expect."""
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
