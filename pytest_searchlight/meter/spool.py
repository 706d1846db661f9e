"""The raw record of a session: everything that passed, appended to one file while traffic goes on.

The pumps only append to a backlog in memory; a thread of its own carries it to disk. A full, slow or
hanging disk is therefore no business of the wire, and a loss is always visible: the spool says what is
missing where it can, and the session's ``intact`` file is gone.

File format: entries ``<kind> <monotonic ns> <length>\\n<payload>\\n`` with the kinds

    E    an event of the meter: a JSON object with the key ``event``
    C    bytes that the client sent
    S    bytes of the server that were forwarded to the client
    M    a whole frame with which the meter itself answered the client
    N    a piece of the server's output that is no message, so was not forwarded (also in the noise log)
    c s  traffic left out at this place (payload: number of bytes, number of frame ends among them)
"""

from __future__ import annotations

import json
import os
import threading
import time

from pytest_searchlight.meter.backlog import Backlog

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from typing import Any

    from pytest_searchlight.meter.capped_log import CappedLog

FLUSH_INTERVAL_S = 0.025
RETRY_INTERVAL_S = 0.025
WAKE_BYTES = 256 * 1024
BUFFER_BYTES = 64 * 1024


class SessionFiles:
    """Names of one session's files, the first of which is claimed by opening it.

    An agent that starts its server a second time gets ``wire-2.spool`` beside ``wire.spool``, and so on.
    """

    def __init__(self, folder: str) -> None:
        number = 1
        while True:
            suffix = f"-{number}" if number > 1 else ""
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            try:
                self.descriptor = os.open(f"{folder}/wire{suffix}.spool", flags, 0o600)
                break
            except FileExistsError:
                number += 1
        self.intact = f"{folder}/wire{suffix}.intact"
        self.stderr = f"{folder}/stderr{suffix}.log"
        self.noise = f"{folder}/stdout_noise{suffix}.log"
        self.tickets = f"{folder}/tool_calls.tickets"


class Recorder:
    """Takes note of what passes, and writes it out behind the traffic's back.

    Args:
        descriptor: the open spool.
        intact_path: an empty file that exists as long as nothing was lost. Removing a file is what still
            works on a full disk.
        logs: written out in the same rhythm.
        backlog: what waits for the disk.
    """

    def __init__(
        self,
        descriptor: int,
        *,
        intact_path: str,
        logs: tuple[CappedLog, ...] = (),
        backlog: Backlog | None = None,
    ) -> None:
        self._descriptor = descriptor
        self._intact_path = intact_path
        self._logs = logs
        self._backlog = backlog or Backlog()
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.failure: str | None = None
        os.close(os.open(intact_path, os.O_CREAT | os.O_WRONLY, 0o600))

    def note(self, kind: bytes, data: bytes, *, at_ns: int | None = None) -> None:
        """Records `data`; never waits for the disk."""
        if self.failure is None:
            self._backlog.add((kind, time.monotonic_ns() if at_ns is None else at_ns, data))
            if self._backlog.held_bytes > WAKE_BYTES:
                self._wake.set()

    def note_event(self, event: str, **facts: Any) -> None:
        """Records an event of the meter itself."""
        self.note(b"E", json.dumps({"event": event, **facts}).encode())

    def start(self) -> None:
        """Writes what was noted so far at once, and all else from now on in the background."""
        self._write_out()
        self._thread.start()

    def close(self, *, timeout_s: float) -> None:
        """Writes what is left, for at most `timeout_s`; the rest is lost."""
        self._closing = True
        self._wake.set()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            self._declare_loss()

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(FLUSH_INTERVAL_S)
            self._wake.clear()
            self._write_out()
        self._write_out()

    def _write_out(self) -> None:
        try:
            self._write_entries()
            for log in self._logs:
                log.flush()
        except OSError as error:
            self.failure = f"the session cannot be recorded: {error.strerror}"
        self._backlog.release()
        if self._backlog.lossy or self.failure:
            self._declare_loss()

    def _write_entries(self) -> None:
        buffer = bytearray()
        for kind, at_ns, data in self._backlog.take():
            buffer += b"%c %d %d\n" % (kind, at_ns, len(data))
            if len(data) < BUFFER_BYTES:
                buffer += data
            else:
                self._write(buffer)
                self._write(data)
                buffer.clear()
            buffer += b"\n"
            if len(buffer) > BUFFER_BYTES:
                self._write(buffer)
                buffer.clear()
        self._write(buffer)

    def _write(self, data: bytes | bytearray) -> None:
        written = 0
        while written < len(data):
            with memoryview(data) as view:
                written += os.write(self._descriptor, view[written:])

    def _declare_loss(self) -> None:
        if os.path.exists(self._intact_path):  # noqa: PTH110 - pathlib costs 10 ms to import
            os.unlink(self._intact_path)  # noqa: PTH108
