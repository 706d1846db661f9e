from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import JsonValue

from pytest_searchlight.catalog.schema_rules import find_schema_faults

EVERY_WORD: dict[str, JsonValue] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {"name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 1, "maxLength": 9}},
    "title": "A brief",
    "description": "All words that a deliverable may use.",
    "type": "object",
    "required": ["decision"],
    "additionalProperties": False,
    "minProperties": 1,
    "dependentRequired": {"decision": ["claims"]},
    "x-order": ["decision"],
    "properties": {
        "decision": {"enum": ["stay", "leave", None], "default": None, "examples": ["stay"]},
        "claims": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"$ref": "#/$defs/name"}},
        "price": {"type": ["number", "null"], "minimum": 0, "exclusiveMaximum": 9.5, "multipleOf": 0.5},
        "date": {"anyOf": [{"type": "string", "format": "date"}, {"const": "unknown"}], "deprecated": True},
        "pair": {"prefixItems": [{"type": "string"}, True], "items": False, "contains": {}, "minContains": 0},
        "rest": {
            "not": {"type": "null"},
            "if": {},
            "then": {},
            "else": {},
            "propertyNames": {"maxLength": 3},
        },
    },
}

WRONG: list[tuple[JsonValue, str]] = [
    ({"type": "text"}, "must be one or several of"),
    ({"type": ["string", "string"]}, "must be one or several of"),
    ({"enum": "stay"}, "must be a list of values"),
    ({"required": ["a", "a"]}, "names twice"),
    ({"required": "a"}, "must be a list of names"),
    ({"minLength": -1}, "must be a whole number"),
    ({"maximum": "3"}, "must be a number"),
    ({"uniqueItems": "yes"}, "must be true or false"),
    ({"pattern": "("}, "does not compile"),
    ({"anyOf": []}, "must be a list of values"),
    ({"anyOf": [5]}, "a schema is a mapping"),
    ({"items": "string"}, "a schema is a mapping"),
    ({"properties": ["a"]}, "must be a mapping"),
    ({"description": 5}, "must be text"),
]
"""Schemas of one field that are wrong by the specification, too."""


def _list_faults(schema: JsonValue) -> list[str]:
    faults = find_schema_faults({"type": "object", "properties": {"x": schema}})
    return [f"/{'/'.join(map(str, place))}: {message}" for place, message in faults]


def test_every_word_may_be_used() -> None:
    assert list(find_schema_faults(EVERY_WORD)) == []
    Draft202012Validator.check_schema(EVERY_WORD)


@pytest.mark.parametrize(("schema", "said"), WRONG, ids=str)
def test_what_the_specification_refuses_is_refused(schema: JsonValue, said: str) -> None:
    faults = _list_faults(schema)
    assert len(faults) == 1
    assert faults[0].startswith("/properties/x/")
    assert said in faults[0]
    if said != "does not compile":
        with pytest.raises(SchemaError):
            Draft202012Validator.check_schema({"properties": {"x": schema}})


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"requird": ["a"]}, "did you mean 'required'?"),
        ({"zzz": 1}, "start it with 'x-'"),
        ({"$ref": "https://a.example/schema"}, "nothing is fetched"),
        ({"$ref": "#/properties/y"}, "leads nowhere"),
        ({"pattern": ".*"}, "matches the empty string"),
    ],
)
def test_what_the_specification_would_ignore_or_fetch_is_refused_too(schema: JsonValue, said: str) -> None:
    assert [said in fault for fault in _list_faults(schema)] == [True]


def test_a_deliverable_is_an_object_with_fields() -> None:
    said = [message for _, message in find_schema_faults({"type": "array"})]
    assert "a deliverable is an object" in said[0]
    assert "at least one field" in said[1]
