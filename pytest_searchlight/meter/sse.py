"""Server-sent events, as far as MCP uses them."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator


class EventParser:
    """Cuts a byte stream into events, of whatever size, and keeps their data.

    Lines end at 0x0A, with or without a 0x0D before it.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of each event that `chunk` completes; events without data are left out."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            line = b"".join([*self._line, piece]).removesuffix(b"\r")
            self._line.clear()
            if line:
                self._take(line)
            elif self._data:
                yield b"\n".join(self._data)
                self._data.clear()
        if rest:
            self._line.append(rest)

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
