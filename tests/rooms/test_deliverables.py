"""Pointers into a deliverable, the schema of what they lead to, and what keeps an answer from conforming."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from pytest_searchlight.deliverables import (
    ABSENT,
    SHOWN_VIOLATIONS,
    find_subschema,
    find_violations,
    join_pointer,
    list_types,
    resolve_pointer,
    shorten,
    split_pointer,
)

PERSON: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "boss": {"$ref": "#/$defs/person"},
        "self": {"$ref": "#"},
        "grade": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/words"}, {"type": ["null", "number"]}]},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"cell": {"const": 1}}}},
        "notes": {"type": "object", "additionalProperties": {"type": "boolean"}},
        "a/b~c": {"type": "null"},
    },
    "$defs": {
        "person": {"properties": {"age": {"type": "integer"}, "boss": {"$ref": "#/$defs/person"}}},
        "words": {"type": "string"},
        "loop": {"$ref": "#/$defs/loop"},
    },
}


@pytest.mark.parametrize("steps", [(), ("a",), ("a/b~c", "~1"), ("", "0")])
def test_a_pointer_is_put_together_and_taken_apart_again(steps: tuple[str, ...]) -> None:
    assert split_pointer(join_pointer(steps)) == steps


def test_what_does_not_start_with_a_slash_is_no_pointer() -> None:
    with pytest.raises(ValueError, match="'name' is no JSON pointer; it starts with '/', as in '/name'"):
        split_pointer("name")


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/list/1", 5),
        ("/list/2", ABSENT),
        ("/list/-1", ABSENT),
        ("/list/\u0661", ABSENT),
        ("/none", None),
        ("/none/below", ABSENT),
        ("/a~1b", "slash"),
    ],
)
def test_a_pointer_leads_to_a_value_or_nowhere(pointer: str, value: JsonValue) -> None:
    assert resolve_pointer({"list": [3, 5], "none": None, "a/b": "slash"}, pointer) == value


@pytest.mark.parametrize(
    ("pointer", "schema"),
    [
        ("/name", {"type": "string"}),
        ("/boss/age", {"type": "integer"}),
        ("/boss/boss/boss/age", {"type": "integer"}),
        ("/self/self/name", {"type": "string"}),
        ("/rows/7/cell", {"const": 1}),
        ("/notes/anything", {"type": "boolean"}),
        ("/a~1b~0c", {"type": "null"}),
        ("/boss/salary", None),
        ("/name/first", None),
    ],
)
def test_the_schema_of_a_field_is_found_through_references_lists_and_open_objects(
    pointer: str, schema: JsonValue
) -> None:
    assert find_subschema(PERSON, pointer) == schema


def test_types_are_named_over_combinations_and_references_that_may_lead_in_circles() -> None:
    grade = find_subschema(PERSON, "/grade")
    assert grade is not None
    assert list_types(grade, PERSON) == {"integer", "string", "null", "number"}
    assert list_types({"$ref": "#/$defs/loop"}, PERSON) == frozenset()
    assert list_types({"$ref": "#/$defs/nowhere"}, PERSON) == frozenset()


def test_what_is_left_out_is_told_from_what_is_wrong() -> None:
    schema: dict[str, JsonValue] = {
        "required": ["name", "sources"],
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "sources": {"minItems": 1}},
    }
    found = find_violations({"name": None, "age": "old", "sources": []}, schema)
    assert [each.split(":")[0] for each in found.wrong] == ["/age"]
    assert [each.split(":")[0] for each in found.missing] == ["/name", "/sources"]
    assert find_violations({}, schema).wrong == ()


def test_of_many_violations_the_first_are_told() -> None:
    values: JsonValue = ["x"] * (SHOWN_VIOLATIONS + 5)
    wrong = find_violations(values, {"items": {"type": "integer"}}).wrong
    assert [each.split(":")[0] for each in wrong] == [f"/{index}" for index in range(SHOWN_VIOLATIONS)]


def test_a_long_value_is_shown_by_its_ends() -> None:
    assert shorten("short") == "short"
    assert shorten({"a": [1, None]}) == '{"a": [1, null]}'
    assert shorten("a" * 100 + "b" * 100, limit=20) == f"{'a' * 10} ... {'b' * 10}"
    assert shorten("one\n two\ud83d") == "one two?"
