"""The thread that carries the backlog to disk, behind the traffic's back."""

from __future__ import annotations

import json
import os
import threading
import time

from pytest_searchlight.meter.backlog import Backlog
from pytest_searchlight.meter.spool import format_header
from pytest_searchlight.meter.staging import Staged, Staging

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from pytest_searchlight.meter.backlog import Entry
    from pytest_searchlight.meter.capped_log import CappedLog
    from pytest_searchlight.meter.spool import SessionFiles
    from pytest_searchlight.meter.staging import Chunk

FLUSH_INTERVAL_S = 0.025
GATHER_S = 0.002
"""Between a message and its way to disk: some agents kill their servers as soon as they have an answer."""
WAKE_BYTES = 8 * 1024 * 1024
"""Rather late: while a large frame passes, the wire needs the processor more than the disk does."""
WRITE_BYTES = 64 * 1024


class Recorder:
    """Takes note of what passes; never makes the wire wait.

    Args:
        files: the session's files; the spool in it is open and holds the ``started`` entry.
        logs: written out in the same rhythm.
    """

    def __init__(self, files: SessionFiles, *, logs: tuple[CappedLog, ...] = ()) -> None:
        self._files = files
        self._logs = logs
        self._staging = Staging()
        self._backlog = Backlog(self._staging)
        self._wake = threading.Event()
        self._closing = False
        self._failed = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def note(self, kind: bytes, data: Chunk, *, at_ns: int) -> None:
        """Records `data`, which arrived at `at_ns`."""
        if self._failed:
            return
        self._backlog.add(kind, at_ns, data)
        is_urgent = isinstance(data, bytes) or self._backlog.staged_bytes > WAKE_BYTES
        if is_urgent and not self._wake.is_set():
            self._wake.set()

    def note_event(self, event: str, **facts: object) -> None:
        """Records an event of the meter itself."""
        self.note(b"E", json.dumps({"event": event, **facts}).encode(), at_ns=time.monotonic_ns())

    def close(self, *, timeout_s: float) -> None:
        """Writes what is left, for at most `timeout_s`; the rest is lost."""
        self._closing = True
        self._wake.set()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            self._files.declare_loss()

    def _run(self) -> None:
        while not self._closing:
            if self._wake.wait(FLUSH_INTERVAL_S) and not self._closing:
                time.sleep(GATHER_S)
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

    def _write_entries(self, entries: list[Entry]) -> None:
        """Small entries are written many at a time; large ones move from the staging memory one by one."""
        joined = bytearray()
        for kind, at_ns, data in entries:
            joined += format_header(kind, at_ns, len(data))
            if isinstance(data, Staged):
                self._write(joined)
                joined.clear()
                self._staging.move(data, self._files.descriptor)
                self._staging.release(data)
            else:
                joined += data
            joined += b"\n"
            if len(joined) > WRITE_BYTES:
                self._write(joined)
                joined.clear()
        self._write(joined)

    def _write(self, data: bytearray) -> None:
        rest = bytes(data)
        while rest:
            rest = rest[os.write(self._files.descriptor, rest) :]
