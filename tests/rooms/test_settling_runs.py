"""How a run really ended: what the agent says, held against what went over the wire."""

from __future__ import annotations

import pytest
from rooms.records_for_tests import SHOP, meter_calls

from pytest_searchlight.agents.contract import CALL_LIMIT_S
from pytest_searchlight.domain import CallOutcome, RunStatus, SearchSetup, SetupKind, ToolCall
from pytest_searchlight.extensions import AgentTrace
from pytest_searchlight.metering import Metering
from pytest_searchlight.runner import confirm_record, is_worth_repeating, settle_trace

RIGHT = AgentTrace(status=RunStatus.GRADED, answer_text='{"colour": "blue"}')
FAULT = AgentTrace(status=RunStatus.AGENT_ERROR, reason="it crashed")


def test_an_answer_without_a_server_is_from_memory_and_measures_nothing() -> None:
    trace = settle_trace(RIGHT, meter_calls(listed=False), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "did not see the server list its tools (reached: started)" in trace.reason
    assert "no key" in trace.reason


def test_a_server_that_lists_too_few_tools_measures_nothing() -> None:
    bare = meter_calls("ok").model_copy(update={"tools": ()})
    trace = settle_trace(RIGHT, bare, setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "did not see the server list tools find, read" in trace.reason


def test_a_record_that_breaks_off_is_complete_when_the_agent_reports_the_same_calls() -> None:
    torn = meter_calls("ok").model_copy(update={"recording_incomplete": True, "intact": True})
    call = ToolCall(tool="find", server="shop", outcome=CallOutcome.OK)
    told = RIGHT.model_copy(update={"tool_calls": (call,)})
    untold = RIGHT.model_copy(update={"tool_calls": (call, call)})
    damaged = torn.model_copy(update={"intact": False})
    outcomes = [
        confirm_record(torn, told, server="shop"),
        confirm_record(torn, untold, server="shop"),
        confirm_record(damaged, told, server="shop"),
    ]
    assert [metering and metering.recording_incomplete for metering in outcomes] == [False, True, True]


def test_a_meter_that_never_ran_is_unobserved() -> None:
    trace = settle_trace(RIGHT, Metering(), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "reached: unobserved" in trace.reason


def test_a_setup_that_an_agent_found_unavailable_is_explained_by_the_servers_last_words() -> None:
    told = AgentTrace(status=RunStatus.SETUP_UNAVAILABLE, reason="shop is failed")
    reason = settle_trace(told, meter_calls(listed=False), setup=SHOP).reason
    assert reason == "shop is failed; the server's last words: no key"


@pytest.mark.parametrize("status", [RunStatus.TIMEOUT, RunStatus.BUDGET_EXHAUSTED, RunStatus.REFUSED])
def test_a_run_without_its_tools_measures_nothing_however_it_ended(status: RunStatus) -> None:
    trace = settle_trace(AgentTrace(status=status), meter_calls(listed=False), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE


def test_a_server_that_died_before_any_success_measures_nothing() -> None:
    trace = settle_trace(RIGHT, meter_calls("server_died"), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "the server's last words: no key" in trace.reason


def test_a_server_that_died_after_a_success_is_flagged() -> None:
    trace = settle_trace(RIGHT, meter_calls("ok", "server_died"), setup=SHOP)
    assert trace.status is RunStatus.GRADED
    assert "server_died" in trace.flags


def test_a_refused_handshake_is_told_with_the_servers_last_words() -> None:
    refused = meter_calls(listed=False).model_copy(
        update={"start_failure": "initialize was refused: HTTP 401"}
    )
    reason = settle_trace(RIGHT, refused, setup=SHOP).reason
    assert reason.endswith("the server's last words: initialize was refused: HTTP 401 no key")


def test_a_list_of_tools_that_never_ends_is_flagged() -> None:
    endless = meter_calls("ok").model_copy(update={"repeated_cursor": True})
    assert settle_trace(RIGHT, endless, setup=SHOP).flags == ("repeated_cursor",)


@pytest.mark.parametrize(
    ("status", "settled"),
    [
        (RunStatus.TIMEOUT, RunStatus.PROVIDER_ERROR),
        (RunStatus.GRADED, RunStatus.GRADED),
        (RunStatus.BUDGET_EXHAUSTED, RunStatus.BUDGET_EXHAUSTED),
    ],
)
def test_only_a_run_that_ran_out_of_time_waited_in_vain_for_a_call_without_an_answer(
    status: RunStatus, settled: RunStatus
) -> None:
    assert settle_trace(AgentTrace(status=status), meter_calls("unanswered"), setup=SHOP).status is settled


def test_a_provider_that_failed_every_call_is_told_by_its_last_word() -> None:
    metering = meter_calls("protocol_error", "protocol_error")
    told = [
        call.model_copy(update={"http_status": status, "error_text": text, "retry_after_s": wait_s})
        for call, (status, text, wait_s) in zip(
            metering.calls, [(500, "broken", None), (429, "slower", 7.0)], strict=True
        )
    ]
    trace = settle_trace(RIGHT, metering.model_copy(update={"calls": tuple(told)}), setup=SHOP)
    assert (trace.status, trace.retry_after_s) == (RunStatus.RATE_LIMITED, 7.0)
    assert trace.reason == "none of 2 provider call(s) was answered; the last one: slower"


def cancel(*, after_s: float) -> Metering:
    (call,) = meter_calls("cancelled").calls
    return meter_calls().model_copy(update={"calls": (call.model_copy(update={"latency_s": after_s}),)})


def test_a_server_whose_calls_were_all_given_up_at_their_limit_measures_nothing() -> None:
    trace = settle_trace(RIGHT, cancel(after_s=CALL_LIMIT_S - 0.1), setup=SHOP)
    assert (trace.status, trace.reason) == (
        RunStatus.PROVIDER_ERROR,
        "the provider's server never answered a call in time",
    )


def test_a_call_that_the_agent_gave_up_of_its_own_accord_is_measured() -> None:
    assert settle_trace(RIGHT, cancel(after_s=3), setup=SHOP).status is RunStatus.GRADED


def test_a_server_that_answered_once_is_measured_though_a_later_call_was_given_up() -> None:
    metering = meter_calls("ok")
    both = metering.model_copy(update={"calls": (*metering.calls, *cancel(after_s=CALL_LIMIT_S).calls)})
    assert settle_trace(RIGHT, both, setup=SHOP).status is RunStatus.GRADED


BUILT_IN = SearchSetup(name="built-in", kind=SetupKind.BUILT_IN)
OWN_SEARCH = ToolCall(tool="WebSearch", outcome=CallOutcome.ERROR, error_text="Web search error: unavailable")


def test_an_agents_own_search_that_never_once_answered_measures_nothing_either() -> None:
    told = RIGHT.model_copy(update={"tool_calls": (OWN_SEARCH, OWN_SEARCH)})
    trace = settle_trace(told, None, setup=BUILT_IN)
    assert trace.status is RunStatus.PROVIDER_ERROR
    assert trace.reason.endswith("the last one: Web search error: unavailable")
    assert is_worth_repeating(trace)


def test_a_run_that_ended_while_its_first_own_search_hung_measures_nothing() -> None:
    hung = OWN_SEARCH.model_copy(update={"outcome": CallOutcome.UNANSWERED, "executed": None})
    late = AgentTrace(status=RunStatus.TIMEOUT, tool_calls=(hung,))
    assert settle_trace(late, None, setup=BUILT_IN).status is RunStatus.PROVIDER_ERROR
    spent = late.model_copy(update={"status": RunStatus.BUDGET_EXHAUSTED})
    assert settle_trace(spent, None, setup=BUILT_IN) == spent


@pytest.mark.parametrize(
    "calls",
    [
        (),
        (OWN_SEARCH, OWN_SEARCH.model_copy(update={"outcome": CallOutcome.OK})),
        (OWN_SEARCH, ToolCall(tool="WebFetch", outcome=CallOutcome.OK)),
        (ToolCall(tool="WebFetch", outcome=CallOutcome.ERROR),),
        (OWN_SEARCH.model_copy(update={"outcome": CallOutcome.REFUSED, "executed": False}),),
    ],
)
def test_a_run_whose_own_search_answered_or_was_not_made_is_measured(calls: tuple[ToolCall, ...]) -> None:
    told = RIGHT.model_copy(update={"tool_calls": calls})
    assert settle_trace(told, None, setup=BUILT_IN) == told


def test_a_fault_that_the_agent_told_stands_before_a_search_that_failed() -> None:
    fault = FAULT.model_copy(update={"tool_calls": (OWN_SEARCH,)})
    assert settle_trace(fault, None, setup=BUILT_IN) == fault


def test_calls_beyond_the_budget_are_flagged() -> None:
    assert settle_trace(RIGHT, meter_calls("ok", "refused_budget"), setup=SHOP).flags == ("refused_budget",)


def test_a_fault_that_the_agent_told_itself_stays_as_it_is() -> None:
    assert settle_trace(FAULT, meter_calls("server_died", listed=False), setup=SHOP) is FAULT
    assert settle_trace(RIGHT, None, setup=SHOP) is RIGHT
