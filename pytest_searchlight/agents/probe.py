"""One cheap real check of an agent: does it start, reach its model with its login, and answer?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_searchlight.domain import Budgets, SearchSetup, SetupKind, Task, TestRun
from pytest_searchlight.extensions import Agent, AgentJob, AgentTrace
from pytest_searchlight.workspace import Workspace

PROMPT: Final = "Reply with the single word: ready"
WALL_CLOCK_S: Final = 120.0


def probe_agent(agent: Agent, *, workspace: Workspace, environment: Mapping[str, str]) -> AgentTrace:
    """Ask `agent` for one word, without any tool. Status GRADED means that it works.

    Args:
        agent: an agent product; it costs what one short answer of its default model costs.
        workspace: fresh folders.
        environment: allow-listed environment.

    Raises:
        RunError: the product cannot be started, or has no login.
    """
    return agent.run(
        AgentJob(
            run=_make_run(agent),
            prompt=PROMPT,
            workspace=workspace.work,
            home=workspace.home,
            record=workspace.private,
            server=None,
            environment=environment,
        )
    )


def _make_run(agent: Agent) -> TestRun:
    task = Task(
        id="probe",
        family="probe",
        prompt=PROMPT,
        deliverable={"type": "string"},
        budgets=Budgets(wall_clock_s=WALL_CLOCK_S),
    )
    return TestRun(
        run_id=f"probe-{agent.name}",
        identity="probe",
        catalog="probe",
        task=task,
        setup=SearchSetup(name="no-search", kind=SetupKind.NO_SEARCH),
        agent=agent.name,
        model_name=agent.default_model,
        repetition=1,
    )
