"""Memory for what passes: fixed buffers that are used again once their content is recorded.

Fresh memory for every read costs more than the copying itself when frames are large.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    Chunk = bytes | memoryview
    """What was read at once; a view spans a whole buffer and has one owner at a time."""

BUFFER_BYTES = 256 * 1024
KEPT_BUFFERS = 12
COPY_BELOW_BYTES = 64 * 1024


def find_newline(chunk: Chunk, start: int) -> int:
    """Where the next byte 0x0A is, from `start` on; -1 when there is none."""
    if isinstance(chunk, bytes):
        return chunk.find(b"\n", start)
    buffer: bytearray = chunk.obj  # type: ignore[assignment]
    return buffer.find(b"\n", start, len(chunk))


class BufferPool:
    """Buffers that nobody uses at the moment. Safe to use from several threads."""

    def __init__(self) -> None:
        self._spare: list[bytearray] = []

    def take(self) -> bytearray:
        """A buffer whose content is of no interest to anyone."""
        try:
            return self._spare.pop()
        except IndexError:
            return bytearray(BUFFER_BYTES)

    def give_back(self, chunk: Chunk) -> None:
        """Takes back the buffer behind a chunk that nobody will look at any more."""
        if isinstance(chunk, memoryview) and len(self._spare) < KEPT_BUFFERS:
            self._spare.append(chunk.obj)  # type: ignore[arg-type]


class ChunkReader:
    """Reads a pipe, as much as there is at a time.

    Args:
        descriptor: the pipe.
        pool: where large chunks come from; whoever has used one gives it back there.
    """

    def __init__(self, descriptor: int, *, pool: BufferPool) -> None:
        self._descriptor = descriptor
        self._pool = pool
        self._buffer = pool.take()

    def read(self) -> Chunk:
        """Waits for the next chunk; empty at the end of the stream."""
        size = os.readv(self._descriptor, [self._buffer])
        view = memoryview(self._buffer)[:size]
        if size < COPY_BELOW_BYTES:
            return bytes(view)
        self._buffer = self._pool.take()
        return view
