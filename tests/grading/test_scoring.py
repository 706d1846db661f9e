from __future__ import annotations

from collections.abc import Mapping

import pytest
from grading.grading_examples import make_answer, make_registry, make_task
from pydantic import JsonValue

from pytest_searchlight.answers import find_answer
from pytest_searchlight.domain import CheckOutcome, Score, Task, Verdict
from pytest_searchlight.extensions import Answer
from pytest_searchlight.grading.scoring import score_answer

REGISTRY = make_registry()
SOURCES: list[JsonValue] = ["https://kiln.example/"]


def _score(text: str, task: Task | None = None) -> Score:
    task = task or make_task()
    return score_answer(task, find_answer(text, task.deliverable), REGISTRY)


def _outcomes(score: Score) -> list[tuple[str, str]]:
    return [(verdict.kind, verdict.outcome.value) for verdict in score.verdicts]


def test_a_right_answer_passes_every_check_the_schema_first() -> None:
    score = _score('{"version": "v2.4.1", "sources": ["https://kiln.example/"]}')
    assert _outcomes(score) == [("schema", "pass"), ("value-match", "pass"), ("citation-set", "pass")]
    assert (score.passed, score.share) == (True, 1.0)


def test_a_wrong_field_fails_and_the_share_tells_how_much_was_right() -> None:
    score = _score('{"version": "2.3.0", "sources": ["https://kiln.example/"]}')
    assert score.passed is False
    assert score.share == pytest.approx(2 / 3)


def test_a_null_where_null_is_allowed_is_missing_and_fails() -> None:
    score = _score('{"version": null, "sources": ["https://kiln.example/"]}')
    assert _outcomes(score) == [("schema", "pass"), ("value-match", "missing"), ("citation-set", "pass")]
    assert score.passed is False


def test_a_malformed_answer_is_one_wrong_verdict_with_its_reason() -> None:
    score = _score('{"version": "2.4.1", "sour')
    assert _outcomes(score) == [("schema", "wrong")]
    assert score.verdicts[0].reason.startswith("malformed: the JSON object is cut off")
    assert (score.passed, score.share) == (False, 0.0)


@pytest.mark.parametrize(
    ("deliverable", "outcome", "said"),
    [
        ({"version": "1", "sources": []}, "pass", "conforms"),
        ({"version": "1", "sources": [], "extra": 1}, "pass", "conforms"),
        ({"version": "1"}, "missing", "'sources' is a required property"),
        ({"version": "1", "sources": None}, "missing", "/sources"),
        ({"version": "1", "sources": [None]}, "missing", "/sources/0"),
        ({}, "missing", "required"),
        ({"version": 1, "sources": None}, "wrong", "/version"),
        ({"version": "1", "sources": "a"}, "wrong", "/sources"),
        ([], "wrong", "not of type 'object'"),
    ],
)
def test_the_schema_check_tells_declined_fields_from_wrong_ones(
    deliverable: JsonValue, outcome: str, said: str
) -> None:
    verdict = score_answer(make_task(), make_answer(deliverable), REGISTRY).verdicts[0]
    assert (verdict.outcome, said in verdict.reason) == (outcome, True), verdict.reason


@pytest.mark.parametrize(
    ("value", "outcome"), [(None, "missing"), ("", "missing"), ({"a": None}, "missing"), (5, "wrong")]
)
def test_nulls_below_a_choice_of_schemas_are_declined_too(value: JsonValue, outcome: str) -> None:
    branch = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"x": {"anyOf": [branch, {"type": "string", "minLength": 1}]}},
    }
    task = make_task(deliverable=schema, checks=[])
    assert score_answer(task, make_answer({"x": value}), REGISTRY).verdicts[0].outcome == outcome


