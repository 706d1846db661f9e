"""What ships is proven: right answers pass in whatever words, wrong ones fail, briefs wait for a judge."""

from __future__ import annotations

import copy
import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import JsonValue

from pytest_searchlight.answers import find_answer
from pytest_searchlight.catalog import Catalog, find_catalogs, read_catalog
from pytest_searchlight.deliverables import split_pointer
from pytest_searchlight.domain import CheckOutcome, Record, Score, Task
from pytest_searchlight.extensions import Registry
from pytest_searchlight.grading.scoring import score_answer
from pytest_searchlight.proofs import CatalogProof, prove_catalog
from pytest_searchlight.validators import register_validators
from pytest_searchlight.yaml_source import read_yaml

TODAY = date(2026, 11, 30)
CATALOGS = Path(__file__).parents[2] / "catalogs"
PATHS = find_catalogs(CATALOGS)


class Phrasing(Record):
    """The reference answer with other values in some fields, by JSON pointer."""

    why: str
    set: dict[str, JsonValue]


class TaskPhrasings(Record):
    """Phrasings of one task's answer that must pass, and those that must fail."""

    honest: tuple[Phrasing, ...]
    dishonest: tuple[Phrasing, ...]


@cache
def read_shipped(path: Path) -> Catalog:
    return read_catalog(path)


def make_registry() -> Registry:
    registry = Registry()
    register_validators(registry)
    return registry


REGISTRY = make_registry()


@cache
def prove_shipped(path: Path) -> CatalogProof:
    return prove_catalog(read_shipped(path), REGISTRY, today=TODAY)


TASKS = {f"{path.parent.name}/{task.id}": task for path in PATHS for task in read_shipped(path).tasks}


def read_phrasings() -> dict[str, TaskPhrasings]:
    source = read_yaml(Path(__file__).with_name("phrasings.yaml").read_text(encoding="utf-8"))
    assert not source.problems
    assert isinstance(source.value, dict)
    return {name: TaskPhrasings.model_validate(each) for name, each in source.value.items()}


PHRASINGS = read_phrasings()


def list_cases(kind: Literal["honest", "dishonest"]) -> list[object]:
    return [
        pytest.param(name, phrasing, id=f"{name}: {phrasing.why}")
        for name, phrasings in PHRASINGS.items()
        for phrasing in getattr(phrasings, kind)
    ]


def put(value: JsonValue, pointer: str, new: JsonValue) -> None:
    *parents, last = split_pointer(pointer)
    here: Any = value
    for step in parents:
        here = here[int(step) if isinstance(here, list) else step]
    here[int(last) if isinstance(here, list) else last] = new


def score(task: Task, answer: JsonValue) -> Score:
    text = json.dumps(answer, ensure_ascii=False)
    return score_answer(task, find_answer(text, task.deliverable), REGISTRY)


def score_phrasing(task: Task, phrasing: Phrasing) -> Score:
    answer = copy.deepcopy(task.reference_answer)
    for pointer, new in phrasing.set.items():
        put(answer, pointer, new)
    return score(task, answer)


def list_faults(found: Score) -> list[str]:
    bad = {CheckOutcome.WRONG, CheckOutcome.MISSING}
    return [f"{each.kind} {each.target}: {each.reason}" for each in found.verdicts if each.outcome in bad]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_a_shipped_catalog_is_proven(path: Path) -> None:
    assert prove_shipped(path).problems == ()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_an_excerpt_says_what_the_ceiling_has_to_answer(path: Path) -> None:
    assert [note for note in prove_shipped(path).notes if "reference/excerpt" in note] == []


@pytest.mark.parametrize("name", TASKS)
def test_a_wrong_answer_fails_by_a_check_and_not_for_want_of_a_judge(name: str) -> None:
    task = TASKS[name]
    assert [score(task, wrong.answer).passed for wrong in task.wrong_answers] == [False] * len(
        task.wrong_answers
    )


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.rubric])
def test_a_brief_does_not_pass_without_a_judge(name: str) -> None:
    assert score(TASKS[name], TASKS[name].reference_answer).passed is None


@pytest.mark.parametrize(("name", "phrasing"), list_cases("honest"))
def test_an_honest_phrasing_passes(name: str, phrasing: Phrasing) -> None:
    assert list_faults(score_phrasing(TASKS[name], phrasing)) == []


@pytest.mark.parametrize(("name", "phrasing"), list_cases("dishonest"))
def test_a_dishonest_phrasing_fails(name: str, phrasing: Phrasing) -> None:
    assert score_phrasing(TASKS[name], phrasing).passed is False


def test_every_task_of_the_open_web_has_phrasings() -> None:
    assert set(PHRASINGS) == {name for name in TASKS if not name.startswith("quickstart/")}


def test_only_the_lapsed_prices_are_out_of_date() -> None:
    lapsed = [
        name
        for name, task in TASKS.items()
        if task.freshness and task.freshness.valid_until and task.freshness.valid_until < TODAY
    ]
    assert lapsed == ["production/cloud-egress-pricing"]
