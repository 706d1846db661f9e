"""Attempts at one run: what is tried again and after which pause, and what is not."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from plugin.scripted_agents import ScriptedAgent
from pydantic import JsonValue, ValidationError
from rooms.records_for_tests import make_run, meter_calls

from pytest_searchlight.domain import STATUS_RULES, RunStatus
from pytest_searchlight.errors import DiskError, RunError
from pytest_searchlight.evidence import OpenBundle, SessionFolder, open_bundle
from pytest_searchlight.extensions import AgentJob, AgentTrace, ObservedRun
from pytest_searchlight.runner import (
    MAX_ATTEMPTS,
    Attempts,
    choose_pause_s,
    is_worth_repeating,
    name_busy_side,
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


def test_an_attempt_is_timed_from_its_start_to_its_end(stage: Callable[..., Stage]) -> None:
    before = datetime.now(UTC)
    observed = stage(RIGHT).play()
    began, took = datetime.fromisoformat(observed.started_at), timedelta(seconds=observed.duration_s)
    slack = timedelta(milliseconds=2)  # both are rounded
    assert before - slack <= began <= began + took <= datetime.now(UTC) + slack


def test_a_provider_that_asks_for_time_gets_it_up_to_two_minutes() -> None:
    assert choose_pause_s(1, retry_after_s=30) == 30
    assert choose_pause_s(2, retry_after_s=0) == 0
    assert choose_pause_s(1, retry_after_s=86_400) == 120


def test_who_asked_for_time_is_the_one_to_be_left_alone(stage: Callable[..., Stage]) -> None:
    alone = stage(RIGHT).play()
    searched = replace(alone, metering=meter_calls("tool_error"))
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


def test_a_refused_login_is_not_tried_again() -> None:
    refused = FAULT.model_copy(update={"status": RunStatus.AGENT_ERROR, "flags": ("fault_auth",)})
    assert not is_worth_repeating(refused)
    assert is_worth_repeating(refused.model_copy(update={"flags": ()}))


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
