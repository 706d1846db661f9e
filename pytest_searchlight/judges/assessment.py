"""One brief before one judge, from the deliverable to the rubric's verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.domain import JudgeCost, Rubric, Task, Usage, Verdict, add_usage
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import RunError, SearchlightError
from pytest_searchlight.extensions import Judge
from pytest_searchlight.judges.blinding import BlindingError, BlindingMarks
from pytest_searchlight.judges.briefs import Brief, MalformedBriefError, read_brief
from pytest_searchlight.judges.labels import NoJudgementError, accept_judgement
from pytest_searchlight.judges.payload import blind_brief
from pytest_searchlight.judges.verdict import decide_verdict, fail_verdict, refuse_verdict
from pytest_searchlight.sources import CapturedSource

MOST_TRIES: Final = 2


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """A verdict and what it rests on.

    Attributes:
        verdict: the rubric's.
        payload: what the judge was given, None when none was asked.
        judgement: what it answered, None when no sound answer came.
        usage: what asking took, failed tries included; None when no judge was asked.
        cost: that in US dollars, once somebody has priced it.
    """

    verdict: Verdict
    payload: JudgePayload | None = None
    judgement: Judgement | None = None
    usage: Usage | None = None
    cost: JudgeCost | None = None


@dataclass(frozen=True, kw_only=True)
class Assessor:
    """A judge, and what it must not read."""

    judge: Judge
    marks: BlindingMarks

    def assess(
        self, deliverable: JsonValue, *, task: Task, sources: Mapping[str, CapturedSource], record: Path
    ) -> Assessment:
        """Have the judge read the brief in `deliverable`, whose checks have passed.

        Args:
            deliverable: what the answer holds.
            task: what was asked; it has a rubric.
            sources: the capture of every address in `list_cited_urls(deliverable)`.
            record: folder for the judge's raw output.
        """
        name = self.judge.name
        try:
            return self._assess(read_brief(deliverable), task=task, sources=sources, record=record)
        except MalformedBriefError as error:
            return Assessment(verdict=fail_verdict(f"malformed: {error}", judge=name))
        except BlindingError as error:
            return Assessment(verdict=refuse_verdict(f"blinding_failed: the brief {error}", judge=name))

    def _assess(
        self, brief: Brief, *, task: Task, sources: Mapping[str, CapturedSource], record: Path
    ) -> Assessment:
        rubric = _require_rubric(task)
        if (settled := _settle_without_judge(brief, rubric, judge=self.judge.name)) is not None:
            return Assessment(verdict=settled)
        blinded = blind_brief(brief, task=task, rubric=rubric, sources=sources, marks=self.marks)
        try:
            judgement = ask_judge(self.judge, blinded.payload, record=record)
        except NoJudgementError as error:
            refused = refuse_verdict(str(error), judge=self.judge.name)
            return Assessment(verdict=refused, payload=blinded.payload, usage=error.usage)
        verdict = decide_verdict(blinded, rubric=rubric, judgement=judgement)
        return Assessment(
            verdict=verdict, payload=blinded.payload, judgement=judgement, usage=judgement.usage
        )


def list_cited_urls(deliverable: JsonValue) -> tuple[str, ...]:
    """Every address that has to be captured before a judge can read; none of a malformed brief."""
    try:
        return read_brief(deliverable).cited_urls
    except MalformedBriefError:
        return ()


def ask_judge(judge: Judge, payload: JudgePayload, *, record: Path) -> Judgement:
    """The judgement, at the second try if need be; its usage includes that of the first.

    Raises:
        NoJudgementError: neither try gives one.
    """
    wasted: list[Usage] = []
    for number in range(1, MOST_TRIES + 1):
        try:
            judgement = _ask_once(judge, payload, record=record / f"{judge.name}-{number}")
        except RunError as error:
            wasted.append(error.usage if isinstance(error, NoJudgementError) else Usage())
            problem = str(error)
        else:
            return judgement.model_copy(update={"usage": add_usage([*wasted, judgement.usage])})
    raise NoJudgementError(problem, usage=add_usage(wasted))


def _ask_once(judge: Judge, payload: JudgePayload, *, record: Path) -> Judgement:
    """What one try gives; a guest that breaks must not cost a run that is made and paid for."""
    record.mkdir(parents=True, exist_ok=True)
    try:
        return accept_judgement(judge.judge(payload, record=record), payload=payload)
    except SearchlightError:
        raise
    except Exception as error:
        problem = f"judge {judge.name} failed: {type(error).__name__}: {error}"
        raise NoJudgementError(problem, usage=Usage()) from error


def _require_rubric(task: Task) -> Rubric:
    if task.rubric is None:
        raise ValueError(f"task {task.id!r} has no rubric, so there is nothing to judge its answers by")
    return task.rubric


def _settle_without_judge(brief: Brief, rubric: Rubric, *, judge: str) -> Verdict | None:
    if brief.is_declined:
        return fail_verdict("declined: neither brief nor claims", judge=judge, missing=True)
    if not brief.claims and rubric.max_unsupported < 1:
        return fail_verdict("no claims, which counts as all unsupported", judge=judge)
    return None
