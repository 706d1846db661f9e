"""From what was observed to a record: audit, answer, verdicts, cost. Offline and repeatable.

Grading sees only what a bundle holds, so a stored run is graded again by the same code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.answers import find_answer
from pytest_searchlight.audit import audit_run
from pytest_searchlight.domain import (
    AuditFinding,
    CheckOutcome,
    Cost,
    RunRecord,
    RunStatus,
    Score,
    TestRun,
    Usage,
    VerdictLine,
)
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SealedBundle, encode_json_line, encode_json_lines
from pytest_searchlight.extensions import AgentTrace, Answer, ObservedRun, Registry
from pytest_searchlight.judges import Assessment
from pytest_searchlight.metering import MeteredCall, describe_metering, read_metering_events
from pytest_searchlight.providers.tap import TAPPED_SPEND, read_tapped_spend
from pytest_searchlight.scoring import RUBRIC_UNJUDGED, score_answer, settle_rubric
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

_LONGEST_REASON: Final = 500
_MOST_LATENCIES: Final = 1000


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


SIGNS_FILE: Final = "signs.jsonl"
"""Why a run is flagged, with what was found; no other run has one."""

UNSCORED: Final = Score(passed=None, share=None, verdicts=())


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
        return conclude(observed, findings=findings, answer=None, score=UNSCORED, price=price)
    answer = find_answer(observed.trace.answer_text or "", observed.run.task.deliverable)
    score, assessment = score_answer(observed.run.task, answer, registry), None
    sources = {} if gather is None else gather(observed, answer)
    if assess is not None and RUBRIC_UNJUDGED in score.verdicts:
        assessment = assess(observed, answer, sources)
        score = settle_rubric(score, assessment.verdict)
    graded = conclude(observed, findings=findings, answer=answer, score=score, price=price)
    judging = None if assessment is None else assessment.cost
    record = graded.record.model_copy(update={"judging": judging})
    return replace(graded, record=record, assessment=assessment)


def conclude(
    observed: ObservedRun,
    *,
    findings: tuple[AuditFinding, ...],
    answer: Answer | None,
    score: Score,
    price: PriceRun,
) -> GradedRun:
    """Put the parts together into a record."""
    status, reason = _settle_status(observed.trace, findings, score)
    studied = study_run(observed)
    record = RunRecord(
        run_id=observed.run.run_id,
        identity=observed.run.identity,
        job_hash=observed.run.task.job_hash,
        grading_hash=observed.run.task.grading_hash,
        catalog=observed.run.catalog,
        task=observed.run.task.id,
        family=observed.run.task.family,
        control=observed.run.task.control,
        tags=observed.run.task.tags,
        agent=observed.run.agent,
        agent_version=observed.agent_version,
        model_name=observed.run.model_name,
        setup=observed.run.setup.name,
        setup_kind=observed.run.setup.kind,
        repetition=observed.run.repetition,
        status=status,
        passed=score.passed if status is RunStatus.GRADED else None,
        reason=reason[:_LONGEST_REASON],
        attempts=observed.attempts,
        flags=_list_flags(observed.trace, findings),
        usage=observed.trace.usage,
        cost=price(observed),
        verdicts=tuple(
            VerdictLine(kind=verdict.kind, target=verdict.target, outcome=verdict.outcome)
            for verdict in score.verdicts
        ),
        started_at=observed.started_at,
        duration_s=observed.duration_s,
        searching=studied.facts,
        **_measure_provider(observed),
    )
    return GradedRun(
        observed=observed,
        findings=findings,
        answer=answer,
        score=score,
        record=record,
        signs=studied.signs,
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


def _measure_provider(observed: ObservedRun) -> dict[str, object]:
    metering = observed.metering
    if metering is None:
        called_nothing = not observed.run.setup.kind.gives_tools
        return {
            "provider_calls": 0 if called_nothing or not observed.trace.tool_calls else None,
            "provider_latencies_s": (),
            **_count_chars(0 if called_nothing else None, offloaded=None),
        }
    calls = [call for call in metering.calls if call.outcome != "refused_budget"]
    latencies = [round(call.latency_s, 3) for call in calls if call.latency_s is not None]
    return {
        "provider_calls": len(calls),
        "provider_latencies_s": tuple(latencies[:_MOST_LATENCIES]),
        **_count_chars(_sum_chars(calls), offloaded=observed.trace.offloaded_chars),
    }


def _sum_chars(calls: Sequence[MeteredCall]) -> int | None:
    """Characters of all results; None when the record of one is torn."""
    counts = [call.model_visible_chars for call in calls if call.outcome in {"ok", "tool_error"}]
    return None if None in counts else sum(filter(None, counts))


def _count_chars(result_chars: int | None, *, offloaded: int | None) -> dict[str, int | None]:
    """What the provider answered, what of it the agent product kept from its model, and what is left."""
    if not result_chars:
        return dict.fromkeys(("result_chars", "offloaded_chars", "model_visible_chars"), result_chars)
    shown = None if offloaded is None else max(result_chars - offloaded, 0)
    return {"result_chars": result_chars, "offloaded_chars": offloaded, "model_visible_chars": shown}


# --- to and from the bundle ------------------------------------------------------------------------------


def describe_files(graded: GradedRun) -> dict[str, str]:
    """The bundle's files by name, seal excepted."""
    observed, answer = graded.observed, graded.answer
    calls = (call.model_dump(mode="json") for call in observed.trace.tool_calls)
    events = () if observed.metering is None else describe_metering(observed.metering)
    files = {
        "prompt.md": observed.prompt,
        "transcript.jsonl": encode_json_lines(observed.trace.transcript),
        "answer.txt": observed.trace.answer_text or "",
        "deliverable.json": encode_json_line(None if answer is None else answer.deliverable),
        "tool_calls.jsonl": encode_json_lines(calls),
        "metering.jsonl": encode_json_lines(events),
        "audit.json": encode_json_line([finding.model_dump(mode="json") for finding in graded.findings]),
        "verdicts.json": encode_json_line(graded.score.model_dump(mode="json")),
    }
    if graded.signs:
        files[SIGNS_FILE] = encode_json_lines(sign.model_dump(mode="json") for sign in graded.signs)
    if graded.assessment is not None:
        files["judgement.json"] = encode_json_line(_describe_assessment(graded.assessment))
    return files


