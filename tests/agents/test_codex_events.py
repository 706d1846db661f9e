"""Codex's event stream, from recorded lines and the variants that have been seen of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_stage import make_result, make_server, make_setup, read_pin

from pytest_searchlight.agents.codex import read_ending
from pytest_searchlight.agents.codex_events import CodexStream
from pytest_searchlight.agents.contract import write_contract
from pytest_searchlight.agents.endings import conclude
from pytest_searchlight.domain import CallOutcome, RunStatus, SetupKind, Usage
from pytest_searchlight.extensions import AgentTrace

RECORDED = Path(__file__).with_name("recorded")
Events = list[dict[str, Any]]


def load_events(scene: str) -> Events:
    lines = (RECORDED / f"codex-{scene}.jsonl").read_bytes().split(b"\n")
    return [json.loads(line) for line in lines if line]


def hear(events: Events) -> CodexStream:
    contract = write_contract(read_pin("codex"), setup=make_setup(SetupKind.PROVIDER), server=make_server())
    stream = CodexStream(contract)
    for event in events:
        stream.hear(json.dumps(event).encode())
    return stream


def trace_of(events: Events, tmp_path: Path, *, stderr: str = "", exit_code: int = 0) -> AgentTrace:
    result = make_result(tmp_path, exit_code=exit_code, stderr=stderr)
    return conclude(read_ending(hear(events), result=result, token_budget=None), result=result)


def make_item(**item: object) -> Events:
    """A finished item, with the events before and after it that make a whole run."""
    start, turn, *_, end = load_events("search")
    return [start, turn, {"type": "item.completed", "item": {"id": "item_9", **item}}, end]


# --- calls and usage -------------------------------------------------------------------------------------


def test_calls_that_ran_and_failed_are_told_apart() -> None:
    good, failed = hear(load_events("search")).list_calls()
    assert (good.server, good.tool, good.outcome, good.executed) == (
        "closed-web",
        "web_search",
        CallOutcome.OK,
        True,
    )
    assert good.arguments == {"query": "lighthouse colour"}
    assert (failed.outcome, failed.executed) == (CallOutcome.ERROR, True)
    assert "fail" in (failed.error_text or "")


@pytest.mark.parametrize(
    "message",
    ["MCP tool call requires approval, but approval policy is never", "user cancelled MCP tool call"],
)
def test_a_refused_tool_of_the_contract_is_a_fault_of_ours(tmp_path: Path, message: str) -> None:
    item = {"type": "mcp_tool_call", "server": "closed-web", "tool": "web_search", "status": "failed"}
    trace = trace_of(make_item(**item, error={"message": message}), tmp_path)
    assert trace.status is RunStatus.AGENT_ERROR
    assert "contract_tool_denied" in trace.flags
    assert [(call.outcome, call.executed) for call in trace.tool_calls] == [(CallOutcome.REFUSED, False)]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"content": [], "structured_content": {"colour": "red"}}, '{"colour":"red"}'),
        ({"content": [{"type": "resource", "resource": {"uri": "a://b", "text": "red"}}]}, "red"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
    ],
)
def test_whatever_form_a_result_has_its_text_is_kept(result: dict[str, object], text: str) -> None:
    item = {"type": "mcp_tool_call", "server": "closed-web", "tool": "web_search", "status": "completed"}
    (call,) = hear(make_item(**item, result=result)).list_calls()
    assert call.result_text == text


def test_a_call_that_was_only_started_is_unanswered() -> None:
    started = [event for event in load_events("search") if event["type"] != "item.completed"]
    assert {call.outcome for call in hear(started).list_calls()} == {CallOutcome.UNANSWERED}


@pytest.mark.parametrize(
    ("item", "tool"),
    [
        ({"type": "web_search", "query": "red", "action": {"type": "search"}}, "web_search"),
        ({"type": "command_execution", "command": "id", "status": "completed", "exit_code": 0}, "shell"),
        ({"type": "file_change", "changes": [], "status": "completed"}, "apply_patch"),
        ({"type": "collab_tool_call", "tool": "spawn_agent", "status": "completed"}, "spawn_agent"),
    ],
)
def test_every_sort_of_tool_is_seen_by_the_audit(item: dict[str, Any], tool: str) -> None:
    (call,) = hear(make_item(**item)).list_calls()
    assert (call.server, call.tool, call.executed) == (None, tool, True)


def test_a_declined_command_was_attempted_and_did_not_run() -> None:
    (call,) = hear(make_item(type="command_execution", command="id", status="declined")).list_calls()
    assert (call.outcome, call.executed) == (CallOutcome.REFUSED, False)


def test_tools_that_codex_lends_to_a_server_are_its_own() -> None:
    listing = make_item(type="mcp_tool_call", server="codex", tool="list_mcp_resources", status="completed")
    reading = make_item(type="mcp_tool_call", server="closed-web", tool="read_mcp_resource", status="failed")
    assert hear(listing).list_calls()[0].server is None
    assert hear(reading).list_calls()[0].server is None


def test_calls_to_tools_that_do_not_exist_are_found_on_stderr(tmp_path: Path) -> None:
    stderr = "2026-03-01T00:00:00Z ERROR codex_core::tools::router: error=unsupported call: shell\n"
    trace = trace_of(load_events("search"), tmp_path, stderr=stderr)
    assert (trace.tool_calls[-1].tool, trace.tool_calls[-1].executed) == ("shell", False)


def test_an_item_of_an_unknown_sort_is_marked_and_kept(tmp_path: Path) -> None:
    trace = trace_of(make_item(type="teleport"), tmp_path)
    assert "unknown_item_teleport" in trace.flags


def test_tokens_are_made_disjoint(tmp_path: Path) -> None:
    usage = {
        "input_tokens": 1000,
        "cached_input_tokens": 600,
        "cache_write_input_tokens": 100,
        "output_tokens": 50,
        "reasoning_output_tokens": 20,
    }
    events = [*load_events("search")[:-1], {"type": "turn.completed", "usage": usage}]
    read = trace_of(events, tmp_path).usage
    assert read == Usage(
        input_tokens=300,
        cached_input_tokens=600,
        cache_write_tokens=100,
        output_tokens=30,
        reasoning_tokens=20,
    )
    assert read.total_tokens == 1050


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": 0, "output_tokens": 0}])
def test_usage_that_is_missing_or_nothing_is_unknown(tmp_path: Path, usage: object) -> None:
    events = [*load_events("search")[:-1], {"type": "turn.completed", "usage": usage}]
    trace = trace_of(events, tmp_path)
    assert (trace.status, trace.usage) == (RunStatus.GRADED, Usage())


def test_counts_that_do_not_fit_together_are_unknown(tmp_path: Path) -> None:
    usage = {"input_tokens": 10, "cached_input_tokens": 60, "output_tokens": 5}
    events = [*load_events("search")[:-1], {"type": "turn.completed", "usage": usage}]
    assert trace_of(events, tmp_path).usage.input_tokens is None


# --- endings ---------------------------------------------------------------------------------------------


def test_an_error_on_the_way_is_not_the_end(tmp_path: Path) -> None:
    events = load_events("search")
    events.insert(2, {"type": "error", "message": "Reconnecting... 1/5"})
    trace = trace_of(events, tmp_path)
    assert trace.status is RunStatus.GRADED
    assert "red" in (trace.answer_text or "")


def test_text_before_a_failed_turn_is_no_answer(tmp_path: Path) -> None:
    events = [*load_events("search")[:-1], {"type": "turn.failed", "error": {"message": "gone"}}]
    trace = trace_of(events, tmp_path)
    assert (trace.status, trace.answer_text, trace.usage) == (RunStatus.AGENT_ERROR, None, Usage())
    assert "gone" in trace.reason


def test_a_failure_that_says_little_is_read_with_the_error_before_it(tmp_path: Path) -> None:
    events = load_events("search")[:2]
    events.append({"type": "error", "message": "exceeded retry limit, last status: 429 Too Many Requests"})
    events.append({"type": "turn.failed", "error": {"message": "turn failed"}})
    assert trace_of(events, tmp_path).status is RunStatus.RATE_LIMITED


@pytest.mark.parametrize(
    ("scene", "status"), [("bad-key", RunStatus.AGENT_ERROR), ("overload", RunStatus.RATE_LIMITED)]
)
def test_recorded_faults_end_in_their_status(tmp_path: Path, scene: str, status: RunStatus) -> None:
    trace = trace_of(load_events(scene), tmp_path, exit_code=1)
    assert (trace.status, trace.answer_text) == (status, None)


def test_the_last_message_is_the_answer(tmp_path: Path) -> None:
    events = load_events("search")
    events.insert(
        2, {"type": "item.completed", "item": {"id": "a", "type": "agent_message", "text": "Looking..."}}
    )
    assert trace_of(events, tmp_path).answer_text == load_events("search")[-2]["item"]["text"]


def test_a_finished_and_a_failed_turn_are_a_corrupt_stream(tmp_path: Path) -> None:
    events = [*load_events("search"), {"type": "turn.failed", "error": {"message": "no"}}]
    assert "corrupt_stream" in trace_of(events, tmp_path).flags


def test_a_required_server_that_failed_is_found_on_stderr(tmp_path: Path) -> None:
    stderr = "Error: required MCP servers failed to initialize: closed-web: handshaking failed\n"
    trace = trace_of([], tmp_path, stderr=stderr, exit_code=1)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "handshaking failed" in trace.reason


def test_no_events_at_all_are_a_crash(tmp_path: Path) -> None:
    trace = trace_of([], tmp_path, stderr="segmentation fault", exit_code=139)
    assert (trace.status, trace.answer_text) == (RunStatus.AGENT_ERROR, None)
    assert "segmentation fault" in trace.reason


def test_both_final_events_start_the_time_to_exit() -> None:
    for event in ({"type": "turn.completed"}, {"type": "turn.failed", "error": {}}):
        stop = hear([]).hear(json.dumps(event).encode())
        assert stop is not None
        assert stop.after_s == 10.0
