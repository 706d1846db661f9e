"""What a deliverable must look like: its JSON Schema, pointers into it, and what breaks it.

A task's deliverable is an object described in JSON Schema 2020-12. References stay inside the document, so
nothing is ever fetched, and ``format`` is a hint to the agent rather than a rule: dates are understood by
the validators in every form that has one reading.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import JsonValue

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SHOWN_VIOLATIONS: Final = 8
"""Violations of one sort that are told; the rest of a hopeless answer adds nothing."""

_EMPTY_SIZE_RULES: Final = frozenset({"minItems", "minLength", "minProperties"})
_COMBINATIONS: Final = ("anyOf", "oneOf", "allOf")


class Violations(NamedTuple):
    """What keeps a value from conforming: `wrong` things apart from `missing` (declined) ones."""

    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class _Absent:
    """The type of `ABSENT`, which is not null: an agent that writes null has at least answered."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


# --- JSON pointers (RFC 6901) -----------------------------------------------------------------------------


def split_pointer(pointer: str) -> tuple[str, ...]:
    """The unescaped steps of an RFC 6901 pointer. Raises ValueError when it is not one."""
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON pointer; it starts with '/', as in '/{pointer}'")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def join_pointer(steps: Iterable[str | int]) -> str:
    """The RFC 6901 pointer made of `steps`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def resolve_pointer(value: JsonValue, pointer: str) -> JsonValue | _Absent:
    """The value that `pointer` leads to, or `ABSENT`."""
    here: JsonValue = value
    for step in split_pointer(pointer):
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isdecimal() and step.isascii() and int(step[:9]) < len(here):
            here = here[int(step[:9])]
        else:
            return ABSENT
    return here


def resolve_field(deliverable: JsonValue, pointer: str) -> JsonValue:
    """The value of a field; null when the field is absent, as both decline it."""
    value = resolve_pointer(deliverable, pointer)
    return None if isinstance(value, _Absent) else value


def find_subschema(schema: Mapping[str, JsonValue], pointer: str) -> dict[str, JsonValue] | None:
    """The schema of the field that `pointer` leads to, or None when the schema declares no such field."""
    candidates = [dict(schema)]
    for step in split_pointer(pointer):
        candidates = [
            below for here in candidates for part in _expand(here, schema) for below in _descend(part, step)
        ]
    return candidates[0] if candidates else None


def list_fields(schema: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Pointers of the fields declared on the top level of `schema`, in order."""
    properties = schema.get("properties")
    return tuple(join_pointer((name,)) for name in properties) if isinstance(properties, dict) else ()


def list_types(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue]) -> frozenset[str]:
    """The JSON types that `schema` names, over its references and combinations; empty when it names none."""
    types: set[str] = set()
    for part in _expand(dict(schema), root):
        named = part.get("type", [])
        types.update(str(name) for name in (named if isinstance(named, list) else [named]))
    return frozenset(types)


def _expand(schema: dict[str, JsonValue], root: Mapping[str, JsonValue]) -> list[dict[str, JsonValue]]:
    """The schema, what it refers to, and what it combines; each once, so that cycles end."""
    found: list[dict[str, JsonValue]] = []
    waiting: list[JsonValue] = [schema]
    while waiting:
        part = waiting.pop(0)
        if not isinstance(part, dict) or part in found:
            continue
        found.append(part)
        reference = part.get("$ref")
        if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
            target = resolve_pointer(dict(root), reference[1:])
            waiting.append(None if isinstance(target, _Absent) else target)
        for word in _COMBINATIONS:
            branches = part.get(word)
            waiting.extend(branches if isinstance(branches, list) else ())
    return found


def _descend(schema: dict[str, JsonValue], step: str) -> Iterator[dict[str, JsonValue]]:
    """The schema that one step below `schema` is held to, if it declares one."""
    properties = schema.get("properties")
    declared = properties.get(step) if isinstance(properties, dict) else None
    open_ended = schema.get("items" if step.isdecimal() else "additionalProperties")
    below = declared if declared is not None else open_ended
    if isinstance(below, dict):
        yield below


# --- conformity -------------------------------------------------------------------------------------------


def compile_schema(schema: Mapping[str, JsonValue]) -> Draft202012Validator:
    """The validator for `schema`; equal schemas share one."""
    return _compile_text(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=512)
def _compile_text(text: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(text))


def find_violations(value: JsonValue, schema: Mapping[str, JsonValue]) -> Violations:
    """What keeps `value` from conforming to `schema`; a null or absent field is missing, not wrong.

    Each violation reads ``/field: what is wrong``.
    """
    wrong: list[str] = []
    missing: list[str] = []
    try:
        for error in compile_schema(schema).iter_errors(value):
            target = missing if _is_declined(error) else wrong
            if len(target) < SHOWN_VIOLATIONS:
                target.append(_describe(error))
    except RecursionError:
        wrong.append("/: nested more deeply than can be checked")
    return Violations(wrong=tuple(wrong), missing=tuple(missing))


def _is_declined(error: ValidationError) -> bool:
    """Whether the error comes from something left out rather than from something wrong."""
    if error.instance is None or error.validator == "required":
        return True
    if error.validator in _EMPTY_SIZE_RULES:
        return not error.instance
    if error.validator in {"anyOf", "oneOf"} and error.context:
        branches: dict[object, list[bool]] = {}
        for below in error.context:
            branches.setdefault(below.schema_path[0], []).append(_is_declined(below))
        return any(all(declined) for declined in branches.values())
    return False


def _describe(error: ValidationError) -> str:
    where = join_pointer(list(error.absolute_path)) or "/"
    return f"{where}: {shorten(error.message)}"


def shorten(value: object, *, limit: int = 160) -> str:
    """`value` as text for a message: one line that any encoder takes, cut in the middle beyond `limit`."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    text = " ".join(text[: limit * 20].encode("utf-8", "replace").decode().split())
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]} ... {text[-half:]}"
