"""An agent that answers right but for the tasks listed in the project's ``forgotten.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plugin.scripted_agents import ScriptedAgent, answer_right, answer_wrong

from pytest_searchlight.domain import RunStatus
from pytest_searchlight.extensions import AgentJob, AgentTrace, Registry

DRIFTER_CONFTEST: Final = (
    "from comparison.drifting_agent import pytest_searchlight_register as pytest_searchlight_register\n"
)
FORGOTTEN: Final = Path("forgotten.txt")
LOST: Final = Path("lost.txt")


def drift(job: AgentJob) -> AgentTrace:
    """Answer; fall over in the tasks listed in ``lost.txt``."""
    if job.run.task.id in _read_names(LOST):
        return AgentTrace(status=RunStatus.AGENT_ERROR, reason="it crashed", retry_after_s=0.0)
    return answer_wrong(job) if job.run.task.id in _read_names(FORGOTTEN) else answer_right(job)


def _read_names(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def pytest_searchlight_register(registry: Registry) -> None:
    """Register the agent."""
    registry.agents.add("drifter", ScriptedAgent("drifter", drift))
