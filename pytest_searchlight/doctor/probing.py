"""`sew doctor --probe`: one cheap real check of each agent and provider that was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_searchlight.agents.probe import probe_agent
from pytest_searchlight.doctor.examination import Finding
from pytest_searchlight.domain import RunStatus
from pytest_searchlight.errors import RunError, SettingsError
from pytest_searchlight.extensions import Agent
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.session.preparation import prepare_setup


def probe_asked(session: BenchmarkSession) -> Iterator[Finding]:
    """Let every agent that was asked for answer one question, and every provider list its tools.

    An agent's question costs one short turn of its model; no provider is called, so none is paid.
    """
    for name in session.settings.agents:
        yield _probe_agent(session.registry.agents.get(name), session)
    for name in session.settings.setups:
        setup = session.registry.setups.get(name)
        if setup.server is not None and not setup.server.uses_closed_web:
            yield _probe_setup(name, session)


def _probe_agent(agent: Agent, session: BenchmarkSession) -> Finding:
    subject = f"probe of agent {agent.name}"
    if session.find_version(agent) is None:
        return Finding(subject=subject, ok=False, detail="not installed", asked=True)
    try:
        with session.open_workspace() as workspace:
            trace = probe_agent(agent, workspace=workspace, environment=session.environment)
    except RunError as error:
        return Finding(subject=subject, ok=False, detail=str(error), asked=True)
    answered = trace.status is RunStatus.GRADED
    return Finding(
        subject=subject,
        ok=answered,
        detail=f"answered with {', '.join(trace.model_names) or 'no model'}" if answered else trace.reason,
        advice="see that its login or API key works",
        asked=True,
    )


def _probe_setup(name: str, session: BenchmarkSession) -> Finding:
    try:
        prepare_setup(session.registry.setups.get(name), session)
    except SettingsError as error:
        return Finding(subject=f"probe of setup {name}", ok=False, detail=str(error), asked=True)
    return Finding(subject=f"probe of setup {name}", ok=True, detail="lists the pinned tools", asked=True)
