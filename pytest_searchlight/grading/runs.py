"""Audits and scores one run, and puts what was found together into its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.answers import find_answer
from pytest_searchlight.domain import AuditFinding, CheckOutcome, Cost, RunRecord, RunStatus, Score
from pytest_searchlight.extensions import AgentTrace, Answer, ObservedRun, Registry
from pytest_searchlight.grading.audit import audit_run
from pytest_searchlight.grading.rows import describe_made
from pytest_searchlight.grading.scoring import RUBRIC_UNJUDGED, score_answer, settle_rubric
from pytest_searchlight.judges import Assessment
from pytest_searchlight.searching import FoundSign, study_run
from pytest_searchlight.sources import CapturedSource

Sources = Mapping[str, CapturedSource]
"""What a brief cites, by the address as cited."""

AssessBrief = Callable[[ObservedRun, Answer, Sources], Assessment]
"""Has a judge read a brief."""

GatherSources = Callable[[ObservedRun, Answer], Sources]
"""Captures what a brief cites."""

PriceRun = Callable[[ObservedRun], Cost]
"""Gives the cost of a run from its evidence; the tariffs are the caller's."""


@dataclass(frozen=True, kw_only=True)
class GradedRun:
    """A run with everything that grading adds to it. `signs` are why it is flagged, with what was found."""

    observed: ObservedRun
    findings: tuple[AuditFinding, ...]
    answer: Answer | None
    score: Score
    record: RunRecord
    signs: tuple[FoundSign, ...] = ()
    assessment: Assessment | None = None


_UNSCORED: Final = Score(passed=None, share=None, verdicts=())


def grade_run(
    observed: ObservedRun,
    *,
    registry: Registry,
    price: PriceRun,
    assess: AssessBrief | None = None,
    gather: GatherSources | None = None,
) -> GradedRun:
    """Audit and score one run.

    A run that did not finish is not scored: its status already says what it counts as. A brief whose checks
    pass is judged by `assess`; without it, it stays ungraded. What any brief cites is captured by `gather`,
    also where a check fails: once that check is mended, grading again can have the brief judged.
    """
    findings = audit_run(observed, registry)
    if observed.trace.status is not RunStatus.GRADED:
        return conclude(observed, findings=findings, answer=None, score=_UNSCORED, price=price)
    answer = find_answer(observed.trace.answer_text or "", observed.run.task.deliverable)
    score, assessment = score_answer(observed.run.task, answer, registry), None
    sources = {} if gather is None else gather(observed, answer)
    if assess is not None and RUBRIC_UNJUDGED in score.verdicts:
        assessment = assess(observed, answer, sources)
        score = settle_rubric(score, assessment.verdict)
    return conclude(
        observed, findings=findings, answer=answer, score=score, price=price, assessment=assessment
    )


def conclude(  # noqa: PLR0913 - each part is found out by itself
    observed: ObservedRun,
    *,
    findings: tuple[AuditFinding, ...],
    answer: Answer | None,
    score: Score,
    price: PriceRun,
    assessment: Assessment | None = None,
) -> GradedRun:
    """Put the parts together into a record."""
    status, reason = _settle_status(observed.trace, findings, score)
    studied = study_run(observed)
    record = describe_made(
        observed,
        status=status,
        reason=reason,
        flags=_list_flags(observed.trace, findings),
        score=score,
        cost=price(observed),
        searching=studied.facts,
        judging=None if assessment is None else assessment.cost,
    )
    return GradedRun(
        observed=observed,
        findings=findings,
        answer=answer,
        score=score,
        record=record,
        signs=studied.signs,
        assessment=assessment,
    )


def _settle_status(
    trace: AgentTrace, findings: tuple[AuditFinding, ...], score: Score
) -> tuple[RunStatus, str]:
    contaminating = [finding.message for finding in findings if finding.contaminates]
    if contaminating and trace.status in {RunStatus.GRADED, RunStatus.TIMEOUT, RunStatus.BUDGET_EXHAUSTED}:
        return RunStatus.CONTAMINATED, "; ".join(contaminating)
    if trace.status is not RunStatus.GRADED:
        return trace.status, trace.reason
    broken = [finding.message for finding in findings if finding.broken]
    if broken:
        return RunStatus.UNGRADED, "; ".join(broken)
    if score.passed is None:
        return RunStatus.UNGRADED, _join_reasons(score, CheckOutcome.UNGRADED)
    return RunStatus.GRADED, "" if score.passed else _join_reasons(score)


def _join_reasons(score: Score, outcome: CheckOutcome | None = None) -> str:
    return "; ".join(
        verdict.reason
        for verdict in score.verdicts
        if verdict.outcome is (outcome or verdict.outcome) and verdict.outcome is not CheckOutcome.PASS
    )


def _list_flags(trace: AgentTrace, findings: tuple[AuditFinding, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*trace.flags, *(finding.rule for finding in findings)]))
