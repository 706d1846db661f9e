"""The proof that a setup's tools are there before the first turn, with servers that fall short of it."""

from __future__ import annotations

import re

import pytest
from agent_stage import AGENTS, SERVER_NAME, Played, Stage, make_server
from scripted_model import Answer, CallTool, ModelRequest, Step, play_turns

from pytest_searchlight.domain import CallOutcome, RunStatus, SetupKind

SEARCH_THEN_ANSWER = play_turns(
    CallTool(tool="web_search", server=SERVER_NAME, arguments={"query": "red"}), Answer(text="red")
)


def play(stage: Stage, agent: str, *options: str) -> Played:
    server = make_server(*options)
    return stage.play(agent, SEARCH_THEN_ANSWER, kind=SetupKind.PROVIDER, server=server)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_server_that_does_not_start_makes_the_setup_unavailable(stage: Stage, agent: str) -> None:
    trace = play(stage, agent, "--die").trace
    assert (trace.status, trace.answer_text) == (RunStatus.SETUP_UNAVAILABLE, None)
    assert SERVER_NAME in trace.reason


def test_codex_says_why_a_server_did_not_start(stage: Stage) -> None:
    assert "connection closed" in play(stage, "codex", "--die").trace.reason


def test_a_dead_server_costs_codex_no_turn(stage: Stage) -> None:
    assert play(stage, "codex", "--die").requests == ()


def test_a_tool_that_is_missing_makes_the_setup_unavailable(stage: Stage) -> None:
    # Codex does not tell which tools it found; there the metering proxy's list is the proof.
    trace = play(stage, "claude-code", "--hide-fetch").trace
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "web_fetch" in trace.reason


def test_a_tool_that_is_too_many_makes_the_setup_unavailable(stage: Stage) -> None:
    trace = play(stage, "claude-code", "--extra-tool").trace
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "web_crawl" in trace.reason


def test_codex_offers_no_tool_that_the_contract_does_not_name(stage: Stage) -> None:
    server = make_server("--extra-tool")
    played = stage.play(
        "codex", SEARCH_THEN_ANSWER, kind=SetupKind.PROVIDER, server=server, model_name="gpt-5.2"
    )
    assert "mcp__closed_web__web_search" in played.requests[0].tools
    assert "mcp__closed_web__web_crawl" not in played.requests[0].tools


def read_saved_result(request: ModelRequest) -> Step:
    """Search, read the file that the long result was saved to, then a file that is none of its business."""
    if request.turn == 0:
        return CallTool(tool="web_search", server=SERVER_NAME, arguments={"query": "red"})
    if request.turn == 1:
        match = re.search(r"saved to: (\S+)", request.last_result or "")
        assert match, request.last_result
        return CallTool(tool="Read", arguments={"file_path": match[1], "limit": 3})
    if request.turn == 2:
        return CallTool(tool="Read", arguments={"file_path": "/etc/passwd"})
    return Answer(text="red")


def test_claude_code_may_read_a_result_it_saved_and_no_other_file(stage: Stage) -> None:
    server = make_server("--result-chars", "300000")
    trace = stage.play("claude-code", read_saved_result, kind=SetupKind.PROVIDER, server=server).trace
    assert trace.status is RunStatus.GRADED, trace.reason
    saved, other = [call for call in trace.tool_calls if call.tool == "Read"]
    assert (saved.outcome, saved.executed) == (CallOutcome.OK, True)
    assert (other.outcome, other.executed) == (CallOutcome.REFUSED, False)
    assert {"result_offloaded", "offloaded_result_read"} <= set(trace.flags)
    shown = sum(len(call.result_text or "") for call in trace.tool_calls if call is not other)
    assert trace.offloaded_chars == 300_000 - shown


def test_what_was_shown_whole_was_not_offloaded_and_codex_does_not_tell(stage: Stage) -> None:
    assert play(stage, "claude-code").trace.offloaded_chars == 0
    assert play(stage, "codex").trace.offloaded_chars is None
