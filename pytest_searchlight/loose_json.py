"""JSON read so that every reader would read it alike, and the loose notation that leaves one reading."""

from __future__ import annotations

import json
import math
import re
from typing import Final

from pydantic import JsonValue

MAX_DEPTH: Final = 200
"""Levels of nesting that are read; whatever handles the value stays within Python's recursion limit."""

STRING: Final = r"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"?|'[^'\\]*+(?:\\.[^'\\]*+)*+'?"
"""Pattern of a string in JSON's or Python's quotes; one that never ends goes on to the end of the text."""

COMMENT: Final = r"//[^\n]*|/\*(?:.*?\*/|.*)"

_LOOSE: Final = re.compile(rf"(?P<string>{STRING})|(?P<comment>{COMMENT})|\b(?:True|False|None)\b", re.DOTALL)
_CLOSING_COMMA: Final = re.compile(rf"(?P<string>{STRING})|,(?=\s*[}}\]])", re.DOTALL)
_JSON_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


class NotJsonError(ValueError):
    """A text that is no JSON; the message completes "the JSON object ..."."""


def parse_loosely(text: str) -> tuple[dict[str, JsonValue], str | None]:
    """The object that `text`, a closed ``{...}``, is, and a note when its notation is not strict."""
    try:
        return _parse_object(text), None
    except NotJsonError as error:
        try:
            return _parse_object(_tighten(text), raw_breaks=True), "its notation is not strict JSON"
        except NotJsonError:
            raise error from None


def _tighten(text: str) -> str:
    """`text` in strict notation as far as that changes no value."""
    return _CLOSING_COMMA.sub(lambda found: found["string"] or "", _LOOSE.sub(_tighten_token, text))


def _tighten_token(found: re.Match[str]) -> str:
    token = found.group()
    if found["comment"]:
        return " "
    if not token.startswith("'"):
        return _JSON_WORDS.get(token, token)
    inner = re.sub(r"\\(.)|\"", _requote, token[1:-1], flags=re.DOTALL)
    return f'"{inner}"'


def _requote(found: re.Match[str]) -> str:
    if found.group() == '"':
        return '\\"'
    return "'" if found.group(1) == "'" else found.group()


def _parse_object(text: str, *, raw_breaks: bool = False) -> dict[str, JsonValue]:
    value = parse_json(text, raw_breaks=raw_breaks)
    if not isinstance(value, dict):
        raise NotJsonError("is not an object")
    return value


def parse_json(text: str, *, raw_breaks: bool = False) -> JsonValue:
    """Parse JSON that any reader reads alike: no NaN, no infinity, no key with two values.

    `raw_breaks` allows line breaks and tabs within strings. Raises NotJsonError.
    """
    try:
        value: JsonValue = json.loads(
            text,
            strict=not raw_breaks,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
            object_pairs_hook=_read_pairs,
        )
    except NotJsonError:
        raise
    except RecursionError:
        raise NotJsonError(f"is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise NotJsonError(f"is not valid JSON: {error}") from None
    if _is_too_deep(value):
        raise NotJsonError(f"is nested deeper than {MAX_DEPTH} levels")
    return value


def read_finite(digits: str) -> float | None:
    """A number of a JSON text; what overflows is as unknown as NaN, which is no JSON either."""
    number = float(digits)
    return number if math.isfinite(number) else None


def read_integer(digits: str) -> int | None:
    """A whole number of a JSON text; one of more digits than Python reads is unknown too."""
    try:
        return int(digits)
    except ValueError:
        return None


def _refuse_constant(name: str) -> JsonValue:
    raise NotJsonError(f"holds {name}, which JSON has no number for")


def _read_float(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise NotJsonError(f"holds {text[:40]}, which is too large a number")
    return number


def _read_pairs(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) < len(pairs):
        for name, each in pairs:
            if value[name] != each:
                raise NotJsonError(f"gives field {name[:80]!r} two values")
    return value


def _is_too_deep(value: JsonValue) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        nested = [part for part in level if isinstance(part, dict | list)]
        if not nested:
            return False
        level = [below for part in nested for below in (part.values() if isinstance(part, dict) else part)]
    return True
