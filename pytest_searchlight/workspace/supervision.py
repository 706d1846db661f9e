"""The loop around one running command: feed stdin, store and cut stdout, store stderr, watch the clock.

It runs in the caller's own thread, so an exception raised by a signal handler or by `on_line` arrives
where the command can be ended for it. A slow disk or a slow `on_line` slows the command, never loses a byte.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from pytest_searchlight.workspace.streams import HeadTailFile, LineSplitter, RawFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    from pytest_searchlight.workspace.warding import Warden

EndedBy = Literal["exit", "timeout", "stopped", "output_failed", "lost"]

_READ_BYTES: Final = 64 * 1024
_LAST_READS: Final = 64
"""Reads per stream after the end: more than a pipe holds, but no hostage to a stranger who keeps writing."""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """What `on_line` answers to have the command ended in `after_s`, unless it ends by itself till then."""

    reason: str
    after_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PlannedEnd:
    """An end that comes at a monotonic time, and what it will be called."""

    ended_by: EndedBy
    reason: str
    at_s: float


@dataclass(kw_only=True)
class Supervision:
    """One command under supervision; `run` returns when its warden has reported, or is no more.

    Attributes:
        planned_end: the earliest end planned so far: the timeout, at first.
    """

    warden: Warden
    stdout_file: RawFile
    stderr_file: HeadTailFile
    on_line: Callable[[bytes], Stop | None] | None
    planned_end: PlannedEnd
    _selector: selectors.BaseSelector = field(init=False, default_factory=selectors.DefaultSelector)
    _splitter: LineSplitter = field(init=False, default_factory=LineSplitter)
    _unsent: memoryview = field(init=False)
    _give_up_at_s: float | None = field(init=False, default=None)
    _is_over: bool = field(init=False, default=False)

    def run(self, stdin_bytes: bytes) -> None:
        """Feed `stdin_bytes` and serve all streams till the end. Raises what `on_line` raises."""
        self._unsent = memoryview(stdin_bytes)
        with self._selector, self._finishing_files():
            self._register_all()
            while not self._is_over:
                for key, _ in self._selector.select(self._compute_time_left_s()):
                    key.data()
                self._keep_time()
            self._read_what_is_left()

    def _register_all(self) -> None:
        stdin, stdout, stderr = self.warden.pipes
        for pipe in (stdin, stdout, stderr):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self.warden.control, selectors.EVENT_READ, self._note_end)
        self._selector.register(stdin, selectors.EVENT_WRITE, self._write_stdin)
        self._selector.register(stdout, selectors.EVENT_READ, self._read_stdout)
        self._selector.register(stderr, selectors.EVENT_READ, self._read_stderr)

    # --- the clock ---------------------------------------------------------------------------------------

    def _plan_end(self, ended_by: EndedBy, reason: str, *, after_s: float) -> None:
        at_s = time.monotonic() + after_s
        if at_s < self.planned_end.at_s:
            self.planned_end = PlannedEnd(ended_by=ended_by, reason=reason, at_s=at_s)

    def _compute_time_left_s(self) -> float:
        at_s = self.planned_end.at_s if self._give_up_at_s is None else self._give_up_at_s
        return max(at_s - time.monotonic(), 0.0)

    def _keep_time(self) -> None:
        if self._compute_time_left_s() > 0:
            return
        if self._give_up_at_s is None:
            self.warden.ask_to_stop()
            self._give_up_at_s = time.monotonic() + self.warden.longest_end_s
        else:
            self.warden.kill()
            self._is_over = True

    # --- the streams -------------------------------------------------------------------------------------

    def _note_end(self) -> None:
        self._is_over = True

    def _write_stdin(self) -> None:
        stdin = self.warden.pipes[0]
        try:
            self._unsent = self._unsent[os.write(stdin.fileno(), self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = memoryview(b"")  # the command does not want to read it, which is its right
        if not self._unsent:
            self._close(stdin)

    def _read_stdout(self) -> bool:
        chunk = self._read(self.warden.pipes[1])
        with self._storing(self.stdout_file):
            self.stdout_file.write(chunk)
        for line in self._splitter.feed(chunk):
            self._hear(line)
        return bool(chunk)

    def _read_stderr(self) -> bool:
        chunk = self._read(self.warden.pipes[2])
        with self._storing(self.stderr_file):
            self.stderr_file.write(chunk)
        return bool(chunk)

    def _hear(self, line: bytes) -> None:
        if self.on_line is not None and (stop := self.on_line(line)) is not None:
            self._plan_end("stopped", stop.reason, after_s=stop.after_s)

    def _read_what_is_left(self) -> None:
        for read in (self._read_stdout, self._read_stderr):
            for _ in range(_LAST_READS):
                if not read():
                    break
        for line in self._splitter.finish():
            self._hear(line)

    def _read(self, pipe: IO[bytes]) -> bytes:
        """What there is to read without waiting: nothing at the end, when the pipe is closed, and before."""
        if pipe.closed:
            return b""
        try:
            chunk = os.read(pipe.fileno(), _READ_BYTES)
        except BlockingIOError:
            return b""
        if not chunk:
            self._close(pipe)
        return chunk

    def _close(self, pipe: IO[bytes]) -> None:
        self._selector.unregister(pipe)
        pipe.close()

    # --- the files ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _storing(self, file: RawFile) -> Iterator[None]:
        """Around writing: what cannot be stored is a reason to end, not an exception in the caller's face."""
        try:
            yield
        except OSError as error:
            self._plan_end("output_failed", f"cannot write {file.path}: {error.strerror}", after_s=0.0)

    @contextlib.contextmanager
    def _finishing_files(self) -> Iterator[None]:
        try:
            yield
        finally:
            with self._storing(self.stderr_file):
                self.stderr_file.finish()
