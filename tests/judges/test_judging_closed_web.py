"""A brief on the closed web, from its citations to its verdict, and the same again from what was kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from judge_stage import make_claim, make_deliverable
from pydantic import JsonValue

from pytest_searchlight.closed_web.pages import ClosedWeb
from pytest_searchlight.domain import CheckOutcome, KeyFact, Rubric, Task
from pytest_searchlight.judges import (
    Assessment,
    Assessor,
    BlindingMarks,
    LexicalJudge,
    RecordedJudge,
    list_cited_urls,
)
from pytest_searchlight.sources import CapturePolicy, SourceStore, capture_closed, gather_sources

WEB = Path(__file__).parents[2] / "catalogs" / "quickstart" / "web"
NOTES = "https://docs.quillmesh.example/6/release-notes/6.2.0.html"
INVENTED = "https://docs.quillmesh.example/6/release-notes/6.2.7.html"
TASK = Task(
    id="group-size",
    family="briefs",
    prompt="Which release of Quillmesh raised the number of consumers in a group, and to what?",
    deliverable={"type": "object"},
    rubric=Rubric(
        key_facts=(KeyFact(id="raised", text="Since Quillmesh 6.2.0 a group may have 640 consumers."),)
    ),
)
RIGHT = make_deliverable(
    make_claim("A group may have 640 consumers since Quillmesh 6.2.0.", NOTES),
    make_claim("Before, a group could have 400 consumers.", NOTES),
    brief="Quillmesh 6.2.0 raised the limit.",
)
INVENTED_SOURCE = make_deliverable(
    make_claim("A group may have 640 consumers since Quillmesh 6.2.0.", INVENTED),
    brief="Quillmesh 6.2.0 raised the limit.",
)


def judge(deliverable: JsonValue, session: Path, *, fetches: bool) -> Assessment:
    """What grading does with a brief whose checks have passed."""
    capture = partial(capture_closed, web=ClosedWeb(WEB), policy=CapturePolicy()) if fetches else None
    store = SourceStore(session / "sources")
    sources = gather_sources(list_cited_urls(deliverable), store=store, capture=capture, calls=())
    lexical = RecordedJudge(original=LexicalJudge(), folder=session / "judgements")
    assessor = Assessor(judge=lexical, marks=BlindingMarks())
    return assessor.assess(deliverable, task=TASK, sources=sources, record=session / "record")


@pytest.mark.parametrize(
    ("deliverable", "outcome"), [(RIGHT, CheckOutcome.PASS), (INVENTED_SOURCE, CheckOutcome.WRONG)]
)
def test_a_brief_is_judged_by_the_pages_it_cites_and_alike_when_graded_again(
    deliverable: JsonValue, outcome: CheckOutcome, tmp_path: Path
) -> None:
    first = judge(deliverable, tmp_path, fetches=True)
    again = judge(deliverable, tmp_path, fetches=False)
    assert first.verdict.outcome is outcome, first.verdict
    assert again == first
