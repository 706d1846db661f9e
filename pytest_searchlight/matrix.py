"""The run matrix: catalogs x agents x models x setups x repetitions, expanded into test runs.

The expansion reads no clock, network, environment or hash order, so every xdist worker gets the same list.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from pytest_searchlight.catalog import Catalog
from pytest_searchlight.closed_web.hashing import hash_web
from pytest_searchlight.domain import SearchSetup, SetupKind, Task, TestRun, hash_content
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import Agent, Registry
from pytest_searchlight.prompting import compose_prompt
from pytest_searchlight.settings import Settings

_LONGEST_NAME: Final = 180
"""Folder names stay below the 255 bytes that file systems allow, with room for affixes."""


@dataclass(frozen=True)
class Lane:
    """One agent with one model under one setup: a column of the matrix."""

    agent: Agent
    model_name: str | None
    setup: SearchSetup
    several_models: bool

    def label(self, repetition: int) -> str:
        """What stands in brackets behind the task's id."""
        parts = [self.agent.name]
        if self.several_models and self.model_name is not None:
            parts.append(make_slug(self.model_name))
        return "-".join([*parts, self.setup.name, f"r{repetition}"])


@dataclass(frozen=True)
class PlacedRun:
    """A test run with the label of its pytest item."""

    run: TestRun
    label: str


def expand_catalog(catalog: Catalog, *, settings: Settings, registry: Registry) -> Iterator[PlacedRun]:
    """Yield the runs of `catalog`: by repetition, then task, then setups in a seeded order.

    Interleaving the setups makes a drift in time hit all of them alike.

    Raises:
        SettingsError: an agent or setup is unknown; the message lists the known ones.
    """
    lanes = list(list_lanes(catalog, settings=settings, registry=registry))
    tasks = [task for task in catalog.tasks if not settings.tasks or task.id in settings.tasks]
    repetitions = settings.repetitions or catalog.defaults.repetitions
    maker = _RunMaker(catalog)
    for repetition in range(1, repetitions + 1):
        for task in tasks:
            for lane in _shuffle(lanes, f"{settings.seed}/{catalog.name}/{task.id}/{repetition}"):
                yield PlacedRun(maker.make_run(task, lane, repetition), lane.label(repetition))


def list_lanes(catalog: Catalog, *, settings: Settings, registry: Registry) -> Iterator[Lane]:
    """The agent, model and setup combinations that `settings`, or else the catalog, ask for."""
    agents = _require_names("agent", settings.agents or catalog.defaults.agents, catalog)
    setups = _require_names("setup", settings.setups or catalog.defaults.setups, catalog)
    for agent_name in agents:
        agent = registry.agents.get(agent_name)
        models = settings.choose_models(agent.name, agent.default_model)
        for model_name in models:
            for setup_name in setups:
                setup = registry.setups.get(setup_name)
                yield Lane(agent, model_name, setup, several_models=len(models) > 1)


def _require_names(sort: str, names: tuple[str, ...], catalog: Catalog) -> tuple[str, ...]:
    if not names:
        raise SettingsError(
            f"{catalog.title}: no {sort} is named; give --searchlight-{sort}, or {sort}s among its defaults"
        )
    return names


def check_task_names(catalogs: Iterable[Catalog], *, settings: Settings) -> None:
    """Raise SettingsError when a task that was asked for is in none of `catalogs`."""
    known = [task.id for catalog in catalogs for task in catalog.tasks]
    for name in settings.tasks:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; see --collect-only for the ids"
            raise SettingsError(f"--searchlight-task: no task {name!r} in the collected catalogs{hint}")


def check_model_names(settings: Settings, registry: Registry) -> None:
    """Raise SettingsError when a model is named for what is no agent, or an agent that has none."""
    known = [agent.name for agent in registry.agents.values() if agent.default_model is not None]
    for model in settings.models:
        agent, named, _ = model.partition("=")
        if named and agent not in known:
            raise SettingsError(
                f"--searchlight-model: {model!r} names no agent that has a model (known: {', '.join(known)})"
            )


def make_slug(text: str) -> str:
    """`text` cut down to what a node id and a folder name can hold."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-.") or "x"


def _shuffle(lanes: list[Lane], seed: str) -> list[Lane]:
    if len(lanes) < 2:
        return lanes
    mixed = list(lanes)
    random.Random(seed).shuffle(mixed)  # noqa: S311 - an order, not a secret
    return mixed


class _RunMaker:
    """Makes the runs of one catalog; hashes of prompts and setups are computed once each."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._prompts: dict[tuple[str, SetupKind], str] = {}
        self._setups: dict[str, str] = {}

    def make_run(self, task: Task, lane: Lane, repetition: int) -> TestRun:
        identity = hash_content(
            [
                self._catalog.name,
                task.id,
                self._hash_job(task, lane.setup.kind),
                self._hash_setup(lane.setup),
                lane.agent.name,
                lane.model_name,
                repetition,
            ]
        )
        model = [] if lane.model_name is None else [make_slug(lane.model_name)]
        name = ".".join([self._catalog.name, task.id, lane.agent.name, *model, lane.setup.name])
        return TestRun(
            run_id=f"{name[:_LONGEST_NAME]}.r{repetition}.{identity[:10]}",
            identity=identity,
            catalog=self._catalog.name,
            task=task,
            setup=lane.setup,
            agent=lane.agent.name,
            model_name=lane.model_name,
            repetition=repetition,
        )

    def _hash_job(self, task: Task, kind: SetupKind) -> str:
        key = (task.id, kind)
        if key not in self._prompts:
            budgets = task.budgets.model_dump(mode="json")
            self._prompts[key] = hash_content([compose_prompt(task, kind), budgets])
        return self._prompts[key]

    def _hash_setup(self, setup: SearchSetup) -> str:
        if setup.name not in self._setups:
            served = setup.server is not None and setup.server.uses_closed_web and self._catalog.closed_web
            self._setups[setup.name] = hash_content([setup.pin_hash, hash_web(served) if served else None])
        return self._setups[setup.name]
