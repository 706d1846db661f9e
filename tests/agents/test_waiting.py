"""Runs that take long by nature: slow servers, a model that hangs, a model that is busy. All run at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from agent_stage import AGENTS, SERVER_NAME, Played, Stage, make_server
from scripted_model import Answer, CallTool, Fail, Hang, Script, play_turns

from pytest_searchlight.domain import Budgets, RunStatus, SetupKind, Usage
from pytest_searchlight.workspace import find_marked_processes

SEARCH = play_turns(
    CallTool(tool="web_search", server=SERVER_NAME, arguments={"query": "red"}), Answer(text="red")
)
BUSY = Fail(status=503, code="overloaded_error", message="Overloaded", retry_after_s=300)
SHORT = Budgets(wall_clock_s=14)
"""Longer than a product takes to start while all of these start on a busy machine."""


@pytest.fixture(scope="module")
def waits(stage: Stage) -> dict[tuple[str, str], Played]:
    """Every run of this module, by agent and name."""

    def play_slow(agent: str, delay_s: str) -> Played:
        server = make_server("--delay-s", delay_s)
        return stage.play(agent, SEARCH, kind=SetupKind.PROVIDER, server=server)

    def play_long(agent: str, script: Script) -> Played:
        return stage.play(agent, script, budgets=SHORT, max_retries=10)

    with ThreadPoolExecutor(max_workers=10) as pool:
        started = {
            (agent, name): future
            for agent in AGENTS
            for name, future in (
                ("server needs 3 s", pool.submit(play_slow, agent, "3")),
                ("server needs 12 s", pool.submit(play_slow, agent, "12")),
                ("server needs 35 s", pool.submit(play_slow, agent, "35")),
                ("model hangs", pool.submit(play_long, agent, play_turns(Hang()))),
                ("model is busy", pool.submit(play_long, agent, play_turns(BUSY))),
            )
        }
        return {key: future.result() for key, future in started.items()}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("delay_s", ["3", "12", "35"])
def test_a_server_that_starts_slowly_is_waited_for(
    waits: dict[tuple[str, str], Played], agent: str, delay_s: str
) -> None:
    trace = waits[agent, f"server needs {delay_s} s"].trace
    assert trace.status is RunStatus.GRADED, trace.reason
    assert [(call.tool, call.executed) for call in trace.tool_calls] == [("web_search", True)]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_model_that_hangs_ends_in_a_timeout_with_what_was_said_kept(
    waits: dict[tuple[str, str], Played], agent: str
) -> None:
    played = waits[agent, "model hangs"]
    assert played.trace.status is RunStatus.TIMEOUT
    assert played.trace.usage == Usage()
    assert played.trace.transcript
    assert (played.job.record / "events.jsonl").stat().st_size > 0


@pytest.mark.parametrize("agent", AGENTS)
def test_a_product_that_waits_for_a_busy_model_until_its_time_is_up_is_no_agent_that_was_too_slow(
    waits: dict[tuple[str, str], Played], agent: str
) -> None:
    trace = waits[agent, "model is busy"].trace
    assert trace.status is RunStatus.RATE_LIMITED, trace.reason
    assert "fault_overload" in trace.flags


def test_nothing_of_a_run_that_was_ended_lives_on(waits: dict[tuple[str, str], Played]) -> None:
    assert not [pid for played in waits.values() for pid in find_marked_processes(played.job.run.run_id)]
