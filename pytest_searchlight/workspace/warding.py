"""The harness's side of a warden: start it, ask it for an end, read its report.

A socket pair ties the two together. The harness need not live to have its command ended: the kernel
closes its end of the pair, and that is the same word.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_searchlight import warden as warden_room
from pytest_searchlight.warden.tree import KILL_LIMIT_S
from pytest_searchlight.workspace.marks import end_marked_processes, mark_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

WARDEN_PROGRAM: Final = Path(warden_room.__file__).with_name("__main__.py")
_MARGIN_S: Final = 2.0


@dataclass(frozen=True, kw_only=True)
class WardenReport:
    """What a warden says when all is over; its program's docstring explains the fields.

    `is_lost` marks the report that we write ourselves when the warden was killed before it could.
    """

    is_lost: bool = False
    exit_code: int | None = None
    start_errno: int | None = None
    stopped: bool = False
    duration_s: float | None = None
    cpu_s: float | None = None
    max_rss_bytes: int | None = None
    leftovers_killed: int = 0
    survivors: int = 0
    reaches_all: bool = True


class Warden:
    """A running warden and the command in its charge.

    Attributes:
        control: readable when the report has come, or when the warden was killed.
        longest_end_s: how long after `ask_to_stop` a warden may take; a longer silence is a fault.
        report: how the command ended; final once `end` has returned.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], *, control: socket.socket, mark: str, grace_s: float
    ) -> None:
        self.control = control
        self.report = WardenReport(is_lost=True)
        self.longest_end_s = 2 * (grace_s + KILL_LIMIT_S) + _MARGIN_S
        self._process = process
        self._mark = mark
        self._was_asked = False

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """Our ends of the command's stdin, stdout and stderr."""
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        if stdin is None or stdout is None or stderr is None:
            raise AssertionError("a warden is always started with three pipes")
        return stdin, stdout, stderr

    def ask_to_stop(self) -> None:
        """Ask for an end of a command that is to end; the warden sees to the rest by itself."""
        self._was_asked = True
        self._send_word()

    def kill(self) -> None:
        """Kill the warden itself, which takes the command with it."""
        self._process.kill()

    def end(self) -> None:
        """Return when warden, command and descendants are gone, whatever state they were in."""
        for pipe in self.pipes:
            pipe.close()
        self._send_word()
        try:
            self._process.wait(self.longest_end_s)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._read_report()

    def _send_word(self) -> None:
        with contextlib.suppress(OSError):  # it may have gone already
            self.control.send(b"\n")

    def _read_report(self) -> None:
        received = b""
        with contextlib.suppress(OSError):
            received = self.control.recv(4096)
        if received:
            self.report = WardenReport(**json.loads(received))
        else:
            killed = end_marked_processes(self._mark)
            self.report = WardenReport(is_lost=True, stopped=self._was_asked, leftovers_killed=killed)


@contextlib.contextmanager
def start_warden(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], run_id: str, grace_s: float
) -> Iterator[Warden]:
    """Start a command in the charge of a warden; nothing of it is left when the context is left.

    Raises:
        OSError: the warden itself cannot be started; `cwd` is missing, or the machine is out of processes.
    """
    marked_env, mark = mark_environment(env, run_id=run_id)
    ours, theirs = socket.socketpair()
    ours.settimeout(0)
    # From here on, whatever exception comes at whatever moment closes `ours`, and that ends the command.
    with ours:
        with theirs:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", str(WARDEN_PROGRAM)),
                    *(str(theirs.fileno()), str(grace_s), *argv),
                ],
                cwd=cwd,
                env=marked_env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        warden = Warden(process, control=ours, mark=mark, grace_s=grace_s)
        try:
            yield warden
        finally:
            warden.end()
