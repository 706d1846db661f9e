"""A graded run as the files of its bundle, and back."""

from __future__ import annotations

import json
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.answers import find_answer
from pytest_searchlight.domain import AuditFinding, RunRecord, RunStatus, Score, TestRun
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SealedBundle, encode_json_line, encode_json_lines
from pytest_searchlight.extensions import AgentTrace, ObservedRun
from pytest_searchlight.grading.runs import GradedRun
from pytest_searchlight.judges import Assessment
from pytest_searchlight.metering import describe_metering, read_metering_events
from pytest_searchlight.providers.tap import TAPPED_SPEND, read_tapped_spend

SIGNS_FILE: Final = "signs.jsonl"
"""Why a run is flagged, with what was found; no other run has one."""


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
