"""Finds the deliverable in what agents really write around it.

Fences, prose and commentary do not matter, because only objects are looked for: every outermost ``{...}``
of the text, with strings and comments understood. Where there are several, this order decides:

1. the last object that conforms to the deliverable's schema (nulls and absent fields aside),
2. else the last that has all required fields,
3. else the last that has any declared field,
4. else the last.

Notation that can be read in one way only (a trailing comma, a comment, Python's quotes and literals, a raw
line break in a string) is read, and noted. Nothing is ever completed: when the last object that starts
like the deliverable is cut off, broken, or gives a field two values, the answer is malformed, whatever stood
before it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from pydantic import JsonValue

from pytest_searchlight.deliverables import find_violations
from pytest_searchlight.extensions import Answer
from pytest_searchlight.loose_json import COMMENT, MAX_DEPTH, STRING, NotJsonError, parse_json, parse_loosely

MAX_RESTARTS: Final = 4
"""How often the search goes on after an object that never ends, so that time stays linear."""

MAX_OBJECTS: Final = 64
"""How many objects are weighed against each other, from the last one back."""

_OPENING: Final = re.compile(r"\{(?=\s*(?:[\"'}]|//|/\*))")
_OPENING_LINE: Final = re.compile(r"^" + _OPENING.pattern, re.MULTILINE)
_TOKEN: Final = re.compile(rf"{STRING}|{COMMENT}|[{{}}\[\]]", re.DOTALL)
_QUOTED_OBJECT: Final = re.compile(r"\"\s*\{\s*\\\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"", re.DOTALL)
_FIRST_KEY: Final = re.compile(rf"\{{(?:\s|{COMMENT})*[\"']([^\"'\\]*)", re.DOTALL)


class _Piece(NamedTuple):
    """An outermost ``{...}`` of the text; `within_open` when it follows an object that never ends."""

    text: str
    closed: bool
    within_open: bool


@dataclass(frozen=True)
class _Object:
    """An object that was read; `note` says what had to be overlooked."""

    value: dict[str, JsonValue]
    note: str | None = None
    within_open: bool = False


@dataclass(frozen=True)
class _Failure:
    """An object that cannot be read, and why."""

    text: str
    problem: str


def find_answer(text: str, schema: Mapping[str, JsonValue]) -> Answer:
    """The deliverable in `text`, an agent's final message; what it should look like is `schema`.

    The answer's `deliverable` is None when there is none, and `problem` says why; otherwise `note` says what
    had to be overlooked to read it, if anything. Takes time in proportion to the length of the text.
    """
    found = [_unwrap(each, schema) for each in _read_objects(text.removeprefix("\ufeff"))]
    telling = [each for each in found if _is_telling(each, schema)]
    objects = [each for each in telling if isinstance(each, _Object)]
    if not objects or isinstance(telling[-1], _Failure):
        return Answer(text=text, deliverable=None, problem=_explain_absence(text, telling or found))
    chosen = _choose(objects, schema)
    return Answer(text=text, deliverable=chosen.value, note=chosen.note)


def _explain_absence(text: str, found: list[_Object | _Failure]) -> str:
    failures = [each.problem for each in found if isinstance(each, _Failure)]
    if failures:
        return failures[-1]
    return "the final message holds no JSON object" if text.strip() else "the final message is empty"


# --- choosing ---------------------------------------------------------------------------------------------


def _is_telling(found: _Object | _Failure, schema: Mapping[str, JsonValue]) -> bool:
    """Whether a piece may be the answer: braces in prose are not, nor parts of an object that never ends."""
    if isinstance(found, _Object):
        return not found.within_open or _rank(found.value, schema) == _CONFORMS
    first = _FIRST_KEY.match(found.text)
    fields = _list_declared(schema)
    return not fields or (first is not None and first.group(1) in fields)


_CONFORMS: Final = 3


def _rank(value: dict[str, JsonValue], schema: Mapping[str, JsonValue]) -> int:
    """How much `value` looks like the deliverable, from 0 to `_CONFORMS`."""
    required = schema.get("required")
    complete = set(required if isinstance(required, list) else ()) <= set(value)
    if complete and not find_violations(value, schema).wrong:
        return _CONFORMS
    return 2 if complete else int(any(name in _list_declared(schema) for name in value))


def _choose(objects: list[_Object], schema: Mapping[str, JsonValue]) -> _Object:
    """The last of those that rank highest."""
    if len(objects) == 1:
        return objects[0]
    return max(reversed(objects), key=lambda each: _rank(each.value, schema))


def _unwrap(found: _Object | _Failure, schema: Mapping[str, JsonValue]) -> _Object | _Failure:
    """The deliverable out of an object that holds nothing else, as in ``{"answer": {...}}``."""
    if isinstance(found, _Failure) or len(found.value) != 1:
        return found
    name, inner = next(iter(found.value.items()))
    if name in _list_declared(schema) or not isinstance(inner, dict) or _rank(inner, schema) < 2:
        return found
    return replace(found, value=inner, note=f"was the only field, {name[:40]!r}, of another object")


def _list_declared(schema: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


# --- finding ----------------------------------------------------------------------------------------------


def _read_objects(text: str) -> list[_Object | _Failure]:
    """The objects of `text`, in order."""
    whole = _read_whole(text)
    if isinstance(whole, dict):
        return [_Object(whole)]
    if isinstance(whole, str):
        return _read_within_string(whole)
    return _read_pieces(text) or _read_quoted(text)


def _read_whole(text: str) -> JsonValue:
    """The value that all of `text` is, or None."""
    try:
        return parse_json(text)
    except NotJsonError:
        return None


def _read_within_string(text: str) -> list[_Object | _Failure]:
    note = "was JSON within a JSON string"
    found = _read_pieces(text)
    return [replace(each, note=note) if isinstance(each, _Object) else each for each in found]


def _read_pieces(text: str) -> list[_Object | _Failure]:
    return [_read_piece(piece) for piece in deque(_list_pieces(text), maxlen=MAX_OBJECTS)]


def _read_quoted(text: str) -> list[_Object | _Failure]:
    """The objects within the last JSON string of `text` that holds one."""
    quoted = [match.group() for match in _QUOTED_OBJECT.finditer(text)]
    inner = _read_whole(quoted[-1]) if quoted else None
    return _read_within_string(inner) if isinstance(inner, str) else []


def _list_pieces(text: str) -> Iterator[_Piece]:
    """The outermost objects; after one that never ends, the search goes on where a line starts another."""
    opening, restarts = _OPENING.search(text), 0
    while opening is not None and restarts <= MAX_RESTARTS:
        end = _find_end(text, opening.start())
        yield _Piece(text[opening.start() : end], closed=end is not None, within_open=restarts > 0)
        if end is None:
            restarts += 1
            opening = _OPENING_LINE.search(text, opening.end())
        else:
            opening = _OPENING.search(text, end)


def _find_end(text: str, start: int) -> int | None:
    """Where the object that starts at `start` ends, or None when it does not within `MAX_DEPTH` levels."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token.group()
        if mark in {"{", "["}:
            depth += 1
            if depth > MAX_DEPTH:
                return None
        elif mark in {"}", "]"}:
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _read_piece(piece: _Piece) -> _Object | _Failure:
    """The object of a piece, strictly if possible, else in the one way that loose notation can be read."""
    if not piece.closed:
        problem = f"the JSON object is cut off before its end, or nested deeper than {MAX_DEPTH} levels"
        return _Failure(piece.text[:2000], problem)
    try:
        value, note = parse_loosely(piece.text)
    except NotJsonError as error:
        return _Failure(piece.text[:2000], f"the JSON object {error}")
    return _Object(value, note, piece.within_open)
