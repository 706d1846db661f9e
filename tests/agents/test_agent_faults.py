"""Faults of the model's API and of the product itself, through the real products."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from agent_stage import AGENTS, Stage, make_setup
from scripted_model import (
    Answer,
    CallTool,
    CutStream,
    Fail,
    FailTurn,
    Hang,
    ModelRequest,
    Refuse,
    Script,
    SearchResults,
    Step,
    play_turns,
)

from pytest_searchlight.domain import Budgets, CallOutcome, RunStatus, SetupKind, Usage
from pytest_searchlight.runner import settle_trace
from pytest_searchlight.workspace import find_marked_processes

BAD_KEY = Fail(status=401, code="authentication_error", message="invalid key")
TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum"

FAULTS: dict[tuple[str, str], tuple[Step, RunStatus, str]] = {
    ("claude-code", "bad key"): (BAD_KEY, RunStatus.AGENT_ERROR, "fault_auth"),
    ("claude-code", "rate limit"): (
        Fail(status=429, code="rate_limit_error", message="slow down"),
        RunStatus.RATE_LIMITED,
        "fault_rate_limit",
    ),
    ("claude-code", "overload"): (
        Fail(status=529, code="overloaded_error", message="Overloaded"),
        RunStatus.RATE_LIMITED,
        "fault_overload",
    ),
    ("claude-code", "refusal"): (Refuse(), RunStatus.REFUSED, "fault_refusal"),
    ("claude-code", "context overflow"): (
        Fail(status=400, code="invalid_request_error", message=TOO_LONG),
        RunStatus.BUDGET_EXHAUSTED,
        "fault_context_overflow",
    ),
    ("claude-code", "cut stream"): (CutStream(), RunStatus.AGENT_ERROR, "fault_connection_lost"),
    ("codex", "bad key"): (BAD_KEY, RunStatus.AGENT_ERROR, "fault_auth"),
    ("codex", "rate limit"): (
        FailTurn(code="rate_limit_exceeded", message="Rate limit reached. Please try again in 7.5s."),
        RunStatus.RATE_LIMITED,
        "fault_rate_limit",
    ),
    ("codex", "overload"): (
        Fail(status=529, code="overloaded", message="Overloaded"),
        RunStatus.RATE_LIMITED,
        "fault_overload",
    ),
    ("codex", "at capacity"): (
        FailTurn(code="server_is_overloaded", message="overloaded"),
        RunStatus.RATE_LIMITED,
        "fault_overload",
    ),
    ("codex", "refusal"): (
        FailTurn(
            code="invalid_prompt",
            message="Your prompt was flagged as potentially violating our usage policy.",
        ),
        RunStatus.REFUSED,
        "fault_refusal",
    ),
    ("codex", "context overflow"): (
        FailTurn(code="context_length_exceeded", message="Your input exceeds the context window."),
        RunStatus.BUDGET_EXHAUSTED,
        "fault_context_overflow",
    ),
    ("codex", "cut stream"): (CutStream(), RunStatus.AGENT_ERROR, "fault_connection_lost"),
    ("codex", "quota"): (
        Fail(status=429, code="insufficient_quota", message="You exceeded your current quota"),
        RunStatus.AGENT_ERROR,
        "fault_billing",
    ),
}


@pytest.mark.parametrize(("agent", "fault"), FAULTS)
def test_a_fault_ends_in_its_own_status_and_never_in_an_answer(stage: Stage, agent: str, fault: str) -> None:
    step, status, flag = FAULTS[agent, fault]
    trace = stage.play(agent, play_turns(step)).trace
    assert (trace.status, trace.answer_text) == (status, None), trace.reason
    assert flag in trace.flags
    assert trace.reason
    assert trace.transcript


def test_a_rate_limit_tells_how_long_to_wait(stage: Stage) -> None:
    claude = Fail(status=429, code="rate_limit_error", message="slow down", retry_after_s=1)
    trace = stage.play("claude-code", play_turns(claude), max_retries=1).trace
    assert trace.retry_after_s == 1.0
    step, _, _ = FAULTS["codex", "rate limit"]
    assert stage.play("codex", play_turns(step)).trace.retry_after_s == 7.5


@pytest.mark.parametrize("agent", AGENTS)
def test_a_product_that_is_killed_ends_in_an_agent_error_and_leaves_no_process(
    stage: Stage, agent: str
) -> None:
    played = stage.play(agent, kill_product(stage))
    assert played.trace.status is RunStatus.AGENT_ERROR
    assert "fault_crash" in played.trace.flags
    assert "without a final event" in played.trace.reason
    assert not find_marked_processes(played.job.run.run_id)


def kill_product(stage: Stage) -> Script:
    """A model that has the product killed when it asks its first question."""

    def kill(_: ModelRequest) -> Step:
        for pid in find_marked_processes(stage.latest_run_id):
            if not Path(f"/proc/{pid}/comm").read_text().startswith("python"):
                os.kill(pid, signal.SIGKILL)
        return Hang()

    return kill


def test_a_turn_without_a_message_is_an_empty_answer(stage: Stage) -> None:
    # Codex drops a refusal that the model gives as such; what is left is a finished turn that says nothing.
    trace = stage.play("codex", play_turns(Refuse())).trace
    assert (trace.status, trace.answer_text) == (RunStatus.GRADED, "")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_run_over_its_token_budget_is_exhausted_even_when_it_gave_an_answer(
    stage: Stage, agent: str
) -> None:
    trace = stage.play(agent, play_turns(Answer(text="red")), budgets=Budgets(tokens=100)).trace
    assert (trace.status, trace.answer_text) == (RunStatus.BUDGET_EXHAUSTED, None)
    assert "of a budget of 100" in trace.reason


@pytest.mark.parametrize("agent", AGENTS)
def test_tokens_that_were_not_counted_are_unknown(stage: Stage, agent: str) -> None:
    trace = stage.play(agent, play_turns(Answer(text="red", tokens=None))).trace
    assert (trace.status, trace.usage) == (RunStatus.GRADED, Usage())


@pytest.mark.parametrize(
    ("found", "outcome", "status"),
    [
        (
            Fail(status=500, code="api_error", message="search is down"),
            CallOutcome.ERROR,
            RunStatus.PROVIDER_ERROR,
        ),
        (SearchResults(pages=()), CallOutcome.OK, RunStatus.GRADED),
    ],
    ids=["down", "nothing found"],
)
def test_claude_codes_own_search_that_is_down_counts_as_one_and_never_as_a_wrong_answer(
    stage: Stage, found: Step, outcome: CallOutcome, status: RunStatus
) -> None:
    search = play_turns(CallTool(tool="WebSearch", arguments={"query": "red lamps"}), Answer(text="red"))

    def play(request: ModelRequest) -> Step:
        return found if request.kind == "web-search" else search(request)

    trace = stage.play("claude-code", play, kind=SetupKind.BUILT_IN).trace
    assert [(call.tool, call.outcome, call.executed) for call in trace.tool_calls] == [
        ("WebSearch", outcome, True)
    ]
    assert settle_trace(trace, None, setup=make_setup(SetupKind.BUILT_IN)).status is status
