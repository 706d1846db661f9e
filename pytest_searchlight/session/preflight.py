"""Finds out before anything is spent whether what was asked for can run here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_searchlight.agents.installation import InstalledAgent
from pytest_searchlight.catalog import Catalog
from pytest_searchlight.comparison.records import LaneName
from pytest_searchlight.comparison.session_gates import SessionGates
from pytest_searchlight.domain import SetupKind
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.matrix import Lane, check_model_names, check_task_names, list_lanes
from pytest_searchlight.providers import require_key
from pytest_searchlight.session.benchmark import BenchmarkSession


def check_session(session: BenchmarkSession) -> None:
    """Check every lane of every collected catalog, and that a calibration could be recorded.

    Raises:
        SettingsError: all problems found, one a line.
    """
    if session.settings.calibrate:
        _ = session.calibration  # an unreadable file must be told before the runs, not after
    check_model_names(session.settings, session.registry)
    if session.settings.judge is not None:
        session.registry.judges.get(session.settings.judge)
    if session.catalogs:  # tasks written in Python are not known before they are collected
        check_task_names(session.catalogs, settings=session.settings)
    lanes = list_session_lanes(session)
    judges = dict.fromkeys(_find_judge_problems(session))
    problems = list(dict.fromkeys(problem for lane in lanes for problem in find_problems(lane, session)))
    if judges or problems:
        raise SettingsError("\n".join([*judges, *problems]))


def check_configuration(session: BenchmarkSession) -> None:
    """Read the files that runs are driven and priced by: a broken one must be told before anything is spent.

    Raises:
        SettingsError: one of them cannot be read, or breaks a rule.
    """
    _ = session.limits, session.prices


def refuse_namesakes(catalogs: Iterable[Catalog]) -> None:
    """Raise SettingsError when two catalogs have one name: their tasks would be counted as one another's."""
    paths: dict[str, Path] = {}
    for catalog in catalogs:
        other = paths.setdefault(catalog.name, catalog.path)
        if other != catalog.path:
            raise SettingsError(
                f"{other} and {catalog.path}: both are called {catalog.name!r}; give each catalog a name "
                "of its own, or run them in sessions of their own"
            )


def list_session_lanes(session: BenchmarkSession) -> list[Lane]:
    """The lanes of all collected catalogs. Raises SettingsError for an unknown agent or setup."""
    return [
        lane
        for catalog in session.catalogs
        for lane in list_lanes(catalog, settings=session.settings, registry=session.registry)
    ]


def check_gates(session: BenchmarkSession, gates: SessionGates) -> None:
    """See that every limit the session is held to names a setup that it runs, and can be judged.

    Raises:
        UserError: a setup is unknown or not run, or the baseline does not fit.
    """
    for gate in gates.gates:
        if gate.setup is not None:
            session.registry.setups.get(gate.setup)
    gates.check(dict(_name_lanes(session)))


def _name_lanes(session: BenchmarkSession) -> Iterator[tuple[LaneName, SetupKind]]:
    for catalog in session.catalogs:
        for lane in list_lanes(catalog, settings=session.settings, registry=session.registry):
            name = LaneName(
                catalog=catalog.name,
                agent=lane.agent.name,
                model_name=lane.model_name,
                setup=lane.setup.name,
            )
            yield name, lane.setup.kind


def _find_judge_problems(session: BenchmarkSession) -> Iterator[str]:
    for catalog in session.catalogs:
        wanted = session.settings.tasks
        if any(task.rubric is not None for task in catalog.tasks if not wanted or task.id in wanted):
            judge = session.open_judging(catalog.name).judge
            reason = judge.explain_unavailable()
            if reason is not None:
                yield f"judge {judge.name!r}: {reason}; choose another, such as --searchlight-judge=lexical"


def find_problems(lane: Lane, session: BenchmarkSession) -> Iterator[str]:
    """What keeps a lane from running at all; a setup its agent does not support is skipped, not wrong."""
    if session.find_version(lane.agent) is None:
        yield f"agent {lane.agent.name!r} is not installed here; `sew doctor` says what is"
        return
    if isinstance(lane.agent, InstalledAgent) and not lane.agent.may_log_in:
        keys = ", ".join(lane.agent.pin.key_variables)
        yield f"agent {lane.agent.name!r} has no login here; log in with it, or set one of {keys}"
    if lane.agent.explain_unsupported(lane.setup) is None and lane.agent.calls_tools:
        yield from _find_key_problem(lane, session)


def list_version_warnings(session: BenchmarkSession) -> list[str]:
    """A sentence for every agent product that is installed in another version than the pinned one."""
    agents = {lane.agent.name: lane.agent for lane in list_session_lanes(session)}
    installed = (agent for agent in agents.values() if isinstance(agent, InstalledAgent))
    warnings = (agent.pin.warn_of_version(session.find_version(agent)) for agent in installed)
    return [warning for warning in warnings if warning is not None]


def _find_key_problem(lane: Lane, session: BenchmarkSession) -> Iterator[str]:
    if lane.setup.server is None or lane.setup.server.key_variable is None:
        return
    try:
        require_key(lane.setup, session.settings.secrets)
    except SettingsError as error:
        yield str(error)
