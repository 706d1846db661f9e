"""A small brief on an invented lighthouse, its rubric and its sources, for the judges to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.domain import KeyFact, Rubric, RunStatus, Task
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import RunError
from pytest_searchlight.extensions import Judge
from pytest_searchlight.judges import Assessment, Assessor, BlindingMarks, LexicalJudge
from pytest_searchlight.sources import CapturedSource, CaptureStatus
from pytest_searchlight.sources.records import hash_text

PAGE: Final = "https://lights.example/north"
OTHER_PAGE: Final = "https://lights.example/history"
PAGE_TEXT: Final = (
    "North light\n\nThe northern light was electrified on 14 May 2026. It is operated by the harbour "
    "authority and burns from dusk to dawn. Its range is 21 nautical miles.\n\n"
    "Visitors are not admitted to the lamp room."
)
RUBRIC: Final = Rubric(
    key_facts=(
        KeyFact(id="electrified", weight=3, text="The northern light was electrified on 14 May 2026."),
        KeyFact(id="operator", weight=2, text="The harbour authority operates the light."),
        KeyFact(id="visitors", weight=1, text="Visitors are not admitted to the lamp room."),
    ),
    min_recall=0.7,
    max_unsupported=0.25,
)
TASK: Final = Task(
    id="north-light",
    family="briefs",
    prompt="Who runs the northern light, and since when is it electric?",
    deliverable={"type": "object"},
    rubric=RUBRIC,
)
MARKS: Final = BlindingMarks(
    providers=frozenset({"tavily", "parallel", "exa"}),
    hosts=frozenset({"search.parallel.ai"}),
    agents=frozenset({"claude-code", "codex"}),
    tools=frozenset({"tavily_search", "WebSearch"}),
    models=frozenset({"gpt-6.1-sol"}),
)


def make_claim(text: str, *urls: str) -> dict[str, JsonValue]:
    return {"text": text, "citation_urls": list(urls)}


GOOD_CLAIMS: Final = (
    make_claim("The northern light was electrified on May 14, 2026.", PAGE),
    make_claim("The harbour authority operates it.", PAGE),
    make_claim("Visitors are not admitted to the lamp room.", PAGE),
    make_claim("It has a range of 21 nautical miles.", PAGE),
)


def make_deliverable(
    *claims: dict[str, JsonValue], brief: str | None = "The light is electric."
) -> dict[str, JsonValue]:
    return {"decision": "visit", "brief": brief, "claims": list(claims)}


def make_source(
    url: str = PAGE,
    *,
    text: str = PAGE_TEXT,
    status: CaptureStatus = CaptureStatus.CAPTURED,
    received_by_agent: bool = False,
) -> CapturedSource:
    return CapturedSource(
        url=url,
        final_url=url,
        status=status,
        text=text,
        text_sha256=hash_text(text),
        fetched_at="2026-11-30T00:00:00+00:00",
        received_by_agent=received_by_agent,
    )


@dataclass
class ScriptedJudge:
    """Fails as often as it is told, then says what it is told, and remembers what it was shown."""

    covered: bool = True
    supported: bool = True
    failures: int = 0
    name: str = "scripted"
    model_name: str | None = "scripted-1"
    seen: list[JudgePayload] = field(default_factory=list)

    def explain_unavailable(self) -> str | None:
        return None

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        assert record.is_dir()
        self.seen.append(payload)
        if len(self.seen) <= self.failures:
            raise RunError("judge scripted: says nothing", status=RunStatus.UNGRADED)
        return Judgement.model_validate(
            {
                "judge": self.name,
                "model_name": self.model_name,
                "facts": [
                    {"number": fact.number, "covered": self.covered, "reason": "told so"}
                    for fact in payload.facts
                ],
                "claims": [
                    {"number": claim.number, "supported": self.supported, "reason": "told so"}
                    for claim in payload.claims
                ],
            }
        )


def assess(
    deliverable: JsonValue,
    record: Path,
    *,
    sources: Mapping[str, CapturedSource] | None = None,
    judge: Judge | None = None,
    task: Task = TASK,
) -> Assessment:
    """Assess with the lexical judge unless told otherwise; the page is captured unless told otherwise."""
    assessor = Assessor(judge=judge or LexicalJudge(), marks=MARKS)
    return assessor.assess(deliverable, task=task, sources=sources or {PAGE: make_source()}, record=record)
