"""The harness's side of a warden: start it, ask it for an end, read its report.

A socket pair ties the two together. The harness need not live to have its command ended: the kernel
closes its end of the pair, and that is the same word.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_searchlight import warden as warden_room
from pytest_searchlight.warden.assignment import Assignment
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
    """A running warden and, once it is assigned, the command in its charge.

    Whatever closes `control` ends the command: an exception at whatever moment, or our death.

    Attributes:
        control: readable when the report has come, or when the warden was killed.
        report: how the command ended; final once `end` has returned.
    """

    def __init__(self) -> None:
        """Start the program. Raises OSError when the machine cannot."""
        self.control, theirs = socket.socketpair()
        self.report = WardenReport(is_lost=True)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(WARDEN_PROGRAM), str(theirs.fileno())],
                cwd="/",
                env={},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._mark: str | None = None
        self._grace_s = 0.0
        self._was_asked = False

    def assign(self, assignment: Assignment, *, mark: str) -> None:
        """Give it its command, whose processes all bear `mark`. Raises OSError when it was killed."""
        self.control.sendall(assignment.encode())
        self.control.settimeout(0)
        self._mark, self._grace_s = mark, assignment.grace_s

    @property
    def is_alive(self) -> bool:
        """Whether nobody has killed it."""
        return self._process.poll() is None

    @property
    def longest_end_s(self) -> float:
        """How long after `ask_to_stop` a warden may take; a longer silence is a fault."""
        return 2 * (self._grace_s + KILL_LIMIT_S) + _MARGIN_S

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
        if self._mark is None:
            self.control.close()  # it waits for the rest of an assignment, or for all of it
            self._wait()
        else:
            self._send_word()
            self._wait()
            self._read_report(self._mark)

    def _wait(self) -> None:
        for pipe in self.pipes:
            pipe.close()
        try:
            self._process.wait(self.longest_end_s)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def _send_word(self) -> None:
        with contextlib.suppress(OSError):  # it may have gone already
            self.control.send(b"\n")

    def _read_report(self, mark: str) -> None:
        received = b""
        with contextlib.suppress(OSError):
            received = self.control.recv(4096)
        if received:
            self.report = WardenReport(**json.loads(received))
        else:
            killed = end_marked_processes(mark)
            self.report = WardenReport(is_lost=True, stopped=self._was_asked, leftovers_killed=killed)


@contextlib.contextmanager
def ward(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], run_id: str, grace_s: float
) -> Iterator[Warden]:
    """Run a command in the charge of a warden; nothing of it is left when the context is left.

    Raises:
        OSError: there is no warden to be had: the machine is out of processes.
    """
    marked_env, mark = mark_environment(env, run_id=run_id)
    assignment = Assignment(
        [os.fsencode(part) for part in argv],
        environment={os.fsencode(name): os.fsencode(value) for name, value in marked_env.items()},
        folder=os.fsencode(cwd),
        grace_s=grace_s,
    )
    warden = _spare.take()
    with warden.control:
        try:
            warden.assign(assignment, mark=mark)
            _spare.replace()
            yield warden
        finally:
            warden.end()


class _Spare:
    """A warden that waits for the next command: it gets ready while the command before it runs.

    Two threads that look at once may leave two, which is no harm; no two are given the same one.
    """

    def __init__(self) -> None:
        self._wardens: list[Warden] = []

    def take(self) -> Warden:
        """The spare one, or a new one."""
        while self._wardens:
            with contextlib.suppress(IndexError):  # another thread was quicker
                warden = self._wardens.pop()
                if warden.is_alive:
                    return warden
                warden.end()
        return Warden()

    def replace(self) -> None:
        """See to it that there is one; when the machine refuses, the next command starts its own."""
        if not self._wardens:
            with contextlib.suppress(OSError):
                self._wardens.append(Warden())

    def dismiss(self) -> None:
        """Let nobody wait any more."""
        while self._wardens:
            self._wardens.pop().end()


_spare: Final = _Spare()
atexit.register(_spare.dismiss)
