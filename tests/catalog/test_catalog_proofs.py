from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from grading.grading_examples import make_registry, make_task
from jsonschema import Draft202012Validator
from pydantic import JsonValue

from pytest_searchlight.catalog import Catalog, Defaults, export_catalog_schema
from pytest_searchlight.domain import CatalogTask
from pytest_searchlight.errors import CatalogError
from pytest_searchlight.proofs import CatalogProof, check_tasks, prove_catalog
from pytest_searchlight.validators import export_params_schemas

TODAY = date(2026, 11, 30)
REGISTRY = make_registry()
CITED: JsonValue = ["https://kiln.example/news"]


def _make_catalog(*tasks: CatalogTask) -> Catalog:
    return Catalog(
        name="demo",
        title="Demo",
        description="A demo.",
        path=Path("demo.yaml"),
        defaults=Defaults(),
        tasks=tasks,
        closed_web=None,
    )


def _prove(**fields: Any) -> CatalogProof:  # noqa: ANN401 - any field of a task
    return prove_catalog(_make_catalog(make_task(**fields)), REGISTRY, today=TODAY)


def test_a_sound_catalog_is_proved_without_notes() -> None:
    proof = _prove()
    assert proof.holds
    assert (proof.problems, proof.notes) == ((), ())


def test_each_wrong_answer_tells_which_checks_it_fails() -> None:
    assert _prove().catches == (
        "demo.yaml: task 'kiln-version', wrong_answers/0: (stale) fails value-match /version",
    )


CONTROL: dict[str, Any] = {
    "control": True,
    "checks": [{"kind": "decline", "fields": ["/version"]}],
    "reference_answer": {"version": None, "sources": []},
}


def test_a_control_is_passed_by_declining() -> None:
    assert _prove(**CONTROL).holds


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"reference_answer": {"version": "2.3.0", "sources": CITED}},
            "reference_answer: value-match /version",
        ),
        ({"reference_answer": {"version": "2.4.1"}}, "it must pass"),
        (
            {"wrong_answers": [{"why": "no v", "answer": {"version": "v2.4.1", "sources": CITED}}]},
            "wrong_answers/0: passes every check → it must fail (no v)",
        ),
        ({"checks": [{"kind": "value-macth", "field": "/version"}]}, "'value-macth' → no such check"),
        (
            {"checks": [{"kind": "value-match", "field": "/version", "equal": "1"}]},
            "checks/0 (value-match): /equal",
        ),
        ({**CONTROL, "control": False}, "a decline is no answer"),
        (
            {**CONTROL, "deliverable": {"type": "object", "properties": {"version": {}}}},
            "an empty object passes",
        ),
        (
            {"deliverable": {"type": "object", "properties": {"version": {"minLength": -1}, "sources": {}}}},
            "JSON Schema 2020-12",
        ),
    ],
)
def test_a_catalog_that_cannot_tell_right_from_wrong_is_refused(fields: dict[str, Any], said: str) -> None:
    proof = _prove(**fields)
    assert not proof.holds
    assert any(said in problem for problem in proof.problems), proof.problems


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"freshness": {"checked": "2026-09-01", "valid_until": "2026-10-01"}}, "has lapsed"),
        ({"freshness": {"checked": "2026-09-01", "valid_until": "2026-08-01"}}, "ends before it starts"),
        ({"freshness": {"checked": "2027-01-01"}}, "lies in the future"),
        ({"freshness": {"checked": "2026-01-01"}}, "is later than the check"),
        (
            {**CONTROL, "checks": [{"kind": "value-match", "field": "/version", "equals": "x"}]},
            "no decline check",
        ),
        (
            {
                "reference": {
                    "excerpt": "Kiln is out.",
                    "source": "https://a.example",
                    "event_date": "2026-03-01",
                }
            },
            "reference/excerpt: does not say what /version should be",
        ),
    ],
)
def test_what_an_author_should_look_at_is_noted(fields: dict[str, Any], said: str) -> None:
    assert any(said in note for note in _prove(**fields).notes)


def test_an_event_may_be_checked_and_an_answer_hold_to_the_day() -> None:
    reference = {"excerpt": "Kiln 2.4.1 is out.", "source": "https://a.example", "event_date": f"{TODAY}"}
    window = {"checked": f"{TODAY}", "valid_until": f"{TODAY}"}
    assert _prove(reference=reference, freshness=window).notes == ()


@pytest.mark.parametrize(
    ("expectation", "excerpt"),
    [
        ({"date": "2026-03-01"}, "It came out on 1 March 2026."),
        ({"number": {"is": 1200}}, "At most 1,200 frames."),
        ({"equals": "Hafen"}, "The office is in HAFEN."),
        ({"any_of": ["a", "pier"]}, "At the pier"),
        ({"accept": ["anything"]}, "Not looked for."),
    ],
)
def test_an_excerpt_may_say_a_value_in_its_own_way(expectation: dict[str, Any], excerpt: str) -> None:
    proof = _prove(
        checks=[{"kind": "value-match", "field": "/version", **expectation}],
        reference={"excerpt": excerpt, "source": "https://a.example", "event_date": "2026-03-01"},
    )
    assert not [note for note in proof.notes if "excerpt" in note]


def test_checks_with_wrong_parameters_are_refused_before_any_run() -> None:
    check_tasks(_make_catalog(make_task()), REGISTRY)
    broken = _make_catalog(
        make_task(checks=[{"kind": "citation-set", "field": "/sources", "min_count": "x"}])
    )
    with pytest.raises(CatalogError, match=r"checks/0 \(citation-set\): /min_count: x"):
        check_tasks(broken, REGISTRY)


# --- schema for editors -----------------------------------------------------------------------------------


def _validate_written(task: dict[str, Any]) -> bool:
    schema = export_catalog_schema(export_params_schemas(REGISTRY))
    Draft202012Validator.check_schema(schema)
    written = {"catalog": "demo", "title": "Demo", "description": "A demo.", "tasks": [task]}
    return Draft202012Validator(schema).is_valid(written)


def test_editors_get_a_schema_that_knows_every_check() -> None:
    task = make_task().model_dump(mode="json", exclude_none=True)
    assert _validate_written(task)
    for wrong in ({"kind": "value-macth"}, {"kind": "value-match"}, {"kind": "decline", "field": "/version"}):
        assert not _validate_written({**task, "checks": [wrong]})


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "value-match", "field": "/x", "number": {"is": 1, "within": 0.1}},
        {"kind": "member-set", "field": "/x", "required": ["a", {"name": "b", "aliases": ["c"]}]},
        {
            "kind": "table-cells",
            "field": "/x",
            "row_key": "n",
            "rows": {"a": {"cells": {"b": {"unpublished": True}}}},
        },
        {"kind": "schema"},
    ],
)
def test_the_schema_for_editors_accepts_each_kind_of_check(check: dict[str, Any]) -> None:
    task = make_task().model_dump(mode="json", exclude_none=True)
    assert _validate_written({**task, "checks": [check]})
