"""The row of a run: what is known before it is made, what was measured, and what stays unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_searchlight.domain import (
    Cost,
    JudgeCost,
    RunRecord,
    RunStatus,
    Score,
    SearchFacts,
    TestRun,
    Usage,
    VerdictLine,
)
from pytest_searchlight.extensions import ObservedRun
from pytest_searchlight.metering import MeteredCall

_LONGEST_REASON: Final = 500
_MOST_LATENCIES: Final = 1000


def describe_made(  # noqa: PLR0913 - each is found out by another room
    observed: ObservedRun,
    *,
    status: RunStatus,
    reason: str,
    flags: tuple[str, ...],
    score: Score,
    cost: Cost,
    searching: SearchFacts,
    judging: JudgeCost | None,
) -> RunRecord:
    """The record of a run that was made, whether or not it measures anything."""
    return RunRecord(
        **_describe_planned(observed.run),
        agent_version=observed.agent_version,
        status=status,
        passed=score.passed if status is RunStatus.GRADED else None,
        reason=reason[:_LONGEST_REASON],
        attempts=observed.attempts,
        flags=flags,
        usage=observed.trace.usage,
        cost=cost,
        verdicts=tuple(
            VerdictLine(kind=verdict.kind, target=verdict.target, outcome=verdict.outcome)
            for verdict in score.verdicts
        ),
        started_at=observed.started_at,
        duration_s=observed.duration_s,
        searching=searching,
        judging=judging,
        **_measure_provider(observed),
    )


def describe_unrun(run: TestRun, *, status: RunStatus, reason: str) -> RunRecord:
    """The record of a run that was planned and not made; everything that was not measured is unknown."""
    return RunRecord(
        **_describe_planned(run),
        agent_version=None,
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


def _describe_planned(run: TestRun) -> dict[str, object]:
    """What a row tells of a run before it is made."""
    return {
        "run_id": run.run_id,
        "identity": run.identity,
        "job_hash": run.task.job_hash,
        "grading_hash": run.task.grading_hash,
        "catalog": run.catalog,
        "task": run.task.id,
        "family": run.task.family,
        "control": run.task.control,
        "tags": run.task.tags,
        "agent": run.agent,
        "model_name": run.model_name,
        "setup": run.setup.name,
        "setup_kind": run.setup.kind,
        "repetition": run.repetition,
    }


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
