"""Where a frame ends, and whether it is a message.

A frame ends at byte 0x0A and nowhere else. Short frames are judged when they are whole; a long one is
judged by its first bytes, so that it can be passed on while it is still arriving.
"""

from __future__ import annotations

import json
import re

from pytest_searchlight.meter.staging import find_newline

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pytest_searchlight.meter.staging import Chunk

LONG_FRAME_BYTES = 4096
ENDS_BYTES = 400
_DECODER = json.JSONDecoder(strict=False)  # a raw control character in a text is no reason to withhold it

_ID = rb'(?:-?\d{1,30}(?:\.\d{1,30})?|"(?:[^"\\]|\\.){0,200}")'
_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_HEAD = re.compile(
    rb'\s*\{\s*(?:(?:%b|"id"\s*:\s*(?P<id>%b))\s*,\s*)*"(?P<key>result|error|method|params)"\s*:\s*'
    rb'(?:"(?P<method>[^"\\]*)")?' % (_VERSION, _ID)
)
_TAIL = re.compile(rb'"id"\s*:\s*(?P<id>%b)\s*(?:,\s*%b\s*)?\}\s*$' % (_ID, _VERSION))


class Message:
    """What the meter wants to know of a message.

    Attributes:
        id: the JSON-RPC id, None without one.
        key: the id in a form that can be compared; see `make_key`.
        method: the method of a request or notification; None for a response, or when out of sight.
        is_response: whether it answers a request.
    """

    __slots__ = ("id", "is_response", "key", "method")

    def __init__(self, request_id: object, *, method: str | None, is_response: bool) -> None:
        self.id = request_id
        self.key = make_key(request_id)
        self.method = method
        self.is_response = is_response

    @property
    def is_request(self) -> bool:
        """Whether it asks for an answer."""
        return self.id is not None and not self.is_response


def make_key(request_id: object) -> str:
    """An id in a form that can be compared.

    Some servers answer ``1`` with ``1.0`` or ``"1"``, and the clients that agents are made with take it.
    """
    if isinstance(request_id, float) and request_id.is_integer():
        return repr(int(request_id))
    if isinstance(request_id, str) and _WHOLE_NUMBER.fullmatch(request_id):
        return request_id
    return repr(request_id)


