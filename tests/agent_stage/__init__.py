"""A stage for the real agent products: the scripted model, a real MCP server, private folders."""

from __future__ import annotations

import itertools
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from scripted_model import ModelRequest, Script, ScriptedModel

from pytest_searchlight.agents.claude_code import ClaudeCodeAgent
from pytest_searchlight.agents.codex import CodexAgent
from pytest_searchlight.agents.installation import Installation
from pytest_searchlight.agents.pins import AgentPin, read_agent_pins
from pytest_searchlight.domain import (
    Budgets,
    SearchSetup,
    SetupKind,
    Task,
    TestRun,
    ToolPin,
)
from pytest_searchlight.extensions import AgentJob, AgentTrace, McpServer
from pytest_searchlight.workspace import ProcessResult
from pytest_searchlight.workspace.supervision import EndedBy

REPOSITORY: Final = Path(__file__).resolve().parents[2]
PROGRAMS: Final = REPOSITORY / "tests" / "npm-agents" / "node_modules" / ".bin"
SERVER_NAME: Final = "closed-web"
SERVER_TOOLS: Final = ("web_fetch", "web_search")
SERVER_COMMAND: Final = (
    sys.executable,
    *("-I", "-S"),
    str(Path(__file__).with_name("plain_search_server.py")),
)
AGENTS: Final = ("claude-code", "codex")
ENOUGH: Final = Budgets(wall_clock_s=60)
NAMESPACE_MODEL: Final = "gpt-5.2"
"""A Codex model that is offered MCP tools directly, where the default one calls them from code."""


def read_pin(agent: str) -> AgentPin:
    return read_agent_pins([REPOSITORY / "config"])[agent]


def make_setup(kind: SetupKind) -> SearchSetup:
    if kind is SetupKind.PROVIDER:
        return SearchSetup(
            name=SERVER_NAME, kind=kind, tools=tuple(ToolPin(name=name) for name in SERVER_TOOLS)
        )
    return SearchSetup(name=kind.value, kind=kind)


def make_task(budgets: Budgets) -> Task:
    return Task(
        id="colour",
        family="facts",
        prompt="Which colour is the lighthouse?",
        deliverable={"type": "object"},
        budgets=budgets,
    )


def make_server(*options: str, command: tuple[str, ...] = SERVER_COMMAND) -> McpServer:
    return McpServer(name=SERVER_NAME, command=(*command, *options), tools=SERVER_TOOLS, start_timeout_s=60.0)


def make_result(
    folder: Path,
    *,
    ended_by: EndedBy = "exit",
    exit_code: int = 0,
    stop_reason: str | None = None,
    stderr: str = "",
) -> ProcessResult:
    """How a process is said to have ended, for event streams that no process stands behind."""
    stderr_path = folder / "stderr.log"
    stderr_path.write_text(stderr)
    return ProcessResult(
        ended_by=ended_by,
        exit_code=exit_code,
        stop_reason=stop_reason,
        duration_s=1.0,
        cpu_s=1.0,
        max_rss_bytes=None,
        leftovers_killed=0,
        survivors=0,
        stdout_path=folder / "events.jsonl",
        stderr_path=stderr_path,
        stderr_tail=stderr[-4096:],
        limited_reach=None,
    )


@dataclass(frozen=True, kw_only=True)
class Played:
    """A run that is over: what the adapter made of it, and what the model was asked."""

    job: AgentJob
    trace: AgentTrace
    requests: tuple[ModelRequest, ...]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Runs agents under scripts; any number of times, also at once."""

    model: ScriptedModel
    folder: Path
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _run_ids: list[str] = field(default_factory=list)

    @property
    def latest_run_id(self) -> str:
        """The run that was started last."""
        return self._run_ids[-1]

    def install(self, agent: str, *, scene: str, script: Script, max_retries: int = 0) -> Installation:
        base_url = self.model.add_scene(scene, script)
        program = "claude" if agent == "claude-code" else "codex"
        return Installation(
            program=str(PROGRAMS / program),
            credentials={
                "ANTHROPIC_API_KEY" if agent == "claude-code" else "OPENAI_API_KEY": "sk-scripted-0000"
            },
            base_url=base_url if agent == "claude-code" else f"{base_url}/v1",
            max_retries=max_retries,
        )

    def make_job(
        self,
        agent: str,
        *,
        kind: SetupKind = SetupKind.NO_SEARCH,
        server: McpServer | None = None,
        model_name: str | None = None,
        budgets: Budgets = ENOUGH,
    ) -> AgentJob:
        # Processes are found by the name of their folder, so no other worker may use the same.
        run_id = f"{self.folder.name}-{os.getpid()}-{next(self._numbers)}"
        folder = self.folder / run_id
        for name in ("work", "home", "record"):
            (folder / name).mkdir(parents=True)
        self._run_ids.append(run_id)
        run = TestRun(
            run_id=run_id,
            identity="0",
            catalog="lights",
            task=make_task(budgets),
            setup=make_setup(kind),
            agent=agent,
            model_name=model_name,
            repetition=1,
        )
        return AgentJob(
            run=run,
            prompt="Which colour is the lighthouse? Größe egal.\u2028Answer in JSON.",
            workspace=folder / "work",
            home=folder / "home",
            record=folder / "record",
            server=server,
            environment={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        )

    def play(
        self,
        agent: str,
        script: Script,
        *,
        kind: SetupKind = SetupKind.NO_SEARCH,
        server: McpServer | None = None,
        model_name: str | None = None,
        budgets: Budgets = ENOUGH,
        max_retries: int = 0,
    ) -> Played:
        """Run `agent` on the task under `script`; `server` is needed for the provider's setup."""
        job = self.make_job(agent, kind=kind, server=server, model_name=model_name, budgets=budgets)
        scene = job.run.run_id
        installation = self.install(agent, scene=scene, script=script, max_retries=max_retries)
        adapter = ClaudeCodeAgent if agent == "claude-code" else CodexAgent
        trace = adapter(pin=read_pin(agent), installation=installation).run(job)
        return Played(job=job, trace=trace, requests=self.model.list_requests(scene))
