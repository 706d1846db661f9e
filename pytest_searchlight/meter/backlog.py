"""What was seen and is not yet on disk: bounded, and honest about what it had to leave out."""

from __future__ import annotations

import threading

from pytest_searchlight.meter.frames import split_frames
from pytest_searchlight.meter.staging import Staged, Staging

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_searchlight.meter.staging import Chunk

    Entry = tuple[bytes, int, bytes | Staged]
    """Kind, monotonic nanoseconds, payload: see `pytest_searchlight.meter.spool`."""

SHORTEN_ABOVE_BYTES = 8 * 1024 * 1024
DROP_ABOVE_BYTES = 24 * 1024 * 1024
KEPT_END_BYTES = 512
ENTRY_OVERHEAD_BYTES = 200


class Backlog:
    """Entries that wait for the disk.

    Args:
        staging: where large chunks wait; what finds no room there is shortened.
        shorten_above_bytes: size of the other entries beyond which only both ends of each frame are kept.
        drop_above_bytes: their size beyond which traffic is merely counted.
    """

    def __init__(
        self,
        staging: Staging,
        *,
        shorten_above_bytes: int = SHORTEN_ABOVE_BYTES,
        drop_above_bytes: int = DROP_ABOVE_BYTES,
    ) -> None:
        self._staging = staging
        self._shorten_above_bytes = shorten_above_bytes
        self._drop_above_bytes = drop_above_bytes
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._taken_bytes = 0
        self._dropped: dict[bytes, tuple[int, int, int]] = {}
        self.held_bytes = 0
        self.staged_bytes = 0
        self.lossy = False

    def add(self, kind: bytes, at_ns: int, data: Chunk) -> None:
        """Appends an entry; the chunk in it may change afterwards."""
        payload = self._staging.put(data) if isinstance(data, memoryview) else data
        with self._lock:
            if isinstance(payload, Staged):
                self.staged_bytes += len(payload)
                self._entries.append((kind, at_ns, payload))
            elif payload is not None and self.held_bytes <= self._shorten_above_bytes:
                self._append(kind, at_ns, payload)
            else:
                self._add_less(kind, at_ns, bytes(data))

    def take(self) -> list[Entry]:
        """Hands over all that waits; it counts as held until `release`."""
        with self._lock:
            for kind in tuple(self._dropped):
                self._append_dropped(kind)
            entries, self._entries = self._entries, []
            self._taken_bytes = self.held_bytes
            self.staged_bytes = 0
            return entries

    def release(self) -> None:
        """Says that what was taken last is written, or given up."""
        with self._lock:
            self.held_bytes -= self._taken_bytes
            self._taken_bytes = 0

    def _add_less(self, kind: bytes, at_ns: int, data: bytes) -> None:
        self.lossy = True
        if self.held_bytes > self._drop_above_bytes:
            _, byte_count, frame_ends = self._dropped.get(kind, (0, 0, 0))
            self._dropped[kind] = (at_ns, byte_count + len(data), frame_ends + data.count(b"\n"))
            return
        for part_kind, part in shorten(kind, data):
            self._append(part_kind, at_ns, part)

    def _append(self, kind: bytes, at_ns: int, data: bytes) -> None:
        if kind in self._dropped:
            self._append_dropped(kind)
        self._entries.append((kind, at_ns, data))
        self.held_bytes += len(data) + ENTRY_OVERHEAD_BYTES

    def _append_dropped(self, kind: bytes) -> None:
        at_ns, byte_count, frame_ends = self._dropped.pop(kind)
        self._entries.append((kind.lower(), at_ns, b"%d %d" % (byte_count, frame_ends)))


def shorten(kind: bytes, data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keeps the two ends of every long piece, with an entry between them that tells what is missing.

    The ends hold a message's id and what sort it is, so that the call stays on record without its text.
    Entries come as kind and payload.
    """
    for piece, _ in split_frames(data):
        left_out = len(piece) - 2 * KEPT_END_BYTES
        if left_out <= 0:
            yield kind, bytes(piece)
        else:
            yield kind, bytes(piece[:KEPT_END_BYTES])
            yield kind.lower(), b"%d 0" % left_out
            yield kind, bytes(piece[-KEPT_END_BYTES:])
