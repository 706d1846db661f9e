from __future__ import annotations

import os
from pathlib import Path

import pytest
from baseline_stage import RunBaseline, make_server, make_task

from pytest_searchlight.agents.baseline import BaselineAgent
from pytest_searchlight.domain import SearchSetup, SetupKind, TestRun
from pytest_searchlight.extensions import AgentJob, AgentTrace, McpServer
from pytest_searchlight.prompting import compose_prompt


@pytest.fixture
def run_baseline(tmp_path: Path) -> RunBaseline:
    """Runs the agent through its adapter; `mode` is the small web's, None for a setup without tools."""

    def run(
        mode: str | None = None,
        *,
        kind: SetupKind = SetupKind.PROVIDER,
        tools: tuple[str, ...] = ("find_pages", "read_pages"),
        start_timeout_s: float = 60.0,
        wall_clock_s: float = 60.0,
        server: McpServer | None = None,
    ) -> AgentTrace:
        folders = {name: tmp_path / name for name in ("work", "home", "record")}
        for folder in folders.values():
            folder.mkdir()
        task = make_task(wall_clock_s=wall_clock_s)
        test_run = TestRun(
            run_id="run",
            identity="identity",
            catalog="small",
            task=task,
            setup=SearchSetup(name="small-web", kind=kind),
            agent="baseline",
            model_name=None,
            repetition=1,
        )
        if mode:
            server = make_server(mode, tools=tools, start_timeout_s=start_timeout_s)
        job = AgentJob(
            run=test_run,
            prompt=compose_prompt(task, kind),
            workspace=folders["work"],
            home=folders["home"],
            record=folders["record"],
            server=server,
            environment={"PATH": os.defpath},
        )
        return BaselineAgent().run(job)

    return run
