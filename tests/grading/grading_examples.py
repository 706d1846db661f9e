"""Tasks and answers that the tests of grading and of catalogs share."""

from __future__ import annotations

import json
from typing import Any

from pydantic import JsonValue

from pytest_searchlight.domain import CatalogTask, Verdict
from pytest_searchlight.extensions import Answer, Registry
from pytest_searchlight.validators import register_validators

ANYTHING: dict[str, JsonValue] = {"x": {}, "y": {}, "list": {"type": "array", "items": {}}}


def make_registry() -> Registry:
    """A registry that knows the built-in validators."""
    registry = Registry()
    register_validators(registry)
    return registry


def make_task(**fields: Any) -> CatalogTask:  # noqa: ANN401 - any field of a task
    """A sound task about one version, with `fields` in place of its own."""
    written: dict[str, Any] = {
        "id": "kiln-version",
        "family": "typed-facts",
        "prompt": "Which version of Kiln is the newest?",
        "deliverable": {
            "type": "object",
            "properties": {
                "version": {"type": ["string", "null"]},
                "sources": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["version", "sources"],
        },
        "checks": [
            {"kind": "value-match", "field": "/version", "version": "2.4.1"},
            {"kind": "citation-set", "field": "/sources", "required_hosts": ["kiln.example"]},
        ],
        "reference": {
            "excerpt": "Kiln 2.4.1 is out.",
            "source": "https://kiln.example/news",
            "event_date": "2026-03-01",
        },
        "reference_answer": {"version": "2.4.1", "sources": ["https://kiln.example/news"]},
        "wrong_answers": [
            {"why": "stale", "answer": {"version": "2.3.0", "sources": ["https://kiln.example/news"]}}
        ],
        "freshness": {"checked": "2026-11-30"},
    }
    return CatalogTask.model_validate({**written, **fields})


def make_answer(deliverable: JsonValue) -> Answer:
    """An answer that was found."""
    return Answer(text=json.dumps(deliverable), deliverable=deliverable)


def check_value(value: JsonValue, kind: str, **params: Any) -> Verdict:  # noqa: ANN401 - any parameters
    """The verdict of the built-in validator `kind` on a deliverable whose field ``/x`` is `value`."""
    task = make_task(deliverable={"type": "object", "properties": ANYTHING})
    validator = make_registry().validators.get(kind)
    written = {"field": "/x", **params}
    assert validator.explain_params(written, task=task) is None
    return validator.validate(written, answer=make_answer({"x": value}), task=task)
