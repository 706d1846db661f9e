"""Where large chunks wait for the disk: memory of the kernel's, used over and over.

A copy into pages that have been used before costs a tenth of what fresh memory or a growing file costs,
so it can be made while a large frame passes; and the meter's own memory stays as small as it is.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    Chunk = bytes | memoryview
    """What was read at once; a view is good until the next read."""

CHUNK_BYTES = 256 * 1024
SLOTS = 128
COPY_BELOW_BYTES = 64 * 1024


class ChunkReader:
    """Reads a pipe, as much as there is at a time, into one buffer."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray(CHUNK_BYTES)

    def read(self) -> Chunk:
        """Waits for the next chunk; empty at the end. A large one is a view, good until the next call."""
        size = os.readv(self._descriptor, [self._buffer])
        view = memoryview(self._buffer)[:size]
        return bytes(view) if size < COPY_BELOW_BYTES else view


class Staged:
    """A chunk that waits in a slot of the staging memory."""

    __slots__ = ("size", "slot")

    def __init__(self, slot: int, size: int) -> None:
        self.slot = slot
        self.size = size

    def __len__(self) -> int:
        return self.size


class Staging:
    """Slots for chunks. Safe to use from several threads, since each slot has one owner at a time.

    Args:
        slots: how many chunks can wait.
    """

    def __init__(self, *, slots: int = SLOTS) -> None:
        self._memory = os.memfd_create("searchlight-meter")
        self._free = list(range(slots))

    def put(self, chunk: memoryview) -> Staged | None:
        """Copies a chunk of at most `CHUNK_BYTES`; None when there is no room."""
        try:
            slot = self._free.pop()  # the one used last, so that few pages are ever used
            os.pwrite(self._memory, chunk, slot * CHUNK_BYTES)
        except (IndexError, OSError):
            return None
        return Staged(slot, len(chunk))

    def move(self, staged: Staged, descriptor: int) -> None:
        """Writes a chunk to a file.

        Raises:
            OSError: the file takes no more.
        """
        start = staged.slot * CHUNK_BYTES
        moved = 0
        while moved < staged.size:
            moved += os.sendfile(descriptor, self._memory, start + moved, staged.size - moved)

    def release(self, staged: Staged) -> None:
        """Makes the chunk's slot free again."""
        self._free.append(staged.slot)


def find_newline(chunk: Chunk, start: int) -> int:
    """Where the next byte 0x0A is, from `start` on; -1 when there is none."""
    if isinstance(chunk, bytes):
        return chunk.find(b"\n", start)
    buffer: bytearray = chunk.obj  # type: ignore[assignment]
    return buffer.find(b"\n", start, len(chunk))
