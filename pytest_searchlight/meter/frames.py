"""Where a frame ends, and whether it is a message.

A frame ends at byte 0x0A and nowhere else. Short frames are judged when they are whole; a long one is
judged by its first bytes, so that it can be passed on while it is still arriving.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONG_FRAME_BYTES = 4096
DOUBT_LIMIT_BYTES = 1024 * 1024
ENDS_BYTES = 400

_ID = rb'(?:-?\d{1,30}(?:\.\d{1,30})?|"(?:[^"\\]|\\.){0,200}")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_HEAD = re.compile(
    rb'\s*\{\s*(?:(?:%b|"id"\s*:\s*(?P<id>%b))\s*,\s*)*"(?P<key>result|error|method|params)"\s*:\s*'
    rb'(?:"(?P<method>[^"\\]*)")?' % (_VERSION, _ID)
)
_TAIL = re.compile(rb'"id"\s*:\s*(?P<id>%b)\s*(?:,\s*%b\s*)?\}\s*$' % (_ID, _VERSION))


class Message:
    """What the meter wants to know of a message.

    Attributes:
        key: the id in a form that can be compared (``1``, ``1.0`` and ``"1"`` differ); None without one.
        id: the id itself.
        method: the method of a request or notification, None for a response or when it is out of sight.
        is_response: whether it answers a request.
    """

    __slots__ = ("id", "is_response", "key", "method")

    def __init__(self, *, id: Any, method: str | None, is_response: bool) -> None:  # noqa: A002 - the wire's word
        self.id = id
        self.key = None if id is None else repr(id)
        self.method = method
        self.is_response = is_response


def read_messages(frame: bytes) -> list[Message]:
    """The messages in a whole frame: one, or several in a batch; none when it is no JSON-RPC.

    Parsing a long frame would cost more than passing it on, so its ends are enough when they tell all.
    """
    if len(frame) > LONG_FRAME_BYTES and (message := peek_message(frame[:ENDS_BYTES], frame[-ENDS_BYTES:])):
        if message.is_response or message.method is not None:
            return [message]
    return _parse_messages(frame)


def _parse_messages(frame: bytes) -> list[Message]:
    try:
        document = json.loads(frame.decode("utf-8", "replace"))
    except ValueError:
        return []
    except RecursionError:  # nested too deep for this parser, which is not the meter's business
        message = peek_message(frame[:ENDS_BYTES], frame[-ENDS_BYTES:])
        return [message] if message else []
    members = document if isinstance(document, list) else [document]
    if not all(isinstance(member, dict) and "jsonrpc" in member for member in members):
        return []
    return [_describe(member) for member in members]


def peek_message(head: bytes, tail: bytes = b"") -> Message | None:
    """The message of a long frame as far as its ends tell; None when the head does not look like one.

    A head that opens with a member of JSON-RPC is a message for certain enough. Libraries put the id
    first or last, so both ends are searched.
    """
    found = _HEAD.match(head)
    if found is None:
        return None
    text = found["id"]
    if text is None and (last := _TAIL.search(tail)):
        text = last["id"]
    method = (
        found["method"].decode("utf-8", "replace") if found["key"] == b"method" and found["method"] else None
    )
    is_response = found["key"] in (b"result", b"error")
    return Message(id=None if text is None else json.loads(text), method=method, is_response=is_response)


def _describe(member: dict[str, Any]) -> Message:
    method = member.get("method")
    return Message(
        id=member.get("id"),
        method=method if isinstance(method, str) else None,
        is_response="method" not in member,
    )


class FrameSorter:
    """Cuts one direction of the wire into frames and decides which of them pass.

    What decides is left to a subclass: `judge` sees short frames whole, `judge_head` the beginning of long
    ones, and `end_long_frame` both ends of a long frame that has passed.
    """

    def __init__(self) -> None:
        self._held = bytearray()  # of a frame without a verdict
        self._passes: bool | None = None  # the verdict on the frame in progress
        self._head = b""
        self._tail = b""

    @property
    def between_frames(self) -> bool:
        """Whether all that was let through so far ends with a whole frame."""
        return self._passes is not True

    def judge(self, frame: bytes) -> bool:
        """Whether a whole frame passes."""
        raise NotImplementedError

    def judge_head(self, head: bytes, *, held_bytes: int) -> bool | None:
        """Whether a long frame that begins with `head` passes; None to hold more than `held_bytes` of it."""
        raise NotImplementedError

    def end_long_frame(self, head: bytes, tail: bytes) -> None:
        """Takes note of a long frame that passed."""
        raise NotImplementedError

    def reject(self, piece: bytes) -> None:
        """Takes note of a piece that does not pass."""
        raise NotImplementedError

    def feed(self, chunk: bytes) -> bytes:
        """Takes what arrived and returns what may pass now."""
        passing = [piece for piece in self._sort(chunk) if piece]
        return passing[0] if len(passing) == 1 else b"".join(passing)

    def finish(self) -> bytes:
        """Judges what is held when the stream ends without 0x0A, and returns it if it passes."""
        frame, self._held = bytes(self._held), bytearray()
        return self._pass(frame, passes=self.judge(frame)) if frame else b""

    def _sort(self, chunk: bytes) -> Iterator[bytes]:
        start = 0
        while start < len(chunk):
            end = chunk.find(b"\n", start) + 1
            piece = chunk[start : end or None]
            start = end or len(chunk)
            yield self._continue(piece, whole=bool(end))

    def _continue(self, piece: bytes, *, whole: bool) -> bytes:
        if self._passes is not None:
            return self._stream(piece, whole=whole)
        if whole and not self._held:
            return self._pass(piece, passes=self.judge(piece))
        self._held += piece
        if whole:
            return self.finish()
        if len(self._held) < LONG_FRAME_BYTES:
            return b""
        return self._start_streaming()

    def _start_streaming(self) -> bytes:
        self._head = bytes(self._held[:ENDS_BYTES])
        self._passes = self.judge_head(self._head, held_bytes=len(self._held))
        if self._passes is None:
            return b""
        piece, self._held = bytes(self._held), bytearray()
        self._tail = b""
        return self._stream(piece, whole=False)

    def _stream(self, piece: bytes, *, whole: bool) -> bytes:
        passes = self._passes is True
        self._tail = (self._tail + piece[-ENDS_BYTES:])[-ENDS_BYTES:]
        if whole:
            self._passes = None
            if passes:
                self.end_long_frame(self._head, self._tail)
        return self._pass(piece, passes=passes)

    def _pass(self, piece: bytes, *, passes: bool) -> bytes:
        if not passes:
            self.reject(piece)
            return b""
        return piece
