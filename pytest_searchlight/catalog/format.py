"""What may be written in a catalog file, and its JSON Schema for editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue, PositiveInt

from pytest_searchlight.domain import Budgets, CatalogTask, Record, Slug, Text


class Defaults(Record):
    """What a catalog sets for all its tasks; options of the session win over it.

    With `needs_calibration` only tasks that a calibration admitted for the agent and model are run. `judge`
    reads the briefs of tasks with a rubric; with `allow_http` pages cited over plain http are captured that
    way, without it in their https form, where there is one.
    """

    agents: tuple[Slug, ...] = ()
    setups: tuple[Slug, ...] = ()
    repetitions: PositiveInt = 1
    needs_calibration: bool = False
    judge: Slug = "lexical"
    allow_http: bool = False
    budgets: Budgets = Budgets()


class WrittenCatalog(Record):
    """A catalog as it is written."""

    catalog: Slug
    title: Text
    description: Text
    defaults: Defaults = Defaults()
    tasks: tuple[CatalogTask, ...] = Field(min_length=1)


def export_catalog_schema(validators: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """JSON Schema of a catalog file, for editors.

    `validators` maps each check's kind to the JSON Schema of its parameters.
    """
    schema: dict[str, Any] = WrittenCatalog.model_json_schema()
    definitions: dict[str, Any] = schema["$defs"]
    branches = []
    for kind, params in validators.items():
        own: dict[str, Any] = dict(params)
        definitions.update(own.pop("$defs", {}))
        own["properties"] = {"kind": {"const": kind}, **own.get("properties", {})}
        own["required"] = ["kind", *own.get("required", [])]
        branches.append(own)
    if branches:
        definitions["Check"] = {"title": "Check", "oneOf": branches}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