def test_an_ungraded_check_leaves_the_score_open() -> None:
    class Silent:
        kind = "silent"

        def explain_params(self, params: Mapping[str, JsonValue], *, task: Task) -> None: ...

        def validate(self, params: Mapping[str, JsonValue], *, answer: Answer, task: Task) -> Verdict:
            assert (params, answer.problem, task.id) == ({}, None, "kiln-version")
            return Verdict(kind=self.kind, outcome=CheckOutcome.UNGRADED, reason="no judge")

    registry = make_registry()
    registry.validators.add("silent", Silent())
    task = make_task(checks=[{"kind": "silent"}])
    score = score_answer(task, make_answer({"version": "1", "sources": []}), registry)
    assert (score.passed, score.share) == (None, None)


ODD_VALUES: list[JsonValue] = [
    None, True, 0, -1.5, 10**30, 1e308, "", "\ud800", "\x00", "2026-13-45", "99999-99-99", "1_000",
    "\u0661\u0662", "\u00b2", "\u0130\u0307", "https://[", "https://\ud800.example/?\ud800=1",
    "http://" + "a." * 500 + "example", "https://a.example:0x50/", "0" * 400 + "1", "9" * 500,
    "a" * 50_000, "(" * 30_000, "not " * 9000, "1.1." * 9000, "a - " * 9000, "no date " * 9000,
    [], {}, [[]], [None, 1, {}], {"": None}, {"name": {"name": []}}, [{"name": "x", "col": [1]}], ["\u2028"],
]  # fmt: skip

EVERY_CHECK: list[dict[str, JsonValue]] = [
    {"kind": "value-match", "field": "/x", "equals": "a"},
    {"kind": "value-match", "field": "/x", "any_of": [1, True, "b"]},
    {"kind": "value-match", "field": "/x", "number": {"is": 5, "within": 1}},
    {"kind": "value-match", "field": "/x", "date": "2026-03-01"},
    {"kind": "value-match", "field": "/x", "version": "1.2"},
    {"kind": "value-match", "field": "/x", "url": "https://a.example/"},
    {"kind": "value-match", "field": "/x", "accept": ["a.c"], "forbid": ["not"]},
    {"kind": "member-set", "field": "/x", "required": ["a"], "decoys": ["b"], "closed": True},
    {"kind": "member-set", "field": "/x", "key": "name", "required": ["a"]},
    {"kind": "citation-set", "field": "/x", "allowed_hosts": ["a.example"], "min_hosts": 2},
    {"kind": "table-cells", "field": "/x", "row_key": "name", "closed": True,
     "rows": {"x": {"cells": {"col": {"unpublished": True}, "b": {"equals": 1}}}}},
    {"kind": "decline", "fields": ["/x"]},
]  # fmt: skip


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda each: repr(each)[:40])
def test_no_value_makes_a_validator_raise_and_verdicts_repeat(value: JsonValue) -> None:
    task = make_task(deliverable={"type": "object", "properties": {"x": {}}}, checks=EVERY_CHECK)
    shapes: list[JsonValue] = [value, [value], {"name": value, "col": value}, [{"name": "x", "col": value}]]
    for shape in shapes:
        answer = make_answer({"x": shape})
        score = score_answer(task, answer, REGISTRY)
        assert len(score.verdicts) == len(EVERY_CHECK) + 1
        assert score == score_answer(task, answer, REGISTRY)


@pytest.mark.parametrize("deliverable", [None, [], "text", 5, {"x": None}, {}], ids=repr)
def test_what_is_not_there_never_passes_but_for_a_decline(deliverable: JsonValue) -> None:
    task = make_task(deliverable={"type": "object", "properties": {"x": {}}}, checks=EVERY_CHECK)
    for check in task.checks:
        validator = REGISTRY.validators.get(check.kind)
        verdict = validator.validate(check.params, answer=make_answer(deliverable), task=task)
        assert verdict.outcome == ("pass" if check.kind == "decline" else "missing")


@pytest.mark.parametrize("value", ["\ud800", ["\ud800"], [{"name": "\ud800"}], {"a": "\ud800"}], ids=ascii)
def test_verdicts_are_ready_for_any_encoder(value: JsonValue) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "null"}}}
    task = make_task(deliverable=schema, checks=EVERY_CHECK)
    assert score_answer(task, make_answer({"x": value}), REGISTRY).model_dump_json()
