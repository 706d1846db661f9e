"""From what an event stream says and how the process ended to a status: the same rules for every product.

A real answer is never lost, whatever the process did after it; an error never becomes an answer, however
the product words it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.agents.error_classes import ErrorSigns, classify_error, find_wait_s
from pytest_searchlight.domain import RunStatus, ToolCall, Usage
from pytest_searchlight.extensions import AgentTrace
from pytest_searchlight.workspace import ProcessResult

_REASON_LIMIT_CHARS: Final = 2000


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What a product's event stream says of its run, before the process is asked.

    Attributes:
        unavailable: why the setup's tools were not as the contract wants them, or None.
        over_budget: which of the run's own budgets was used up, or None.
        waiting: signs of the fault that the product was trying to get over when the events stopped, or None.
        finished: the stream has exactly one final event.
        contradictory: it has several.
        fault: signs of an error in the final event, or None when it stands for an answer.
        denied_tools: contract tools that were refused for want of approval.
        answer_text: the final message; an error's text when there is a `fault`.
    """

    unavailable: str | None = None
    over_budget: str | None = None
    waiting: ErrorSigns | None = None
    finished: bool
    contradictory: bool = False
    fault: ErrorSigns | None = None
    denied_tools: tuple[str, ...] = ()
    answer_text: str | None = None
    transcript: tuple[dict[str, JsonValue], ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cli_reported_usd: float | None = None
    model_names: tuple[str, ...] = ()
    tools_offered: tuple[str, ...] | None = None
    retry_after_s: float | None = None
    offloaded_chars: int | None = None
    flags: tuple[str, ...] = ()


def conclude(ending: Ending, *, result: ProcessResult, flags: tuple[str, ...] = ()) -> AgentTrace:
    """The trace of a run that is over."""
    status, reason, fault_flags = _settle(ending, result)
    answered = status is RunStatus.GRADED
    return AgentTrace(
        status=status,
        reason=reason[:_REASON_LIMIT_CHARS],
        answer_text=ending.answer_text or "" if answered else None,
        transcript=ending.transcript,
        tool_calls=ending.tool_calls,
        usage=ending.usage,
        cli_reported_usd=ending.cli_reported_usd,
        model_names=ending.model_names,
        tools_offered=ending.tools_offered,
        retry_after_s=_choose_wait_s(ending) if status is RunStatus.RATE_LIMITED else None,
        offloaded_chars=ending.offloaded_chars,
        flags=(*flags, *ending.flags, *fault_flags, *_find_process_flags(ending, result)),
    )


def _settle(ending: Ending, result: ProcessResult) -> tuple[RunStatus, str, tuple[str, ...]]:
    """Status, reason, and a flag that names the class of a fault. The first rule that speaks decides."""
    if ending.unavailable is not None:
        return RunStatus.SETUP_UNAVAILABLE, _with_last_words(ending.unavailable, result), ()
    if ending.contradictory:
        return RunStatus.AGENT_ERROR, "the event stream has more than one final event", ("corrupt_stream",)
    if ending.over_budget is not None:
        return RunStatus.BUDGET_EXHAUSTED, ending.over_budget, ()
    if not ending.finished:
        return _settle_unfinished(ending, result)
    return _settle_finished(ending)


def _settle_finished(ending: Ending) -> tuple[RunStatus, str, tuple[str, ...]]:
    if ending.fault is not None:
        return _settle_fault(ending.fault)
    if ending.denied_tools:
        named = ", ".join(ending.denied_tools)
        reason = f"{named}: in the contract, but refused for want of approval; report this as a defect"
        return RunStatus.AGENT_ERROR, reason, ("contract_tool_denied",)
    return RunStatus.GRADED, "", ()


def _settle_fault(signs: ErrorSigns) -> tuple[RunStatus, str, tuple[str, ...]]:
    kind = classify_error(signs)
    return kind.status, f"{kind.name}: {signs.text or signs.code}", (f"fault_{kind.name}",)


def _settle_unfinished(ending: Ending, result: ProcessResult) -> tuple[RunStatus, str, tuple[str, ...]]:
    # A product that waits for its model's API is not an agent that was too slow.
    if ending.waiting is not None:
        return _settle_fault(ending.waiting)
    if result.ended_by == "timeout":
        return RunStatus.TIMEOUT, result.stop_reason or "", ()
    how = result.stop_reason or f"exit code {result.exit_code}"
    reason = _with_last_words(f"ended without a final event ({how})", result)
    return RunStatus.AGENT_ERROR, reason, ("fault_crash",)


def explain_over_budget(used_tokens: int | None, *, budget: int | None) -> str | None:
    """A sentence when a run has used more tokens than its own budget, however it then went on."""
    if budget is None or used_tokens is None or used_tokens <= budget:
        return None
    return f"used {used_tokens} tokens of a budget of {budget}"


def _with_last_words(reason: str, result: ProcessResult) -> str:
    tail = result.stderr_tail.strip()
    return f"{reason}; stderr: {tail[-1000:]}" if tail else reason


def _choose_wait_s(ending: Ending) -> float | None:
    signs = ending.fault or ending.waiting
    asked_s = find_wait_s(signs.text) if signs else None
    return ending.retry_after_s if asked_s is None else asked_s


def _find_process_flags(ending: Ending, result: ProcessResult) -> Iterator[str]:
    if not ending.finished:
        return
    if result.ended_by != "exit":
        yield "stopped_after_final_event"
    elif result.exit_code != 0 and ending.fault is None:
        yield "nonzero_exit"
