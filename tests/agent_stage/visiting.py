"""The agent `visitor` for the ``conftest.py`` of a test's project; the tasks are named after its manners."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from pytest_searchlight.domain import CallOutcome, RunStatus, SearchSetup, ToolCall
from pytest_searchlight.extensions import AgentJob, AgentTrace, Registry
from pytest_searchlight.workspace import Stop, run_process

PROGRAM = Path(__file__).with_name("visitor.py")


@dataclass(frozen=True)
class Visitor:
    """Runs ``visitor.py``, whose answer is always right, and ends it when it would stay."""

    name: str = "visitor"
    default_model: str | None = None
    calls_tools: bool = True
    reads_reference_answer: bool = True

    def find_version(self) -> str:
        return "1"

    def explain_unsupported(self, setup: SearchSetup) -> str | None:  # noqa: ARG002 - part of the Protocol
        return None

    def list_own_tools(self, setup: SearchSetup) -> frozenset[str]:  # noqa: ARG002 - part of the Protocol
        return frozenset()

    def run(self, job: AgentJob) -> AgentTrace:
        assert job.server is not None
        manner = job.run.task.id
        result = run_process(
            [sys.executable, "-I", "-S", str(PROGRAM), manner, *job.server.command],
            cwd=job.workspace,
            env=job.environment,
            run_id=job.mark,
            stdout_path=job.record / "visitor.json",
            stderr_path=job.record / "stderr.txt",
            timeout_s=job.run.task.budgets.wall_clock_s,
            on_line=lambda _: Stop(reason="it stays") if manner == "never" else None,
        )
        said = json.loads(result.stdout_path.read_bytes())
        call = ToolCall(
            tool="web_search", server=job.server.name, outcome=CallOutcome.OK, result_text=said["text"]
        )
        assert said["folders"] == 1, f"{said['folders']} scratch folders at once"
        assert result.survivors == 0
        assert result.leftovers_killed == int(manner == "untidily")
        return AgentTrace(
            status=RunStatus.BUDGET_EXHAUSTED if result.ended_by == "stopped" else RunStatus.GRADED,
            answer_text=json.dumps(job.answer),
            tool_calls=(call,),
        )


def pytest_searchlight_register(registry: Registry) -> None:
    registry.agents.add("visitor", Visitor())
