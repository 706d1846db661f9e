"""Which JSON Schemas may describe a deliverable: 2020-12 without remote references, spelt correctly.

JSON Schema ignores words that it does not know, so a misspelt ``requried`` would check nothing; and the
reference validator takes milliseconds to check a schema, which a large catalog cannot afford at collection.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.deliverables import ABSENT, resolve_pointer, shorten
from pytest_searchlight.patterns import explain_pattern

Fault = tuple[tuple[str | int, ...], str]
"""Where in the schema (keys and indexes), and ``value → rule → what to do``."""

_TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")


def find_schema_faults(schema: dict[str, JsonValue]) -> Iterator[Fault]:
    """The faults of a deliverable's schema; none when it may be used."""
    if schema.get("type") != "object":
        yield ("type",), f"{shorten(schema.get('type'))} → a deliverable is an object → write 'type: object'"
    if not isinstance(schema.get("properties"), dict) or not schema.get("properties"):
        yield ("properties",), "absent → a deliverable has at least one field → list its fields"
    yield from _check_schema(schema, (), schema)


def _check_schema(value: JsonValue, place: tuple[str | int, ...], root: JsonValue) -> Iterator[Fault]:
    if isinstance(value, bool):
        return
    if not isinstance(value, dict):
        yield place, f"{shorten(value)} → a schema is a mapping or true or false → write a mapping"
        return
    for word, argument in value.items():
        if word in _RULES:
            message = _RULES[word](argument)
            if message is not None:
                yield (*place, word), f"{shorten(argument)} → {message}"
            else:
                yield from _check_below(word, argument, place=(*place, word), root=root)
        elif not word.startswith("x-"):
            yield (*place, word), _suggest_word(word)


def _check_below(
    word: str, argument: JsonValue, *, place: tuple[str | int, ...], root: JsonValue
) -> Iterator[Fault]:
    if word == "$ref" and resolve_pointer(root, str(argument)[1:]) is ABSENT:
        yield place, f"{argument!r} → leads nowhere in this schema → correct the reference"
    elif word in _SCHEMA_WORDS:
        yield from _check_schema(argument, place, root)
    elif word in _SCHEMA_MAP_WORDS and isinstance(argument, dict):
        for name, below in argument.items():
            yield from _check_schema(below, (*place, name), root)
    elif word in _SCHEMA_LIST_WORDS and isinstance(argument, list):
        for index, below in enumerate(argument):
            yield from _check_schema(below, (*place, index), root)


def _suggest_word(word: str) -> str:
    near = difflib.get_close_matches(word, _RULES, n=1)
    advice = f"did you mean {near[0]!r}?" if near else "remove it, or start it with 'x-'"
    return f"unknown word → JSON Schema would ignore it → {advice}"


# --- what each word may say -------------------------------------------------------------------------------

Rule = Callable[[JsonValue], str | None]


def _allow_anything(_: JsonValue) -> str | None:
    return None


def _demand_text(value: JsonValue) -> str | None:
    return None if isinstance(value, str) else "must be text → put it in quotes"


def _demand_flag(value: JsonValue) -> str | None:
    return None if isinstance(value, bool) else "must be true or false → write one of them"


def _demand_number(value: JsonValue) -> str | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return None if number else "must be a number → write it without quotes"


def _demand_count(value: JsonValue) -> str | None:
    count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return None if count else "must be a whole number from 0 → correct it"


def _demand_names(value: JsonValue) -> str | None:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return None if len(set(map(str, value))) == len(value) else "names twice → name each once"
    return "must be a list of names → write a list"


def _demand_choices(value: JsonValue) -> str | None:
    return None if isinstance(value, list) and value else "must be a list of values → list at least one"


def _demand_type(value: JsonValue) -> str | None:
    names = value if isinstance(value, list) else [value]
    unknown = [name for name in names if name not in _TYPES]
    if not names or unknown or len({str(name) for name in names}) < len(names):
        return f"must be one or several of {', '.join(_TYPES)} → correct it"
    return None


def _demand_pattern(value: JsonValue) -> str | None:
    return explain_pattern(value) if isinstance(value, str) else "must be text → put it in quotes"


def _demand_local(value: JsonValue) -> str | None:
    local = isinstance(value, str) and (value == "#" or value.startswith("#/"))
    return None if local else "nothing is fetched → refer to a definition in this schema, as '#/$defs/name'"


def _demand_mapping(value: JsonValue) -> str | None:
    return None if isinstance(value, dict) else "must be a mapping → write names and schemas"


_SCHEMA_WORDS: Final = frozenset({
    "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "not", "if", "then", "else",
})  # fmt: skip
_SCHEMA_MAP_WORDS: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
_SCHEMA_LIST_WORDS: Final = frozenset({"prefixItems", "allOf", "anyOf", "oneOf"})

_RULES: Final[Mapping[str, Rule]] = {
    "type": _demand_type,
    "enum": _demand_choices,
    "required": _demand_names,
    "pattern": _demand_pattern,
    "$ref": _demand_local,
    **dict.fromkeys(_SCHEMA_WORDS | {"const", "default"}, _allow_anything),
    **dict.fromkeys(_SCHEMA_MAP_WORDS | {"dependentRequired"}, _demand_mapping),
    **dict.fromkeys(_SCHEMA_LIST_WORDS | {"examples"}, _demand_choices),
    **dict.fromkeys(("title", "description", "format", "$comment", "$schema"), _demand_text),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems"), _demand_flag),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _demand_number),
    "multipleOf": _demand_number,
    **dict.fromkeys(
        ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "minContains",
         "maxContains"),
        _demand_count,
    ),
}  # fmt: skip
