"""Server-sent events, as far as MCP uses them."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
RETRY_S = 1.0
LONGEST_RETRY_S = 60.0


class EventParser:
    """Cuts a byte stream into events, of whatever size, and keeps their data.

    Lines end at 0x0A, at 0x0D, or at both in this order.

    Attributes:
        last_id: id of the last event that had one, from which the server can go on; empty without one.
        retry_s: how long the server wants to be left alone before it is asked to go on.
    """

    def __init__(self) -> None:
        self.last_id = b""
        self.retry_s = RETRY_S
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._id = b""
        self._ended_with_return = False
        self._has_begun = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of each event that `chunk` completes; events without data are left out."""
        *ended, rest = self._unify_line_ends(chunk).split(b"\n")
        for piece in ended:
            self._line.append(piece)
            yield from self._end_line()
        self._line.append(rest)

    def finish(self) -> Iterator[bytes]:
        """The data of an event that the end of the stream completes."""
        yield from self._end_line()
        yield from self._end_event()

    def _unify_line_ends(self, chunk: bytes) -> bytes:
        text = chunk.removeprefix(b"\n") if self._ended_with_return else chunk
        self._ended_with_return = chunk.endswith(b"\r")
        return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text

    def _end_line(self) -> Iterator[bytes]:
        line = b"".join(self._line)
        self._line.clear()
        if not self._has_begun:
            line, self._has_begun = line.removeprefix(BYTE_ORDER_MARK), True
        if line:
            self._take(line)
        else:
            yield from self._end_event()

    def _end_event(self) -> Iterator[bytes]:
        self.last_id = self._id
        data = b"\n".join(self._data)
        self._data.clear()
        if data:
            yield data

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"id" and b"\0" not in value:
            self._id = value
        elif name == b"retry" and value.isdigit():
            self.retry_s = min(int(value[:9]) / 1000, LONGEST_RETRY_S)
