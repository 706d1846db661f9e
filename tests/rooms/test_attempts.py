"""Attempts at one run: what is tried again and after which pause, and what is not."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from plugin.scripted_agents import ScriptedAgent
from pydantic import JsonValue, ValidationError
from rooms.records_for_tests import SHOP, make_run

from pytest_searchlight.agents.contract import CALL_LIMIT_S
from pytest_searchlight.domain import STATUS_RULES, CallOutcome, RunStatus, SearchSetup, SetupKind, ToolCall
from pytest_searchlight.errors import DiskError, RunError
from pytest_searchlight.evidence import OpenBundle, SessionFolder, open_bundle
from pytest_searchlight.extensions import AgentJob, AgentTrace, ObservedRun
from pytest_searchlight.metering import MeteredCall, MeteredTool, Metering
from pytest_searchlight.runner import (
    MAX_ATTEMPTS,
    Attempts,
    choose_pause_s,
    confirm_record,
    is_worth_repeating,
    name_busy_side,
    settle_trace,
)
from pytest_searchlight.workspace import create_scratch_root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RIGHT = AgentTrace(status=RunStatus.GRADED, answer_text='{"colour": "blue"}')
FAULT = AgentTrace(status=RunStatus.AGENT_ERROR, reason="it crashed")


@dataclass
class Stage:
    """Plays a run whose agent does what `steps` say, one after the other."""

    folder: Path
    steps: list[AgentTrace | BaseException]
    pauses_s: list[float] = field(default_factory=list)
    kept: list[ObservedRun] = field(default_factory=list)
    homes: list[Path] = field(default_factory=list)

    def play(self) -> ObservedRun:
        session = SessionFolder(self.folder / "session")
        session.create()
        with create_scratch_root(self.folder) as scratch:
            attempts = Attempts(
                run=make_run(),
                agent=ScriptedAgent("staged", self.act),
                agent_version="1.0",
                open_workspace=scratch.create_workspace,
                proxy=None,
                open_bundle=lambda: open_bundle(session, "run"),
                keep_failed=self.keep,
                environment={},
                wait=self.pauses_s.append,
            )
            return attempts.settle()[0]

    def act(self, job: AgentJob) -> AgentTrace:
        assert not [*job.home.iterdir(), *job.workspace.iterdir()], "a workspace is fresh"
        (job.home / "login").touch()
        self.homes.append(job.home)
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        return step

    def keep(self, observed: ObservedRun, bundle: OpenBundle) -> None:
        assert bundle.folder.is_dir()
        self.kept.append(observed)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Stage]:
    monkeypatch.chdir(tmp_path)

    def set_up(*steps: AgentTrace | BaseException) -> Stage:
        return Stage(tmp_path, [*steps])

    return set_up


@pytest.mark.parametrize("status", [s for s, rule in STATUS_RULES.items() if not rule.retry])
def test_what_was_measured_is_never_tried_again(stage: Callable[..., Stage], status: RunStatus) -> None:
    played = stage(AgentTrace(status=status))
    assert played.play().attempts == 1
    assert played.pauses_s == []


@pytest.mark.parametrize("status", [s for s, rule in STATUS_RULES.items() if rule.retry])
def test_a_fault_is_tried_again_with_growing_pauses_and_then_given_up(
    stage: Callable[..., Stage], status: RunStatus
) -> None:
    played = stage(*[AgentTrace(status=status)] * MAX_ATTEMPTS)
    observed = played.play()
    assert (observed.trace.status, observed.attempts) == (status, MAX_ATTEMPTS)
    assert played.pauses_s == [1.0, 4.0]
    assert [each.attempts for each in played.kept] == [1, 2]


def test_each_attempt_gets_a_fresh_workspace_that_is_removed(stage: Callable[..., Stage]) -> None:
    played = stage(FAULT, FAULT, RIGHT)
    assert played.play().trace.status is RunStatus.GRADED
    assert len(set(played.homes)) == 3
    assert not any(home.exists() for home in played.homes)


def test_a_provider_that_asks_for_time_gets_it_up_to_two_minutes() -> None:
    assert choose_pause_s(1, retry_after_s=30) == 30
    assert choose_pause_s(2, retry_after_s=0) == 0
    assert choose_pause_s(1, retry_after_s=86_400) == 120


def test_who_asked_for_time_is_the_one_to_be_left_alone(stage: Callable[..., Stage]) -> None:
    alone = stage(RIGHT).play()
    searched = replace(alone, metering=meter("tool_error"))
    waited = alone.trace.model_copy(update={"flags": ("fault_overload",)})
    assert name_busy_side(searched) == searched.run.setup.name
    assert name_busy_side(replace(searched, trace=waited)) == name_busy_side(alone) == alone.run.agent


def test_what_an_adapter_throws_is_a_status_and_never_the_end(stage: Callable[..., Stage]) -> None:
    observed = stage(*[LookupError("no such\ud83d thing")] * MAX_ATTEMPTS).play()
    assert observed.trace.status is RunStatus.AGENT_ERROR
    assert observed.trace.reason.startswith("adapter of agent 'staged' failed: LookupError: no such")


def test_a_run_error_carries_its_own_status(stage: Callable[..., Stage]) -> None:
    fault = RunError("limit", status=RunStatus.RATE_LIMITED, retry_after_s=7)
    played = stage(fault, RIGHT)
    assert played.play().attempts == 2
    assert played.pauses_s == [7]
    assert played.kept[0].trace.status is RunStatus.RATE_LIMITED


@pytest.mark.parametrize("error", [DiskError("full"), KeyboardInterrupt()])
def test_a_full_disk_and_ctrl_c_are_passed_on(stage: Callable[..., Stage], error: BaseException) -> None:
    with pytest.raises(type(error)):
        stage(error).play()


# --- what the wire says ----------------------------------------------------------------------------------


def meter(*outcomes: str, listed: bool = True) -> Metering:
    calls = [
        MeteredCall.model_validate(
            {"request_id": i, "tool": "find", "started_s": 0, "request_bytes": 1, "outcome": outcome}
        )
        for i, outcome in enumerate(outcomes)
    ]
    return Metering(
        started=True,
        tools_listed=listed,
        tools=tuple(
            MeteredTool(name=tool.name, description_chars=0, schema_sha256="0")
            for tool in SHOP.tools
            if listed
        ),
        calls=tuple(calls),
        stderr_tail="no key",
        recording_incomplete=False,
    )


def test_an_answer_without_a_server_is_from_memory_and_measures_nothing() -> None:
    trace = settle_trace(RIGHT, meter(listed=False), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "did not see the server list its tools (reached: started)" in trace.reason
    assert "no key" in trace.reason


def test_a_server_that_lists_too_few_tools_measures_nothing() -> None:
    bare = meter("ok").model_copy(update={"tools": ()})
    trace = settle_trace(RIGHT, bare, setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "did not see the server list tools find, read" in trace.reason


def test_a_record_that_breaks_off_is_complete_when_the_agent_reports_the_same_calls() -> None:
    torn = meter("ok").model_copy(update={"recording_incomplete": True, "intact": True})
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


def test_a_refused_login_is_not_tried_again() -> None:
    refused = FAULT.model_copy(update={"status": RunStatus.AGENT_ERROR, "flags": ("fault_auth",)})
    assert not is_worth_repeating(refused)
    assert is_worth_repeating(refused.model_copy(update={"flags": ()}))


def test_a_meter_that_never_ran_is_unobserved() -> None:
    trace = settle_trace(RIGHT, Metering(), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "reached: unobserved" in trace.reason


def test_a_setup_that_an_agent_found_unavailable_is_explained_by_the_servers_last_words() -> None:
    told = AgentTrace(status=RunStatus.SETUP_UNAVAILABLE, reason="shop is failed")
    reason = settle_trace(told, meter(listed=False), setup=SHOP).reason
    assert reason == "shop is failed; the server's last words: no key"


@pytest.mark.parametrize("status", [RunStatus.TIMEOUT, RunStatus.BUDGET_EXHAUSTED, RunStatus.REFUSED])
def test_a_run_without_its_tools_measures_nothing_however_it_ended(status: RunStatus) -> None:
    trace = settle_trace(AgentTrace(status=status), meter(listed=False), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE


def test_a_server_that_died_before_any_success_measures_nothing() -> None:
    trace = settle_trace(RIGHT, meter("server_died"), setup=SHOP)
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "the server's last words: no key" in trace.reason


def test_a_server_that_died_after_a_success_is_flagged() -> None:
    trace = settle_trace(RIGHT, meter("ok", "server_died"), setup=SHOP)
    assert trace.status is RunStatus.GRADED
    assert "server_died" in trace.flags


def cancel(*, after_s: float) -> Metering:
    (call,) = meter("cancelled").calls
    return meter().model_copy(update={"calls": (call.model_copy(update={"latency_s": after_s}),)})


def test_a_server_whose_calls_were_all_given_up_at_their_limit_measures_nothing() -> None:
    trace = settle_trace(RIGHT, cancel(after_s=CALL_LIMIT_S - 0.1), setup=SHOP)
    assert (trace.status, trace.reason) == (
        RunStatus.PROVIDER_ERROR,
        "the provider's server never answered a call in time",
    )


def test_a_call_that_the_agent_gave_up_of_its_own_accord_is_measured() -> None:
    assert settle_trace(RIGHT, cancel(after_s=3), setup=SHOP).status is RunStatus.GRADED


def test_a_server_that_answered_once_is_measured_though_a_later_call_was_given_up() -> None:
    metering = meter("ok")
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
    assert settle_trace(RIGHT, meter("ok", "refused_budget"), setup=SHOP).flags == ("refused_budget",)


def nest(depth: int) -> JsonValue:
    value: JsonValue = "deep"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "given",
    [
        None,
        AgentTrace.model_construct(status=RunStatus.GRADED, cli_reported_usd=math.nan),
        RIGHT.model_copy(update={"transcript": ({"n": math.inf},)}),
        RIGHT.model_copy(update={"transcript": ({"n": 10**5000},)}),
        RIGHT.model_copy(update={"transcript": ({"n": nest(5000)},)}),
        RIGHT.model_copy(update={"transcript": ({"n": object()},)}),
    ],
    ids=["none", "nan", "infinity", "huge-number", "deep", "object"],
)
def test_what_evidence_cannot_hold_is_a_fault_of_the_agent_by_name(
    stage: Callable[..., Stage], given: AgentTrace
) -> None:
    observed = stage(given, given, given).play()
    assert observed.trace.status is RunStatus.AGENT_ERROR
    assert observed.trace.reason.startswith("adapter of agent 'staged' failed: ")


@pytest.mark.parametrize(
    "fields",
    [{"cli_reported_usd": math.nan}, {"transcript": ({"n": math.inf},)}, {"usage": {"input_tokens": 10**30}}],
)
def test_no_trace_is_made_of_numbers_that_are_none(fields: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationError):
        AgentTrace.model_validate({"status": "graded", **fields})


def test_nobody_waits_for_less_than_no_time() -> None:
    assert choose_pause_s(1, retry_after_s=-5.0) == 0.0


def test_a_fault_that_the_agent_told_itself_stays_as_it_is() -> None:
    assert settle_trace(FAULT, meter("server_died", listed=False), setup=SHOP) is FAULT
    assert settle_trace(RIGHT, None, setup=SHOP) is RIGHT
