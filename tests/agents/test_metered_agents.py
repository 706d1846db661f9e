"""The real products with the real metering proxy in front of the server: what both sides saw."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from agent_stage import AGENTS, SERVER_COMMAND, SERVER_NAME, Played, Stage, make_server
from scripted_model import Answer, CallTool, play_turns

from pytest_searchlight import meter
from pytest_searchlight.domain import CallOutcome, RunStatus, SetupKind
from pytest_searchlight.metering import Metering, read_metering
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
    spec = {
        "server": {"command": list(SERVER_COMMAND), "env": {"SEARCH_KEY": PROVIDER_KEY}, "cwd": str(folder)},
        "spool": str(folder / "spool"),
        "max_tool_calls": 2,
    }
    (folder / "spool").mkdir()
    spec_file = folder / "meter.json"
    spec_file.write_text(json.dumps(spec))
    spec_file.chmod(0o600)
    program = str(Path(meter.__file__).parent)
    server = make_server(command=(sys.executable, "-I", "-S", program, "--spec", str(spec_file)))
    script = play_turns(search("red"), search("fail"), search("green"), Answer(text="red"))
    played = stage.play(request.param, script, kind=SetupKind.PROVIDER, server=server)
    return played, read_metering(folder / "spool")


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


def test_the_providers_key_stays_out_of_the_agents_sight(metered: tuple[Played, Metering]) -> None:
    job = metered[0].job
    for folder in (job.home, job.workspace, job.record):
        for path in folder.rglob("*"):
            assert not path.is_file() or PROVIDER_KEY.encode() not in path.read_bytes(), path


def test_neither_proxy_nor_server_outlives_the_run(metered: tuple[Played, Metering]) -> None:
    assert not find_marked_processes(metered[0].job.run.run_id)
