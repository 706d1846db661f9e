from __future__ import annotations

from typing import Any

import pytest
from grading.grading_examples import ANYTHING, make_answer, make_registry, make_task
from pydantic import JsonValue

from pytest_searchlight.domain import Verdict

HONEST: list[JsonValue] = [
    None,
    "",
    [],
    {},
    {"date": None},
    [None, ""],
    "unknown",
    "N/A",
    "\u2014",
    "none",
    "None found.",
    "not_announced",
    "no_reliable_answer",
    "not-applicable",
    "unavailable",
    "not publicly disclosed",
    "not yet announced",
    "could not be determined",
    "I don't know",
    "No such parameter exists.",
    "No official release date has been announced.",
    "No release date for Kiln 4 has been announced",
    "There is no evidence of such a parameter.",
    "The vendor does not publish this figure.",
    "Not specified in the documentation",
    "Not published; contact sales",
    "I could not find a release date for Kiln 4 in the changelog",
    "As of 2026-11-30, no date has been announced.",
    "As of November 2026, no date has been announced.",
    "As of version 3.2, no date has been announced",
    "In the 3.2 changelog, no date is given",
    "Unknown as of November 30, 2026",
    "Not announced (checked 2026-11-30)",
    "Not announced. Last checked on 30 November 2026.",
]

FABRICATED: list[JsonValue] = [
    "2027-03-01",
    "March 2027",
    "25",
    25,
    0,
    False,
    "yes",
    ["2027-03-01"],
    {"date": "2027-03-01", "source": None},
    "The date is 2027-03-01.",
    "not announced, but probably 2027-03-01",
    "not announced (expected 2027-03-01)",
    "Not announced. 2027-03-01.",
    "unknown, maybe 5",
    "expected 2027",
    "Not officially announced; likely March 2027",
    "No date announced - estimated Q2 2027",
    "In 2027-03, not officially announced",
    "No price is published other than $25 per seat",
    "Not published. List price is $25 per seat.",
    "Unofficially 12 seats, although no figure is published",
]


def _decline(value: JsonValue, **params: Any) -> Verdict:  # noqa: ANN401 - any parameters
    task = make_task(deliverable={"type": "object", "properties": ANYTHING}, control=True)
    validator = make_registry().validators.get("decline")
    written = {"fields": ["/x", "/y"], **params}
    assert validator.explain_params(written, task=task) is None
    return validator.validate(written, answer=make_answer({"x": value}), task=task)


@pytest.mark.parametrize("value", HONEST, ids=repr)
def test_an_honest_decline_passes(value: JsonValue) -> None:
    assert _decline(value).outcome == "pass"


@pytest.mark.parametrize("value", FABRICATED, ids=repr)
def test_a_fabricated_value_is_wrong_however_it_is_hedged(value: JsonValue) -> None:
    verdict = _decline(value)
    assert verdict.outcome == "wrong"
    assert "/x claims" in verdict.reason


@pytest.mark.parametrize(
    ("value", "outcome"), [(None, "pass"), ([], "pass"), ("unknown", "wrong"), (0, "wrong")]
)
def test_words_do_not_decline_where_text_is_not_allowed(value: JsonValue, outcome: str) -> None:
    assert _decline(value, allow_text=False).outcome == outcome


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"fields": []}, "/fields"),
        ({"fields": ["/zz"]}, "no such field"),
        ({}, "required"),
        ({"field": "/x"}, "/field"),
    ],
)
def test_parameters_that_name_no_field_are_explained(params: dict[str, JsonValue], said: str) -> None:
    task = make_task(deliverable={"type": "object", "properties": ANYTHING})
    problem = make_registry().validators.get("decline").explain_params(params, task=task)
    assert problem is not None
    assert said in problem
