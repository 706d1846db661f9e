"""Makes a command an agent: it gets the prompt on stdin and the search server's command as arguments."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from pytest_searchlight.domain import CallOutcome, RunStatus, SearchSetup, ToolCall
from pytest_searchlight.extensions import AgentJob, AgentTrace, Registry
from pytest_searchlight.workspace import run_process

PROGRAM = Path(__file__).with_name("librarian.py")


@dataclass(frozen=True)
class Librarian:
    """Runs ``librarian.py`` and reads the one JSON object that it prints."""

    name: str = "librarian"
    default_model: str | None = None
    calls_tools: bool = True
    reads_reference_answer: bool = False

    def find_version(self) -> str:
        return "1"

    def explain_unsupported(self, setup: SearchSetup) -> str | None:
        if setup.server is not None and setup.name != "shelf":
            return "the librarian knows its own shelf only"
        return None

    def list_own_tools(self, setup: SearchSetup) -> frozenset[str]:  # noqa: ARG002 - part of the Protocol
        return frozenset()

    def run(self, job: AgentJob) -> AgentTrace:
        server = job.server
        result = run_process(
            [sys.executable, str(PROGRAM), *(server.command if server else ())],
            cwd=job.workspace,
            env=job.environment,
            run_id=job.mark,
            stdin_bytes=job.prompt.encode(),
            stdout_path=job.record / "librarian.json",
            stderr_path=job.record / "stderr.txt",
            timeout_s=job.run.task.budgets.wall_clock_s,
        )
        if result.exit_code != 0:
            return AgentTrace(status=RunStatus.AGENT_ERROR, reason=result.stop_reason or result.stderr_tail)
        said = json.loads(result.stdout_path.read_bytes())
        calls = tuple(
            ToolCall(server=server and server.name, outcome=CallOutcome.OK, **call) for call in said["calls"]
        )
        return AgentTrace(status=RunStatus.GRADED, answer_text=said["answer"], tool_calls=calls)


def pytest_searchlight_register(registry: Registry) -> None:
    registry.agents.add("librarian", Librarian())
