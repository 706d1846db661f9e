"""What happens to bytes on their way from a process: cut into lines, kept in files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType


class LineSplitter:
    """Cuts a byte stream at 0x0A and nowhere else, so U+2028 inside a JSON string stays where it is.

    Lines of any length come out whole, without their line end (LF or CRLF).
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Take the next bytes; give the lines they complete."""
        *complete, rest = chunk.split(b"\n")
        for piece in complete:
            self._pieces.append(piece)
            yield self._take_line()
        if rest:
            self._pieces.append(rest)

    def finish(self) -> Iterator[bytes]:
        """Give the last line, if the stream ended without a line end."""
        if self._pieces:
            yield self._take_line()

    def _take_line(self) -> bytes:
        line = b"".join(self._pieces).removesuffix(b"\r")
        self._pieces.clear()
        return line


class RawFile:
    """A file that takes every byte it is given, or raises OSError and from then on takes none.

    So what it holds is whole up to the failure, even when a shorter piece would fit afterwards.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = io.FileIO(path, "w")
        self._has_failed = False

    def write(self, data: bytes) -> None:
        """Write all of `data`: a raw file may take less than it is given."""
        unwritten = memoryview(b"" if self._has_failed else data)
        try:
            while unwritten:
                unwritten = unwritten[self._file.write(unwritten) :]
        except OSError:
            self._has_failed = True
            raise

    def finish(self) -> None:
        """Write what is still held back; nothing may be written after it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


class HeadTailFile(RawFile):
    """A file of bounded size: the first bytes, a line saying how many were left out, the last bytes.

    The head is written as it comes; the tail is kept in memory until `finish`.
    """

    def __init__(self, path: Path, *, head_bytes: int, tail_bytes: int) -> None:
        super().__init__(path)
        self._head_bytes = head_bytes
        self._tail_bytes = tail_bytes
        self._total_bytes = 0
        self._recent = bytearray()

    def write(self, data: bytes) -> None:
        """Keep `data` as head, tail or a number of bytes left out."""
        room_bytes = max(self._head_bytes - self._total_bytes, 0)
        self._total_bytes += len(data)
        self._recent += data
        if len(self._recent) > 2 * self._tail_bytes:
            del self._recent[: -self._tail_bytes]
        if room_bytes:
            super().write(data[:room_bytes])

    def read_tail(self, limit_bytes: int) -> str:
        """The last `limit_bytes` of all that was written, as text."""
        return bytes(self._recent[-limit_bytes:]).decode("utf-8", "replace")

    def finish(self) -> None:
        """Write the tail."""
        beyond_bytes = max(self._total_bytes - self._head_bytes, 0)
        kept_bytes = min(beyond_bytes, self._tail_bytes)
        if beyond_bytes > kept_bytes:
            super().write(f"\n[... {beyond_bytes - kept_bytes} bytes left out ...]\n".encode())
        if kept_bytes:
            super().write(bytes(self._recent[-kept_bytes:]))
