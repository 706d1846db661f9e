"""The real products with the real metering proxy in front of the server: what both sides saw."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from agent_stage import AGENTS, SERVER_COMMAND, SERVER_NAME, Played, Stage, make_server, make_setup
from scripted_model import Answer, CallTool, play_turns

from pytest_searchlight import meter
from pytest_searchlight.domain import CallOutcome, RunStatus, SetupKind
from pytest_searchlight.extensions import McpServer
from pytest_searchlight.metering import Metering, read_metering
from pytest_searchlight.runner.settling import settle_trace
from pytest_searchlight.workspace import find_marked_processes

PROVIDER_KEY = "sk-provider-0123456789"


def search(query: str) -> CallTool:
    return CallTool(tool="web_search", server=SERVER_NAME, arguments={"query": query})


@pytest.fixture(params=AGENTS, scope="module")
def metered(
    request: pytest.FixtureRequest, stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Played, Metering]:
    """A run whose budget allows two calls of the three that are made, one of which fails."""
    folder = tmp_path_factory.mktemp("metered")
    script = play_turns(search("red"), search("fail"), search("green"), Answer(text="red"))
    played = stage.play(
        request.param, script, kind=SetupKind.PROVIDER, server=meter_server(folder, max_tool_calls=2)
    )
    return played, read_metering(folder / "spool")


def meter_server(folder: Path, *options: str, max_tool_calls: int | None = None) -> McpServer:
    """The plain server behind a proxy that records in ``spool`` of `folder`."""
    command = [*SERVER_COMMAND, *options]
    spec = {
        "server": {"command": command, "env": {"SEARCH_KEY": PROVIDER_KEY}, "cwd": str(folder)},
        "spool": str(folder / "spool"),
        "max_tool_calls": max_tool_calls,
    }
    (folder / "spool").mkdir()
    spec_file = folder / "meter.json"
    spec_file.write_text(json.dumps(spec))
    spec_file.chmod(0o600)
    program = str(Path(meter.__file__).parent)
    return make_server(command=(sys.executable, "-I", "-S", program, "--spec", str(spec_file)))


def test_both_sides_saw_the_same_calls(metered: tuple[Played, Metering]) -> None:
    played, metering = metered
    assert played.trace.status is RunStatus.GRADED, played.trace.reason
    reported = [(call.tool, call.arguments) for call in played.trace.tool_calls]
    assert reported == [(call.tool, call.arguments) for call in metering.calls]
    assert [str(call.outcome) for call in metering.calls] == ["ok", "tool_error", "refused_budget"]


def test_the_meter_saw_the_tools_listed_before_the_first_call(metered: tuple[Played, Metering]) -> None:
    _, metering = metered
    assert metering.tools_listed
    assert {tool.name for tool in metering.tools} == {"web_fetch", "web_search"}


def test_a_call_over_the_budget_comes_back_as_an_error_that_the_agent_can_read(
    metered: tuple[Played, Metering],
) -> None:
    last = metered[0].trace.tool_calls[-1]
    assert last.outcome is CallOutcome.ERROR
    assert "budget" in (last.error_text or "")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_server_that_hangs_until_the_agent_gives_its_call_up_counts_as_down(
    agent: str, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("agents.claude_code", "agents.codex", "runner.settling"):
        monkeypatch.setattr(f"pytest_searchlight.{place}.CALL_LIMIT_S", 4)
    server = meter_server(tmp_path, "--think-s", "60")
    script = play_turns(search("red"), Answer(text="red"))
    trace = stage.play(agent, script, kind=SetupKind.PROVIDER, server=server).trace
    metering = read_metering(tmp_path / "spool")
    assert (trace.status, [call.outcome for call in metering.calls]) == (RunStatus.GRADED, ["cancelled"])
    setup = make_setup(SetupKind.PROVIDER)
    assert settle_trace(trace, metering, setup=setup).status is RunStatus.PROVIDER_ERROR


def test_the_providers_key_stays_out_of_the_agents_sight(metered: tuple[Played, Metering]) -> None:
    job = metered[0].job
    for folder in (job.home, job.workspace, job.record):
        for path in folder.rglob("*"):
            assert not path.is_file() or PROVIDER_KEY.encode() not in path.read_bytes(), path


def test_neither_proxy_nor_server_outlives_the_run(metered: tuple[Played, Metering]) -> None:
    assert not find_marked_processes(metered[0].job.run.run_id)
