"""Claude Code's event stream, from recorded lines and the variants that have been seen of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_stage import make_result, make_server, make_setup, read_pin

from pytest_searchlight.agents.claude_code import read_ending
from pytest_searchlight.agents.claude_events import ClaudeStream
from pytest_searchlight.agents.contract import write_contract
from pytest_searchlight.agents.endings import conclude
from pytest_searchlight.domain import CallOutcome, RunStatus, SetupKind, Usage
from pytest_searchlight.extensions import AgentTrace
from pytest_searchlight.workspace import ProcessResult
from pytest_searchlight.workspace.supervision import EndedBy

RECORDED = Path(__file__).with_name("recorded")
MODEL = "claude-opus-5-5"
Events = list[dict[str, Any]]


def load_events(scene: str) -> Events:
    lines = (RECORDED / f"claude-code-{scene}.jsonl").read_bytes().split(b"\n")
    return [json.loads(line) for line in lines if line]


def hear(events: Events | list[bytes], *, token_budget: int | None = None) -> ClaudeStream:
    contract = write_contract(
        read_pin("claude-code"), setup=make_setup(SetupKind.PROVIDER), server=make_server()
    )
    stream = ClaudeStream(contract, token_budget=token_budget)
    for event in events:
        stream.hear(event if isinstance(event, bytes) else json.dumps(event).encode())
    return stream


def trace_of(stream: ClaudeStream, result: ProcessResult) -> AgentTrace:
    return conclude(read_ending(stream, model=MODEL), result=result)


@pytest.fixture
def clean_exit(tmp_path: Path) -> ProcessResult:
    return make_result(tmp_path)


def change_last(events: Events, **changes: object) -> Events:
    """The recorded stream with another final event."""
    return [*events[:-1], events[-1] | changes]


# --- calls, usage, tools ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("\n\nWeb search error: unavailable\n\nREMINDER", CallOutcome.ERROR),
        ("\n\nAPI Error: 529 Overloaded", CallOutcome.ERROR),
        ("\n\nLinks: [1]\n\nWeb search error: max_uses_exceeded", CallOutcome.OK),
        ("\n\nWhat Web search error: means", CallOutcome.OK),
    ],
)
def test_a_search_of_the_products_own_that_failed_is_told_from_one_that_did_not(
    text: str, outcome: CallOutcome
) -> None:
    use = {"type": "tool_use", "id": "t", "name": "WebSearch", "input": {"query": 'say "x"'}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": f'Web search results for query: "say "x""{text}',
    }
    stream = hear(
        [
            {"type": "assistant", "message": {"content": [use]}},
            {"type": "user", "message": {"content": [result]}},
        ]
    )
    (call,) = stream.list_calls()
    assert (call.outcome, call.error_text is None) == (outcome, outcome is CallOutcome.OK)


def test_calls_that_ran_failed_and_never_ran_are_told_apart() -> None:
    good, failed, outside = hear(load_events("search")).list_calls()
    assert (good.server, good.tool, good.outcome, good.executed) == (
        "closed-web",
        "web_search",
        CallOutcome.OK,
        True,
    )
    assert good.arguments == {"query": "lighthouse colour"}
    assert "lighthouse colour" in (good.result_text or "")
    assert (failed.outcome, failed.executed) == (CallOutcome.ERROR, True)
    assert (outside.server, outside.tool, outside.outcome) == (None, "Bash", CallOutcome.REFUSED)
    assert outside.executed is False


def test_a_call_without_a_result_is_unanswered() -> None:
    events = [event for event in load_events("search") if event["type"] != "user"]
    calls = hear(events).list_calls()
    assert {(call.outcome, call.executed) for call in calls} == {(CallOutcome.UNANSWERED, None)}


def test_tokens_are_those_of_all_models_and_disjoint(clean_exit: ProcessResult) -> None:
    usage = trace_of(hear(load_events("search")), clean_exit).usage
    assert usage == Usage(input_tokens=400, cached_input_tokens=160, cache_write_tokens=40, output_tokens=100)


def test_tokens_without_the_models_share_come_from_the_total(clean_exit: ProcessResult) -> None:
    events = change_last(load_events("search"), modelUsage={})
    assert trace_of(hear(events), clean_exit).usage.input_tokens == 400


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": 0, "output_tokens": 0}, "many"])
def test_usage_that_is_missing_or_nothing_is_unknown(clean_exit: ProcessResult, usage: object) -> None:
    events = change_last(load_events("search"), modelUsage={}, usage=usage)
    trace = trace_of(hear(events), clean_exit)
    assert (trace.status, trace.usage) == (RunStatus.GRADED, Usage())


def test_tools_offered_carry_the_servers_own_names() -> None:
    offered = hear(load_events("search")).list_tools_offered()
    assert offered == ("Read", "ToolSearch", "web_fetch", "web_search")


def test_the_products_own_cost_is_kept_beside(clean_exit: ProcessResult) -> None:
    assert trace_of(hear(load_events("search")), clean_exit).cli_reported_usd == pytest.approx(0.00483)


def test_an_answer_by_another_model_is_marked(clean_exit: ProcessResult) -> None:
    events = load_events("search")
    shares = {MODEL: {"inputTokens": 1, "outputTokens": 1}, "claude-haiku-4-5": {"inputTokens": 1}}
    assert "other_model" in trace_of(hear(change_last(events, modelUsage=shares)), clean_exit).flags
    dated = {f"{MODEL}-20261101": {"inputTokens": 1, "outputTokens": 1}}
    assert "other_model" not in trace_of(hear(change_last(events, modelUsage=dated)), clean_exit).flags


# --- lines as they come ----------------------------------------------------------------------------------


def test_unknown_events_are_kept_and_change_nothing(clean_exit: ProcessResult) -> None:
    events = load_events("search")
    events.insert(3, {"type": "weather", "sunny": True})
    events.insert(3, {"type": "system", "subtype": "hook_started"})
    trace = trace_of(hear(events), clean_exit)
    assert trace.answer_text == load_events("search")[-1]["result"]
    assert {"type": "weather", "sunny": True} in trace.transcript


@pytest.mark.parametrize("value", [None, 7, 1.5, "x", [], [["x"]], {"a": 1}, 10**400])
def test_no_field_of_a_final_event_is_so_odd_that_the_answer_is_lost(
    clean_exit: ProcessResult, value: object
) -> None:
    events = load_events("search")
    for name in sorted(set(events[-1]) - {"type", "subtype", "is_error", "result", "terminal_reason"}):
        if name == "api_error_status" and value is not None:
            continue
        trace = trace_of(hear(change_last(events, **{name: value})), clean_exit)
        assert trace.status is RunStatus.GRADED, name
        assert trace.model_dump_json()


@pytest.mark.parametrize("name", ["tools", "mcp_servers"])
@pytest.mark.parametrize("value", [None, 7, "x", [7], [["x"]], [{"name": []}], {"a": 1}])
def test_tools_that_are_listed_oddly_are_not_there(
    clean_exit: ProcessResult, name: str, value: object
) -> None:
    first, *others = load_events("search")
    assert trace_of(hear([first | {name: value}, *others]), clean_exit).status is RunStatus.SETUP_UNAVAILABLE


def test_lines_that_are_no_events_are_kept_and_change_nothing(clean_exit: ProcessResult) -> None:
    lines = [b"npm notice", b"\xff\xfe", b"[1, 2]", b"  ", *map(_encode, load_events("search"))]
    trace = trace_of(hear(lines), clean_exit)
    assert trace.status is RunStatus.GRADED
    assert [step["type"] for step in trace.transcript[:3]] == ["unparsed"] * 3


def _encode(event: dict[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False).encode()


def test_separators_inside_an_answer_do_not_break_it(clean_exit: ProcessResult) -> None:
    answer = "a\u2028b\u0085c"
    lines = [_encode(event) for event in change_last(load_events("search"), result=answer)]
    assert trace_of(hear(lines), clean_exit).answer_text == answer


def test_numbers_that_json_cannot_hold_are_unknown_and_cost_no_answer(clean_exit: ProcessResult) -> None:
    usage = {"input_tokens": 10**30, "output_tokens": float("nan")}
    events = change_last(load_events("search"), total_cost_usd=float("inf"), usage=usage, modelUsage={})
    trace = trace_of(hear([_encode(event) for event in events]), clean_exit)
    assert (trace.status, trace.usage, trace.cli_reported_usd) == (RunStatus.GRADED, Usage(), None)
    assert trace.transcript[-1]["usage"] == {"input_tokens": 10**30, "output_tokens": None}


def test_a_line_that_nests_too_deep_is_kept_unread(clean_exit: ProcessResult) -> None:
    deep = b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    lines = [deep, *(_encode(event) for event in load_events("search"))]
    trace = trace_of(hear(lines), clean_exit)
    assert trace.status is RunStatus.GRADED
    assert trace.transcript[0]["type"] == "unparsed"


def test_an_answer_that_is_handed_over_as_an_object_is_kept(clean_exit: ProcessResult) -> None:
    trace = trace_of(hear(change_last(load_events("search"), result={"colour": "red"})), clean_exit)
    assert trace.answer_text == '{"colour": "red"}'


# --- endings ---------------------------------------------------------------------------------------------


def list_faulty_endings() -> Iterator[tuple[str, dict[str, Any], RunStatus]]:
    """Ends that look like success in one field or another, as they have been reported."""
    yield (
        "is_error with exit code 0",
        {"is_error": True, "terminal_reason": "api_error", "api_error_status": 403, "result": "forbidden"},
        RunStatus.AGENT_ERROR,
    )
    yield (
        "an error text that calls itself a success",
        {"result": "[API Error: 401 unauthorized]", "modelUsage": {}, "usage": {"input_tokens": 0}},
        RunStatus.AGENT_ERROR,
    )
    for text in ("Not logged in \u00b7 Please run /login", "Credit balance is too low", "Error: 401 denied"):
        nothing = {"input_tokens": 0, "output_tokens": 0}
        yield text, {"result": text, "modelUsage": {}, "usage": nothing}, RunStatus.AGENT_ERROR
    yield "a status without is_error", {"api_error_status": 529, "result": "busy"}, RunStatus.RATE_LIMITED
    yield "rate limit", {"is_error": True, "api_error_status": 429}, RunStatus.RATE_LIMITED
    yield "too many turns", {"subtype": "error_max_turns"}, RunStatus.BUDGET_EXHAUSTED
    yield "died inside", {"subtype": "error_during_execution", "result": None}, RunStatus.AGENT_ERROR
    yield "overflow", {"terminal_reason": "prompt_too_long"}, RunStatus.BUDGET_EXHAUSTED
    yield "refusal", {"is_error": True, "stop_reason": "refusal"}, RunStatus.REFUSED


@pytest.mark.parametrize(
    ("changes", "status"),
    [pytest.param(changes, status, id=name) for name, changes, status in list_faulty_endings()],
)
def test_an_error_never_becomes_an_answer(
    clean_exit: ProcessResult, changes: dict[str, Any], status: RunStatus
) -> None:
    trace = trace_of(hear(change_last(load_events("search"), **changes)), clean_exit)
    assert (trace.status, trace.answer_text) == (status, None), trace.reason


def test_a_message_the_product_made_up_is_no_answer(clean_exit: ProcessResult) -> None:
    events = load_events("refusal")
    trace = trace_of(hear(change_last(events, is_error=False, stop_reason="end_turn")), clean_exit)
    assert (trace.status, trace.answer_text) == (RunStatus.REFUSED, None)


def test_an_answer_that_speaks_of_errors_is_an_answer(clean_exit: ProcessResult) -> None:
    text = "API Error 401 means that the key is wrong."
    trace = trace_of(hear(change_last(load_events("search"), result=text)), clean_exit)
    assert (trace.status, trace.answer_text) == (RunStatus.GRADED, text)


@pytest.mark.parametrize(
    ("ended_by", "exit_code", "flag"),
    [
        ("exit", 1, "nonzero_exit"),
        ("stopped", 143, "stopped_after_final_event"),
        ("timeout", 137, "stopped_after_final_event"),
    ],
)
def test_a_real_answer_is_kept_however_the_process_went_on(
    tmp_path: Path, ended_by: EndedBy, exit_code: int, flag: str
) -> None:
    result = make_result(tmp_path, ended_by=ended_by, exit_code=exit_code)
    trace = trace_of(hear(load_events("search")), result)
    assert (trace.status, trace.answer_text) == (RunStatus.GRADED, load_events("search")[-1]["result"])
    assert flag in trace.flags


def test_two_final_events_are_a_corrupt_stream(clean_exit: ProcessResult) -> None:
    events = load_events("search")
    trace = trace_of(hear([*events, events[-1]]), clean_exit)
    assert (trace.status, trace.answer_text) == (RunStatus.AGENT_ERROR, None)
    assert "corrupt_stream" in trace.flags


def test_no_final_event_is_a_crash_that_names_the_last_words(tmp_path: Path) -> None:
    trace = trace_of(
        hear(load_events("search")[:-1]), make_result(tmp_path, exit_code=139, stderr="core dumped\n")
    )
    assert trace.status is RunStatus.AGENT_ERROR
    assert "exit code 139" in trace.reason
    assert "core dumped" in trace.reason
    assert len(trace.tool_calls) == 3


def test_a_denied_tool_of_the_contract_is_a_fault_of_ours(clean_exit: ProcessResult) -> None:
    denial = {"tool_name": "mcp__closed-web__web_search", "tool_use_id": "x", "tool_input": {}}
    trace = trace_of(hear(change_last(load_events("search"), permission_denials=[denial])), clean_exit)
    assert trace.status is RunStatus.AGENT_ERROR
    assert "contract_tool_denied" in trace.flags


def test_a_denial_is_seen_in_a_tool_result_too(clean_exit: ProcessResult) -> None:
    events = load_events("search")
    refused = (
        "Claude requested permissions to use mcp__closed-web__web_search, but you haven't granted it yet."
    )
    result = next(event for event in events if event["type"] == "user")["message"]["content"][0]
    result |= {"is_error": True, "content": refused}
    assert trace_of(hear(events), clean_exit).status is RunStatus.AGENT_ERROR


def test_a_denied_tool_outside_the_contract_is_the_contract_at_work(clean_exit: ProcessResult) -> None:
    denial = {"tool_name": "Bash", "tool_use_id": "x", "tool_input": {}}
    trace = trace_of(hear(change_last(load_events("search"), permission_denials=[denial])), clean_exit)
    assert trace.status is RunStatus.GRADED


@pytest.mark.parametrize(("delay_ms", "wait_s"), [(7000, 7.0), (620.105771321355, None), (None, None)])
def test_only_a_wait_that_was_asked_for_is_passed_on(
    clean_exit: ProcessResult, delay_ms: float | None, wait_s: float | None
) -> None:
    events = load_events("search")
    events.insert(1, {"type": "system", "subtype": "api_retry", "retry_delay_ms": delay_ms})
    limited = change_last(events, is_error=True, api_error_status=429)
    assert trace_of(hear(limited), clean_exit).retry_after_s == wait_s


# --- what ends a run early -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["failed", "pending", "needs-auth"])
def test_a_server_that_is_not_connected_ends_the_run_at_once(tmp_path: Path, status: str) -> None:
    init = load_events("search")[0] | {"mcp_servers": [{"name": "closed-web", "status": status}]}
    stream = hear([])
    stop = stream.hear(_encode(init))
    assert stop is not None
    assert stop.after_s == 0
    trace = trace_of(stream, make_result(tmp_path, ended_by="stopped", stop_reason=stop.reason))
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert status in trace.reason


def test_a_final_event_starts_the_time_to_exit() -> None:
    stream = hear([])
    stops = [stream.hear(_encode(event)) for event in load_events("search")]
    assert [stop is not None for stop in stops] == [False] * (len(stops) - 1) + [True]
    assert stops[-1] is not None
    assert stops[-1].after_s == 10.0


def test_a_token_budget_ends_the_run_while_it_goes_on(tmp_path: Path) -> None:
    stream = hear([], token_budget=400)
    stops = [stream.hear(_encode(event)) for event in load_events("search")[:-1]]
    # 175 tokens a message: the third is one too many.
    assert next(index for index, stop in enumerate(stops) if stop is not None) == 5
    trace = trace_of(stream, make_result(tmp_path, ended_by="stopped", stop_reason="budget"))
    assert trace.status is RunStatus.BUDGET_EXHAUSTED