def read_object(frame: bytes) -> dict[str, Any]:
    """The JSON object in a frame, read as leniently as `read_messages` does; empty when there is none."""
    try:
        document = _DECODER.decode(frame.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def read_messages(frame: Chunk | bytearray) -> list[Message]:
    """The messages in a whole frame: one, or several in a batch; none when it is no JSON-RPC.

    Parsing a long frame would cost more than passing it on, so its ends are enough when they tell all.
    """
    if len(frame) > LONG_FRAME_BYTES:
        message = _peek_at_ends(frame)
        if message and (message.is_response or message.method is not None):
            return [message]
    try:
        document = _DECODER.decode(bytes(frame).decode("utf-8", "replace"))
    except ValueError:
        return []
    except RecursionError:  # nested too deep for this parser, which is no reason to withhold it
        message = _peek_at_ends(frame)
        return [message] if message else []
    members = document if isinstance(document, list) else [document]
    if not all(isinstance(member, dict) and "jsonrpc" in member for member in members):
        return []
    return [_describe(member) for member in members]


def peek_message(head: bytes, tail: bytes = b"") -> Message | None:
    """The message of a long frame, as far as its ends tell; None when the head does not look like one.

    A head that opens with the members of JSON-RPC is taken for a message. Libraries put the id first or
    last, so it is looked for at both ends.
    """
    found = _HEAD.match(head)
    if found is None:
        return None
    request_id = found["id"]
    if request_id is None and (last := _TAIL.search(tail)):
        request_id = last["id"]
    method = found["method"] if found["key"] == b"method" else None
    return Message(
        None if request_id is None else json.loads(request_id),
        method=None if method is None else method.decode("utf-8", "replace"),
        is_response=found["key"] in (b"result", b"error"),
    )


def _peek_at_ends(frame: Chunk | bytearray) -> Message | None:
    return peek_message(bytes(frame[:ENDS_BYTES]), bytes(frame[-ENDS_BYTES:]))


def _describe(member: dict[str, Any]) -> Message:
    method = member.get("method")
    return Message(
        member.get("id"),
        method=method if isinstance(method, str) else None,
        is_response="method" not in member,
    )


def split_frames(chunk: Chunk) -> Iterator[tuple[Chunk, bool]]:
    """Cuts a chunk after each byte 0x0A; every piece comes with whether it ends a frame.

    A chunk that needs no cutting comes back as it is, without a copy.
    """
    start, size = 0, len(chunk)
    while start < size:
        end = find_newline(chunk, start) + 1
        stop = end or size
        yield chunk if (start, stop) == (0, size) else bytes(chunk[start:stop]), bool(end)
        start = stop


class FrameSorter:
    """Cuts one direction of the wire into frames and decides which of them pass.

    A subclass makes the decisions: `judge` sees whole frames, `judge_head` the beginning of long ones that
    are still arriving, and `end_long_frame` the two ends of such a frame once it has passed.
    """

    def __init__(self) -> None:
        self._held = bytearray()  # the beginning of a frame on which there is no verdict yet
        self._passes: bool | None = None  # the verdict on the long frame in progress
        self._head = b""
        self._tail = b""

    @property
    def between_frames(self) -> bool:
        """Whether all that has passed so far ends with a whole frame."""
        return self._passes is not True

    def judge(self, frame: Chunk | bytearray) -> bool:
        """Whether a whole frame passes."""
        raise NotImplementedError

    def judge_head(self, head: bytes, *, held_bytes: int) -> bool | None:
        """Whether a long frame passes that begins with `head`; None to hold it back until more has come."""
        raise NotImplementedError

    def end_long_frame(self, head: bytes, tail: bytes) -> None:
        """Takes note of a long frame that has passed."""
        raise NotImplementedError

    def reject(self, piece: Chunk | bytearray) -> None:
        """Takes note of what does not pass."""
        raise NotImplementedError

    def feed(self, chunk: Chunk) -> Chunk:
        """Takes what has arrived and returns what may pass; the chunk itself when that is all of it."""
        passing = [piece for part, whole in split_frames(chunk) if (piece := self._take(part, whole=whole))]
        return passing[0] if len(passing) == 1 else b"".join(passing)

    def finish(self) -> Chunk:
        """Judges what is held when the stream ends, and returns it if it may pass."""
        return self._take(b"", whole=True) if self._held else b""

    def _take(self, part: Chunk, *, whole: bool) -> Chunk:
        if self._passes is not None:
            return self._continue(part, whole=whole)
        if not self._held and whole:
            return self._sort(part, passes=self.judge(part))
        if not self._held and len(part) >= LONG_FRAME_BYTES and self._decide(part):
            return self._continue(part, whole=False)
        self._held += part
        return self._take_held(whole=whole)

    def _take_held(self, *, whole: bool) -> Chunk:
        if whole:
            frame, self._held = bytes(self._held), bytearray()
            return self._sort(frame, passes=self.judge(frame))
        if len(self._held) >= LONG_FRAME_BYTES and self._decide(self._held):
            beginning, self._held = bytes(self._held), bytearray()
            return self._continue(beginning, whole=False)
        return b""

    def _decide(self, beginning: Chunk | bytearray) -> bool:
        self._head, self._tail = bytes(beginning[:ENDS_BYTES]), b""
        self._passes = self.judge_head(self._head, held_bytes=len(beginning))
        return self._passes is not None

    def _continue(self, part: Chunk, *, whole: bool) -> Chunk:
        passes = self._passes is True
        self._tail = (self._tail + part[-ENDS_BYTES:])[-ENDS_BYTES:]
        if whole:
            self._passes = None
            if passes:
                self.end_long_frame(self._head, self._tail)
        return self._sort(part, passes=passes)

    def _sort(self, part: Chunk, *, passes: bool) -> Chunk:
        if passes:
            return part
        self.reject(part)
        return b""
