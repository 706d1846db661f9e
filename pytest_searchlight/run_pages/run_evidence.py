"""Everything that one bundle tells of a run, read and checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from pytest_searchlight.domain import AuditFinding, Score, TappedSpend, ToolCall
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.evidence import SealedBundle
from pytest_searchlight.extensions import AgentTrace
from pytest_searchlight.grading import SIGNS_FILE
from pytest_searchlight.metering import Metering, read_metering_events
from pytest_searchlight.providers.tap import TAPPED_SPEND, read_tapped_spend
from pytest_searchlight.searching import FoundSign


@dataclass(frozen=True, kw_only=True)
class RunEvidence:
    """A run that was made.

    Attributes:
        prompt: what the agent was given.
        answer: its final message, None without one.
        deliverable: what was found in the answer.
        model_names: the models that the agent product named.
        tools_offered: the tools that its model was offered, None when it does not tell.
        calls: the agent's own view of its tool calls.
        metering: the wire's view, None where nothing was metered.
        tapped_spend: what the provider's API said that its answers cost.
        findings: the audit's.
        score: verdicts of checks and judge.
        signs: why the run is flagged, with what was found.
        payload: what the judge saw, None when none was asked.
        judgement: what the judge said.
    """

    prompt: str
    answer: str | None
    deliverable: JsonValue
    model_names: tuple[str, ...]
    tools_offered: tuple[str, ...] | None
    calls: tuple[ToolCall, ...]
    metering: Metering | None
    tapped_spend: tuple[TappedSpend, ...]
    findings: tuple[AuditFinding, ...]
    score: Score
    signs: tuple[FoundSign, ...]
    payload: JudgePayload | None
    judgement: Judgement | None


def read_evidence(bundle: SealedBundle) -> RunEvidence:
    """What `bundle`, which was verified, holds of a run that was made.

    Raises:
        LookupError, TypeError, ValueError: it is not what a run leaves behind.
    """
    head = bundle.head
    trace, judging = AgentTrace.model_validate(head["trace"]), _read_judging(bundle)
    return RunEvidence(
        prompt=bundle.read_text("prompt.md"),
        answer=bundle.read_text("answer.txt") if head["answered"] else None,
        deliverable=json.loads(bundle.read_text("deliverable.json")),
        model_names=trace.model_names,
        tools_offered=trace.tools_offered,
        calls=tuple(map(ToolCall.model_validate, bundle.read_json_lines("tool_calls.jsonl"))),
        metering=read_metering_events(bundle.read_json_lines("metering.jsonl")) if head["metered"] else None,
        tapped_spend=read_tapped_spend(bundle.folder / "wire" / TAPPED_SPEND),
        findings=tuple(map(AuditFinding.model_validate, json.loads(bundle.read_text("audit.json")))),
        score=Score.model_validate_json(bundle.read_text("verdicts.json")),
        signs=tuple(map(FoundSign.model_validate, bundle.read_json_lines(SIGNS_FILE))),
        payload=None if judging["payload"] is None else JudgePayload.model_validate(judging["payload"]),
        judgement=None if judging["judgement"] is None else Judgement.model_validate(judging["judgement"]),
    )


def _read_judging(bundle: SealedBundle) -> Mapping[str, Any]:
    text = bundle.read_text("judgement.json")
    return json.loads(text) if text else {"payload": None, "judgement": None}
