"""The JSON event lines that an agent product prints, kept as they come."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import JsonValue

from pytest_searchlight.loose_json import read_finite, read_integer

EXIT_GRACE_S: Final = 10.0
"""How long a product may live on after it said that it has finished."""

_MOST_TOKENS: Final = 10**12
"""More than any run can use: beyond it, a count is a fault of who counted."""


_MOST_USD: Final = 10**9


@dataclass(frozen=True)
class Event:
    """One event, and when it arrived, in seconds since the product was started."""

    at_s: float
    body: dict[str, Any]

    @property
    def type(self) -> str:
        """The event's own type; empty when it has none."""
        return str(self.body.get("type", ""))


@dataclass
class EventLog:
    """Every event of a run in order. Lines that are no event are kept as type ``unparsed``."""

    events: list[Event] = field(default_factory=list)
    started_at_s: float = field(default_factory=time.monotonic)

    def add(self, line: bytes) -> Event | None:
        """Keep one line; None when it is blank."""
        if not line.strip():
            return None
        event = Event(round(time.monotonic() - self.started_at_s, 3), _parse(line))
        self.events.append(event)
        return event

    def find(self, *types: str) -> Iterator[Event]:
        """The events of these types, in order."""
        return (event for event in self.events if event.type in types)

    def list_steps(self) -> tuple[dict[str, JsonValue], ...]:
        """The events as they will stand in the transcript."""
        return tuple(event.body for event in self.events)


def _parse(line: bytes) -> dict[str, Any]:
    try:
        body = json.loads(
            line, parse_constant=lambda _: None, parse_float=read_finite, parse_int=read_integer
        )
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        return body
    return {"type": "unparsed", "text": line.decode("utf-8", "replace")}


def list_dicts(value: object) -> list[dict[str, Any]]:
    """The objects in a list that came from outside; empty when it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def list_texts(value: object) -> list[str]:
    """The texts in a list that came from outside; empty when it is no list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def read_dict(value: object) -> dict[str, Any]:
    """An object that came from outside; empty when it is none."""
    return value if isinstance(value, dict) else {}


def join_text(content: object) -> str:
    """The text a model reads in a tool result: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in list_dicts(content) if "text" in block)


def read_count(value: object) -> int | None:
    """A token count that came from outside; None when it is missing or no count."""
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else None


def read_usd(value: object) -> float | None:
    """A sum of dollars that came from outside; None when it is missing or no number."""
    return float(value) if isinstance(value, int | float) and abs(value) <= _MOST_USD else None


def read_text(value: object) -> str | None:
    """A final message that came from outside: mostly text; a product may hand over the JSON object itself."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def add_counts(*counts: object) -> int | None:
    """Sum of token counts; None when one is missing or no count."""
    known = [count for value in counts if (count := read_count(value)) is not None]
    return sum(known) if counts and len(known) == len(counts) else None
