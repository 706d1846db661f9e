"""What was seen and is not yet on disk: bounded, and honest about what it had to leave out."""

from __future__ import annotations

import threading

from pytest_searchlight.meter.buffers import BUFFER_BYTES
from pytest_searchlight.meter.frames import split_frames

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_searchlight.meter.buffers import Chunk

    Entry = tuple[bytes, int, Chunk]
    """Kind, monotonic nanoseconds, payload: see `pytest_searchlight.meter.spool`."""

SHORTEN_ABOVE_BYTES = 32 * 1024 * 1024
DROP_ABOVE_BYTES = 48 * 1024 * 1024
KEPT_END_BYTES = 512
ENTRY_OVERHEAD_BYTES = 200
TRAFFIC = (b"C", b"S")


class Backlog:
    """Entries that wait for the disk.

    Args:
        shorten_above_bytes: backlog beyond which only the two ends of each frame are kept.
        drop_above_bytes: backlog beyond which traffic is merely counted.
    """

    def __init__(
        self,
        *,
        shorten_above_bytes: int = SHORTEN_ABOVE_BYTES,
        drop_above_bytes: int = DROP_ABOVE_BYTES,
    ) -> None:
        self._shorten_above_bytes = shorten_above_bytes
        self._drop_above_bytes = drop_above_bytes
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._taken_bytes = 0
        self._dropped: dict[bytes, tuple[int, int, int]] = {}
        self.held_bytes = 0
        self.lossy = False

    def add(self, entry: Entry) -> None:
        """Appends an entry; traffic is shortened or dropped when too much is waiting."""
        with self._lock:
            if self.held_bytes <= self._shorten_above_bytes or entry[0] not in TRAFFIC:
                self._append(entry)
                return
            self.lossy = True
            if self.held_bytes > self._drop_above_bytes:
                self._drop(entry)
                return
            for part in shorten(entry):
                self._append(part)

    def take(self) -> list[Entry]:
        """Hands over all that waits; it counts as held until `release`."""
        with self._lock:
            for kind in tuple(self._dropped):
                self._append_dropped(kind)
            entries, self._entries = self._entries, []
            self._taken_bytes = self.held_bytes
            return entries

    def release(self) -> None:
        """Says that what was taken last is written, or given up."""
        with self._lock:
            self.held_bytes -= self._taken_bytes
            self._taken_bytes = 0

    def _append(self, entry: Entry) -> None:
        if entry[0] in self._dropped:
            self._append_dropped(entry[0])
        self._entries.append(entry)
        size = BUFFER_BYTES if isinstance(entry[2], memoryview) else len(entry[2])
        self.held_bytes += size + ENTRY_OVERHEAD_BYTES

    def _drop(self, entry: Entry) -> None:
        kind, at_ns, data = entry
        _, byte_count, frame_count = self._dropped.get(kind, (0, 0, 0))
        ended = bytes(data).count(b"\n")
        self._dropped[kind] = (at_ns, byte_count + len(data), frame_count + ended)

    def _append_dropped(self, kind: bytes) -> None:
        at_ns, byte_count, frame_count = self._dropped.pop(kind)
        self._entries.append((kind.lower(), at_ns, b"%d %d" % (byte_count, frame_count)))


def shorten(entry: Entry) -> Iterator[Entry]:
    """Keeps the two ends of every long piece, with an entry between them that tells what is missing.

    The ends hold a message's id and what sort it is, so that the call stays on record without its text.
    """
    kind, at_ns, data = entry
    for piece, _ in split_frames(bytes(data)):
        left_out = len(piece) - 2 * KEPT_END_BYTES
        if left_out <= 0:
            yield kind, at_ns, piece
        else:
            yield kind, at_ns, piece[:KEPT_END_BYTES]
            yield kind.lower(), at_ns, b"%d 0" % left_out
            yield kind, at_ns, piece[-KEPT_END_BYTES:]
