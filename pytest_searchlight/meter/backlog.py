"""What was seen and is not yet on disk: bounded, and honest about what it had to leave out."""

from __future__ import annotations

import threading

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator

    Entry = tuple[bytes, int, bytes]
    """Kind, monotonic nanoseconds, payload: see `pytest_searchlight.meter.spool`."""

SHORTEN_ABOVE_BYTES = 32 * 1024 * 1024
DROP_ABOVE_BYTES = 48 * 1024 * 1024
KEPT_END_BYTES = 512
ENTRY_OVERHEAD_BYTES = 200


class Backlog:
    """Entries that wait for the disk.

    Args:
        shorten_above_bytes: backlog beyond which only the two ends of each frame are kept.
        drop_above_bytes: backlog beyond which traffic is only counted.
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
        self._dropped: dict[bytes, tuple[int, int]] = {}
        self._taken_bytes = 0
        self.held_bytes = 0
        self.lossy = False

    def add(self, entry: Entry) -> None:
        """Appends an entry, shortened or merely counted when too much is waiting."""
        with self._lock:
            if self.held_bytes <= self._shorten_above_bytes:
                self._append(entry)
            elif self.held_bytes <= self._drop_above_bytes:
                for part in shorten(entry):
                    self._append(part)
                    self.lossy |= part[0].islower()
            else:
                self._count(entry)

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
        self.held_bytes += len(entry[2]) + ENTRY_OVERHEAD_BYTES

    def _count(self, entry: Entry) -> None:
        self.lossy = True
        byte_count, frame_count = self._dropped.get(entry[0], (0, 0))
        self._dropped[entry[0]] = (byte_count + len(entry[2]), frame_count + entry[2].count(b"\n"))

    def _append_dropped(self, kind: bytes) -> None:
        byte_count, frame_count = self._dropped.pop(kind)
        self._entries.append((kind.lower(), 0, b"%d %d" % (byte_count, frame_count)))


def shorten(entry: Entry) -> Iterator[Entry]:
    """Keeps the two ends of every long frame, with an entry between them that tells what is missing.

    The ends hold a message's id and its kind, so the call stays on record without its text.
    """
    kind, at_ns, data = entry
    for frame in split_frames(data):
        left_out = len(frame) - 2 * KEPT_END_BYTES
        if left_out <= 0:
            yield entry if frame is data else (kind, at_ns, frame)
        else:
            yield kind, at_ns, frame[:KEPT_END_BYTES]
            yield kind.lower(), at_ns, b"%d 0" % left_out
            yield kind, at_ns, frame[-KEPT_END_BYTES:]


def split_frames(data: bytes) -> Iterator[bytes]:
    """Cuts `data` after each byte 0x0A and nowhere else; the last piece may be unfinished."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end
