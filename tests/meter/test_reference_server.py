"""The MCP reference server answers the MCP SDK's client identically with and without the meter."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from meter_stage.everything_tour import TOOL_CALLS, tour_server
from meter_stage.meter_client import write_spec

from pytest_searchlight.metering import METER_PROGRAM, read_metering

PROGRAM = (
    Path(__file__)
    .parents[1]
    .joinpath("npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
)
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None or not PROGRAM.exists(), reason="run npm ci --prefix tests/npm")
@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_the_reference_server_is_the_same_behind_the_meter(tmp_path: Path) -> None:
    assert NODE is not None
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8", "TMPDIR": "/tmp"}
    command = [NODE, str(PROGRAM), "stdio"]
    assignments = [f"{name}={value}" for name, value in environment.items()]
    direct = StdioServerParameters(command="env", args=["-i", *assignments, *command])
    spool = tmp_path / "spool"
    spool.mkdir()
    server = {"command": command, "env": environment, "cwd": str(tmp_path)}
    spec = write_spec(tmp_path, {"server": server, "spool": str(spool)})
    metered = StdioServerParameters(
        command=sys.executable, args=["-I", "-S", str(METER_PROGRAM), "--spec", str(spec)]
    )

    notes, unasked = asyncio.run(tour_server(direct))
    metered_notes, metered_unasked = asyncio.run(tour_server(metered))

    assert metered_notes == notes
    assert metered_unasked == unasked
    metering = read_metering(spool)
    assert metering.state == "tools_listed"
    assert len(metering.calls) == len(TOOL_CALLS) + 3
    assert {"sampling/createMessage", "elicitation/create", "roots/list", "notifications/progress"} <= set(
        metering.server_request_counts
    )
    assert [call.outcome for call in metering.calls][-2:] == ["cancelled", "ok"]
    assert not metering.recording_incomplete
