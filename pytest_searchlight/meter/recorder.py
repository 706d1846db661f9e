"""The thread that carries the backlog to disk, behind the traffic's back."""

from __future__ import annotations

import os
import threading
import time

from pytest_searchlight.meter.backlog import Backlog
from pytest_searchlight.meter.buffers import BUFFER_BYTES, BufferPool
from pytest_searchlight.meter.spool import format_event, format_header

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_searchlight.meter.backlog import Entry
    from pytest_searchlight.meter.buffers import Chunk
    from pytest_searchlight.meter.capped_log import CappedLog
    from pytest_searchlight.meter.spool import SessionFiles

FLUSH_INTERVAL_S = 0.025
WAKE_BYTES = 4 * BUFFER_BYTES
"""Rather late: while a large frame passes, the wire needs the processor more than the disk does."""
JOIN_BELOW_BYTES = 16 * 1024


class Recorder:
    """Takes note of what passes; never makes the wire wait.

    Args:
        files: the session's files; the spool in it is open and holds the ``started`` entry.
        logs: written out in the same rhythm.
        backlog: what waits for the disk.
    """

    def __init__(
        self, files: SessionFiles, *, logs: tuple[CappedLog, ...] = (), backlog: Backlog | None = None
    ) -> None:
        self._files = files
        self._logs = logs
        self._backlog = backlog or Backlog()
        self._wake = threading.Event()
        self._closing = False
        self._failed = False
        self.pool = BufferPool()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def note(self, kind: bytes, data: Chunk, *, at_ns: int) -> None:
        """Records `data`, which arrived at `at_ns` and belongs to the recorder from now on."""
        if self._failed:
            return
        self._backlog.add((kind, at_ns, data))
        if self._backlog.held_bytes > WAKE_BYTES and not self._wake.is_set():
            self._wake.set()

    def note_event(self, event: str, **facts: object) -> None:
        """Records an event of the meter itself."""
        self.note(b"E", format_event(event, **facts), at_ns=time.monotonic_ns())

    def close(self, *, timeout_s: float) -> None:
        """Writes what is left, for at most `timeout_s`; the rest is lost."""
        self._closing = True
        self._wake.set()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            self._files.declare_loss()

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(FLUSH_INTERVAL_S)
            self._wake.clear()
            self._write_out()
        self._write_out()

    def _write_out(self) -> None:
        entries = self._backlog.take()
        try:
            self._write_entries(entries)
            for log in self._logs:
                log.flush()
        except OSError:
            self._failed = True
        self._backlog.release()
        if self._failed or self._backlog.lossy:
            self._files.declare_loss()

    def _write_entries(self, entries: Iterable[Entry]) -> None:
        """Joins small pieces and writes large ones as they are, which frees their buffers one by one."""
        joined = bytearray()
        for piece in format_entries(entries):
            if len(piece) < JOIN_BELOW_BYTES:
                joined += piece
                continue
            self._write(joined, piece)
            joined.clear()
            self.pool.give_back(piece)
        self._write(joined)

    def _write(self, *pieces: Chunk | bytearray) -> None:
        missing = sum(len(piece) for piece in pieces) - os.writev(self._files.descriptor, pieces)
        while missing:
            rest = b"".join(pieces)[-missing:]
            missing -= os.write(self._files.descriptor, rest)


def format_entries(entries: Iterable[Entry]) -> Iterator[Chunk]:
    """The entries as they stand in the spool, in pieces."""
    for kind, at_ns, data in entries:
        yield format_header(kind, at_ns, data)
        yield data
        yield b"\n"