def _describe_assessment(assessment: Assessment) -> dict[str, JsonValue]:
    parts = {"payload": assessment.payload, "judgement": assessment.judgement}
    return {name: None if part is None else part.model_dump(mode="json") for name, part in parts.items()}


def describe_head(graded: GradedRun) -> dict[str, object]:
    """Content of the seal: the record, and what is needed to grade again."""
    trace = graded.observed.trace
    return {
        "schema_version": 1,
        "record": graded.record.model_dump(mode="json"),
        "trace": trace.model_dump(mode="json", exclude={"transcript", "tool_calls", "answer_text"}),
        "answered": trace.answer_text is not None,
        "own_tools": sorted(graded.observed.own_tools),
        "metered": graded.observed.metering is not None,
    }


def read_graded(bundle: SealedBundle, run: TestRun) -> GradedRun:
    """A run with its grades as they are stored; nothing is graded again. Raises EvidenceError."""
    observed = read_observed(bundle, run)
    answered = observed.trace.status is RunStatus.GRADED
    return GradedRun(
        observed=observed,
        findings=tuple(map(AuditFinding.model_validate, json.loads(bundle.read_text("audit.json")))),
        answer=find_answer(observed.trace.answer_text or "", run.task.deliverable) if answered else None,
        score=Score.model_validate_json(bundle.read_text("verdicts.json")),
        record=RunRecord.model_validate(bundle.head["record"]),
    )


def read_observed(bundle: SealedBundle, run: TestRun) -> ObservedRun:
    """What was observed of `run`, read back from its evidence.

    Raises:
        EvidenceError: the bundle was altered, or holds a run that was never made.
    """
    bundle.verify()
    head = bundle.head
    if "trace" not in head:
        raise EvidenceError(f"{bundle.folder}: holds no observed run (status {head['record']['status']})")
    record = RunRecord.model_validate(head["record"])
    trace = AgentTrace.model_validate(
        {
            **head["trace"],
            "answer_text": bundle.read_text("answer.txt") if head["answered"] else None,
            "transcript": bundle.read_json_lines("transcript.jsonl"),
            "tool_calls": bundle.read_json_lines("tool_calls.jsonl"),
        }
    )
    return ObservedRun(
        run=run,
        prompt=bundle.read_text("prompt.md"),
        trace=trace,
        metering=read_metering_events(bundle.read_json_lines("metering.jsonl")) if head["metered"] else None,
        tapped_spend=read_tapped_spend(bundle.folder / "wire" / TAPPED_SPEND),
        own_tools=frozenset(head["own_tools"]),
        agent_version=record.agent_version,
        attempts=record.attempts,
        started_at=record.started_at or "",
        duration_s=record.duration_s or 0.0,
    )


def describe_unrun(run: TestRun, *, status: RunStatus, reason: str) -> RunRecord:
    """The record of a run that was planned and not made; everything that was not measured is unknown."""
    return RunRecord(
        run_id=run.run_id,
        identity=run.identity,
        job_hash=run.task.job_hash,
        grading_hash=run.task.grading_hash,
        catalog=run.catalog,
        task=run.task.id,
        family=run.task.family,
        control=run.task.control,
        tags=run.task.tags,
        agent=run.agent,
        agent_version=None,
        model_name=run.model_name,
        setup=run.setup.name,
        setup_kind=run.setup.kind,
        repetition=run.repetition,
        status=status,
        passed=None,
        reason=reason,
        attempts=0,
        flags=(),
        usage=Usage(),
        cost=Cost(),
        provider_calls=None,
        provider_latencies_s=(),
        model_visible_chars=None,
        verdicts=(),
        started_at=None,
        duration_s=None,
    )
