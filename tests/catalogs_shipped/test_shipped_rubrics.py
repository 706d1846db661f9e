"""The judged tasks that ship: their reference briefs pass, and none makes up for one side by another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from pytest_searchlight.catalog import find_catalogs, read_catalog
from pytest_searchlight.domain import CheckOutcome, Rubric, Task, Verdict
from pytest_searchlight.domain.judging import ClaimLabel, FactLabel, Judgement, JudgePayload
from pytest_searchlight.judges import Assessor, BlindingMarks, list_cited_urls
from pytest_searchlight.sources import CapturedSource, CaptureStatus
from pytest_searchlight.sources.records import hash_text

CATALOGS = Path(__file__).parents[2] / "catalogs"
JUDGED = [
    task for path in find_catalogs(CATALOGS) for task in read_catalog(path).tasks if task.rubric is not None
]


@dataclass(frozen=True)
class WithholdingJudge:
    """Finds every claim supported and every fact covered, but those whose numbers it withholds."""

    withheld: frozenset[int] = frozenset()
    name: ClassVar[str] = "withholding"
    model_name: ClassVar[None] = None

    def explain_unavailable(self) -> str | None:
        return None

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        assert record.is_dir()
        return Judgement(
            judge=self.name,
            model_name=None,
            facts=tuple(
                FactLabel(number=fact.number, covered=fact.number not in self.withheld, reason="told so")
                for fact in payload.facts
            ),
            claims=tuple(
                ClaimLabel(number=claim.number, supported=True, reason="told so") for claim in payload.claims
            ),
        )


def judge_reference(task: Task, record: Path, *, withheld: frozenset[int] = frozenset()) -> Verdict:
    assert task.reference is not None
    text = task.reference.excerpt
    sources = {
        url: CapturedSource(
            url=url,
            final_url=url,
            status=CaptureStatus.CAPTURED,
            text=text,
            text_sha256=hash_text(text),
            fetched_at="",
        )
        for url in list_cited_urls(task.reference_answer)
    }
    assessor = Assessor(judge=WithholdingJudge(withheld), marks=BlindingMarks())
    return assessor.assess(task.reference_answer, task=task, sources=sources, record=record).verdict


@pytest.mark.parametrize("task", JUDGED, ids=lambda task: task.id)
def test_a_reference_brief_passes_when_all_its_facts_are_seen(task: Task, tmp_path: Path) -> None:
    assert judge_reference(task, tmp_path).outcome is CheckOutcome.PASS


def read_rubric(task_id: str) -> tuple[Task, Rubric]:
    (task,) = (task for task in JUDGED if task.id == task_id)
    assert task.rubric is not None
    return task, task.rubric


@pytest.mark.parametrize("dimension", ["criteria", "columns", "exclusions", "uncertainty"])
def test_the_shortlist_fails_when_one_dimension_is_missing_however_good_the_rest_is(
    dimension: str, tmp_path: Path
) -> None:
    task, rubric = read_rubric("dependency-scanner-shortlist")
    numbered = enumerate(rubric.key_facts, start=1)
    withheld = frozenset(number for number, fact in numbered if fact.dimension == dimension)
    verdict = judge_reference(task, tmp_path, withheld=withheld)
    assert verdict.outcome is CheckOutcome.WRONG
    assert f"recall of {dimension} 0.00, below {rubric.dimensions[dimension]:g}" in verdict.reason


def test_every_fact_of_the_shortlist_belongs_to_a_dimension_with_a_minimum() -> None:
    _, rubric = read_rubric("dependency-scanner-shortlist")
    assert {fact.dimension for fact in rubric.key_facts} == set(rubric.dimensions)
