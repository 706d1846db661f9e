"""`sew doctor --probe`: one cheap real check of each agent and provider that was asked for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_searchlight.doctor import Finding
from pytest_searchlight.domain import Budgets, RunStatus, SetupKind, Task, TestRun
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.evidence import OpenBundle
from pytest_searchlight.extensions import Agent
from pytest_searchlight.matrix import find_named
from pytest_searchlight.preparation import prepare_setup
from pytest_searchlight.session import BenchmarkSession

_QUESTION: Final = Task(
    id="probe",
    family="probe",
    prompt="Which word is the first one of this sentence?",
    deliverable={"type": "object", "properties": {"word": {"type": ["string", "null"]}}},
    budgets=Budgets(wall_clock_s=120, tokens=20_000, provider_calls=0),
)


def probe_asked(session: BenchmarkSession) -> Iterator[Finding]:
    """Let every agent that was asked for answer one question, and every provider list its tools.

    An agent's question costs one short turn of its model; no provider is called, so none is paid.
    """
    for name in session.settings.agents:
        yield _probe_agent(find_named(session.registry.agents, name), session)
    for name in session.settings.setups:
        setup = find_named(session.registry.setups, name)
        if setup.server is not None and not setup.server.uses_closed_web:
            yield _probe_setup(name, session)


def _probe_agent(agent: Agent, session: BenchmarkSession) -> Finding:
    subject = f"probe of agent {agent.name}"
    if session.find_version(agent) is None:
        return Finding(subject=subject, ok=False, detail="not installed", asked=True)
    setup = next(each for each in session.registry.setups.values() if each.kind is SetupKind.NO_SEARCH)
    run = TestRun(
        run_id="probe",
        identity="probe",
        catalog="probe",
        task=_QUESTION,
        setup=setup,
        agent=agent.name,
        model_name=session.settings.choose_models(agent.name, agent.default_model)[0],
        repetition=1,
    )
    with tempfile.TemporaryDirectory(prefix="searchlight-probe-") as folder:
        trace = session.try_once(run, bundle=OpenBundle(Path(folder))).trace
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
