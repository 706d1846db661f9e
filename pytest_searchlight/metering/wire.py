"""The spool as the meter wrote it, put in order and cut into frames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pydantic import JsonValue

from pytest_searchlight.loose_json import read_finite, read_integer
from pytest_searchlight.meter.frames import ENDS_BYTES, Message, peek_message

Side = Literal["client", "server", "meter"]
SIDES: Final[dict[str, Side]] = {"C": "client", "S": "server", "M": "meter"}


class Entry(NamedTuple):
    """An entry of the spool; its format is described in `pytest_searchlight.meter.spool`."""

    kind: str
    at_ns: int
    data: memoryview


class Frame(NamedTuple):
    """A frame as it passed.

    `size` is its length on the wire in bytes, more than `data` holds when the middle was not recorded.
    """

    side: Side
    at_ns: int
    data: bytes
    size: int

    @property
    def is_whole(self) -> bool:
        """Whether all of it was recorded."""
        return self.size == len(self.data)

    def parse(self) -> list[dict[str, JsonValue]] | None:
        """The messages in it, if any; None when it is not whole, or nested too deep to be parsed."""
        if not self.is_whole:
            return None
        try:
            document = _parse_json(self.data)
        except ValueError:
            return []
        except RecursionError:
            return None
        members = document if isinstance(document, list) else [document]
        return [member for member in members if isinstance(member, dict)]

    def peek(self) -> Message | None:
        """What its two ends tell of the message in it."""
        return peek_message(self.data[:ENDS_BYTES], self.data[-ENDS_BYTES:])


class Event(NamedTuple):
    """Something that the meter itself had to say."""

    at_ns: int
    name: str
    facts: dict[str, JsonValue]


def read_entries(path: Path) -> tuple[list[Entry], bool]:
    """The entries in the order in which things happened, and whether the spool breaks off in the middle.

    A meter that is killed leaves a torn entry at the end; what stands before it is good.
    """
    data = memoryview(path.read_bytes())
    entries: list[Entry] = []
    position = 0
    while position < len(data):
        header, _, _ = bytes(data[position : position + 64]).partition(b"\n")
        parts = header.split(b" ")
        if len(parts) != 3 or not (parts[1].isdigit() and parts[2].isdigit()):
            return _sort(entries), True
        start = position + len(header) + 1
        position = start + int(parts[2]) + 1
        if position > len(data):
            return _sort(entries), True
        entries.append(Entry(parts[0].decode("ascii", "replace"), int(parts[1]), data[start : position - 1]))
    return _sort(entries), False


def _sort(entries: list[Entry]) -> list[Entry]:
    """The pumps note what they have forwarded, so an answer may be noted before its request."""
    return sorted(entries, key=lambda entry: entry.at_ns)


def read_timeline(entries: Iterable[Entry]) -> Iterator[Frame | Event]:
    """Everything that happened, in order: frames, when their last byte had arrived, and events."""
    streams = {side: _Stream(side) for side in SIDES.values()}
    for entry in entries:
        if entry.kind == "E":
            facts = _parse_json(bytes(entry.data))
            if isinstance(facts, dict):
                yield Event(entry.at_ns, str(facts.pop("event", "")), facts)
        elif entry.kind in SIDES:
            yield from streams[SIDES[entry.kind]].feed(entry)
        elif entry.kind.upper() in SIDES:
            streams[SIDES[entry.kind.upper()]].skip(bytes(entry.data))
    for stream in streams.values():
        yield from stream.finish()


@dataclass
class _Stream:
    """Cuts the bytes of one side into frames, after each byte 0x0A."""

    side: Side
    parts: list[memoryview] = field(default_factory=list)
    size: int = 0
    at_ns: int = 0

    def feed(self, entry: Entry) -> Iterator[Frame]:
        self.at_ns = entry.at_ns
        data, start = entry.data, 0
        text = bytes(data)
        while end := text.find(b"\n", start) + 1:
            yield self._cut(data[start:end])
            start = end
        if start < len(data):
            self.parts.append(data[start:])
            self.size += len(data) - start

    def skip(self, lost: bytes) -> None:
        """Notes a gap: within one frame it only makes that frame longer, else the frame is given up."""
        byte_count, frame_ends = (int(number) for number in lost.split(b" "))
        self.size += byte_count
        if frame_ends:
            self.parts.clear()
            self.size = 0

    def finish(self) -> Iterator[Frame]:
        if self.parts:
            yield self._cut(memoryview(b""))

    def _cut(self, last: memoryview) -> Frame:
        frame = Frame(self.side, self.at_ns, b"".join([*self.parts, last]), self.size + len(last))
        self.parts, self.size = [], 0
        return frame


def _parse_json(data: bytes) -> JsonValue:
    """JSON that can be encoded again: a lone surrogate becomes a question mark, what is not finite null."""
    value: JsonValue = json.loads(
        data.decode("utf-8", "replace"),
        strict=False,
        parse_constant=lambda _: None,
        parse_float=read_finite,
        parse_int=read_integer,
    )
    if b"\\u" not in data:
        return value
    clean: JsonValue = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return clean
