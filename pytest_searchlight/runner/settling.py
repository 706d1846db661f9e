"""How an attempt really ended: what the agent product says, corrected by what went over the wire."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.agents.contract import CALL_LIMIT_S, OWN_SEARCHES
from pytest_searchlight.domain import STATUS_RULES, CallOutcome, RunStatus, SearchSetup, SetupKind, ToolCall
from pytest_searchlight.extensions import AgentTrace
from pytest_searchlight.metering import MeteredCall, Metering
from pytest_searchlight.providers import classify_failure

_LAST_WORDS_CHARS: Final = 1000
_LEAST_IDLE_S: Final = 10.0
_CLOCK_TOLERANCE_S: Final = 2.0
"""Agent products keep the limit of a call by clocks of their own, from when they made it."""


def confirm_record(metering: Metering | None, trace: AgentTrace, *, server: str) -> Metering | None:
    """Call a record complete that breaks off without a gap, when the agent reports the same answered calls.

    Codex kills its servers outright, the metering proxy among them, before it can write its last words.
    """
    if metering is None or not metering.intact or not metering.recording_incomplete:
        return metering
    reported = Counter(call.tool for call in trace.tool_calls if call.server == server and call.executed)
    answered = Counter(call.tool for call in metering.calls if call.outcome != "unanswered")
    agree = reported == answered and len(metering.calls) == answered.total()
    return metering.model_copy(update={"recording_incomplete": not agree})


def settle_trace(trace: AgentTrace, metering: Metering | None, *, setup: SearchSetup) -> AgentTrace:
    """Correct the agent's view of how the run ended by what went over the wire.

    An agent whose search never came up, or never once answered, goes on from memory and says all is well:
    that measures nothing, so the run ends as a fault of infrastructure. So it does where the search is the
    agent product's own, of which the transcript alone tells.
    """
    if metering is None:
        return _settle_own_search(trace, setup=setup)
    if trace.status is RunStatus.SETUP_UNAVAILABLE:
        return trace.model_copy(update={"reason": f"{trace.reason}{_quote_last_words(metering)}"})
    if not STATUS_RULES[trace.status].counts:
        return trace
    fault = _find_missing_tools(metering, setup=setup) or _find_dead_provider(trace, metering, setup=setup)
    if fault is not None:
        return trace.model_copy(
            update={"status": fault.status, "reason": fault.text, "retry_after_s": fault.retry_after_s}
        )
    return trace.model_copy(update={"flags": (*trace.flags, *list_wire_flags(metering, setup=setup))})


def settle_deaf_product(trace: AgentTrace, metering: Metering | None, *, ran_s: float) -> AgentTrace:
    """Tell an agent that was too slow from a product that sat on the last answer till its time was up.

    Codex drops an answer that holds half an emoji, as pages cut to a length do, and goes on waiting for it.

    Args:
        trace: how the run ended.
        metering: what went over the wire.
        ran_s: how long the product ran.
    """
    if trace.status is not RunStatus.TIMEOUT or metering is None or not (trace.tool_calls and metering.calls):
        return trace
    last, answered = trace.tool_calls[-1], metering.calls[-1]
    is_lost = last.outcome is CallOutcome.UNANSWERED and all(call.is_answered for call in metering.calls)
    if not is_lost or last.tool != answered.tool or last.started_s is None or answered.latency_s is None:
        return trace
    idle_s = ran_s - last.started_s - answered.latency_s
    if idle_s < _LEAST_IDLE_S:
        return trace
    reason = f"the agent product has not taken the server's answer to its last call for {idle_s:.0f} s"
    return trace.model_copy(update={"status": RunStatus.AGENT_ERROR, "reason": reason})


def _settle_own_search(trace: AgentTrace, *, setup: SearchSetup) -> AgentTrace:
    own = [call for call in trace.tool_calls if call.server is None and call.executed is not False]
    failed = [call for call in own if _failed_to_search(call, status=trace.status)]
    is_dead = failed and not any(call.outcome is CallOutcome.OK for call in own)
    if setup.kind is not SetupKind.BUILT_IN or not STATUS_RULES[trace.status].counts or not is_dead:
        return trace
    said = " ".join((failed[-1].error_text or "nothing").split())[:_LAST_WORDS_CHARS]
    reason = f"none of {len(failed)} search(es) by the agent's own tool was answered; the last one: {said}"
    return trace.model_copy(update={"status": RunStatus.PROVIDER_ERROR, "reason": reason})


def _failed_to_search(call: ToolCall, *, status: RunStatus) -> bool:
    hung = status is RunStatus.TIMEOUT and call.outcome is CallOutcome.UNANSWERED
    return call.tool in OWN_SEARCHES and (hung or call.outcome is CallOutcome.ERROR)


@dataclass(frozen=True)
class _WireFault:
    status: RunStatus
    text: str
    retry_after_s: float | None = None


def _find_missing_tools(metering: Metering, *, setup: SearchSetup) -> _WireFault | None:
    missing = setup.tool_names - {tool.name for tool in metering.tools}
    if metering.tools_listed and not missing:
        return None
    what = f"tools {', '.join(sorted(missing))}" if metering.tools_listed else "its tools"
    text = f"the metering proxy did not see the server list {what} (reached: {metering.state})"
    return _WireFault(RunStatus.SETUP_UNAVAILABLE, f"{text}{_quote_last_words(metering)}")


def _quote_last_words(metering: Metering) -> str:
    """What the server said before it failed; agent products keep that to themselves."""
    words = " ".join(filter(None, (metering.start_failure, metering.stderr_tail))).strip()
    return f"; the server's last words: {words[-_LAST_WORDS_CHARS:]}" if words else ""


def _find_dead_provider(trace: AgentTrace, metering: Metering, *, setup: SearchSetup) -> _WireFault | None:
    failures = [classify_failure(setup, call) for call in metering.calls]
    if any(
        failure is None and call.is_answered for failure, call in zip(failures, metering.calls, strict=True)
    ):
        return None
    if any(call.outcome == "server_died" for call in metering.calls):
        text = f"the server died and no call to it ever succeeded{_quote_last_words(metering)}"
        return _WireFault(RunStatus.SETUP_UNAVAILABLE, text)
    known = [failure for failure in failures if failure is not None]
    if known:
        last = known[-1]
        text = f"none of {len(failures)} provider call(s) was answered; the last one: {last.text}"
        return _WireFault(last.status, text, last.retry_after_s)
    hung = trace.status is RunStatus.TIMEOUT and any(call.outcome == "unanswered" for call in metering.calls)
    if hung or any(map(_was_given_up, metering.calls)):
        return _WireFault(RunStatus.PROVIDER_ERROR, "the provider's server never answered a call in time")
    return None


def _was_given_up(call: MeteredCall) -> bool:
    """Whether the agent product cancelled a call since its time was over; some servers end theirs earlier."""
    waited_s = call.paced_s + (call.latency_s or 0.0)
    return call.outcome == "cancelled" and waited_s >= CALL_LIMIT_S - _CLOCK_TOLERANCE_S


def list_wire_flags(metering: Metering, *, setup: SearchSetup) -> Iterator[str]:
    """Short marks of what the wire saw besides ordinary calls."""
    outcomes = {call.outcome for call in metering.calls}
    if "server_died" in outcomes:
        yield "server_died"
    if "refused_budget" in outcomes:
        yield "refused_budget"
    if any(classify_failure(setup, call) for call in metering.calls):
        yield "provider_failures"
    if metering.recording_incomplete:
        yield "recording_incomplete"
    if metering.repeated_cursor:
        yield "repeated_cursor"
    if metering.noise_lines:
        yield "stdout_noise"
