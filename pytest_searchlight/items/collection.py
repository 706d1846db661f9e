"""Turns catalogs into pytest items, and Python tests that ask for our fixtures into the same test runs."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from pydantic import ValidationError

from pytest_searchlight.catalog import Catalog, Defaults
from pytest_searchlight.domain import RunStatus, Task, TestRun
from pytest_searchlight.errors import UserError
from pytest_searchlight.matrix import PlacedRun, expand_catalog, make_slug
from pytest_searchlight.reporting.texts import explain_failure
from pytest_searchlight.session.benchmark import BenchmarkSession

RUN_PARAMETER: Final = "searchlight_run"
"""The fixture that a Python test's runs are parameters of."""

_MARKER: Final = pytest.mark.searchlight
RUN_KEY: Final = pytest.StashKey[TestRun]()
SESSION_KEY: Final = pytest.StashKey[BenchmarkSession]()
ITEM_KEY: Final = pytest.StashKey[pytest.Item]()
"""In the configuration's stash, as the session is: the item whose phases are on.

pytest makes a `request` anew wherever a fixture asks for it, which would be a twentieth of what a run costs.
"""


def check_answer(agent_run: Any, verdict: Any) -> None:  # noqa: ANN401 - fixtures; see `fixtures`
    """The one test function behind every catalog item: a counted run passes when all its checks pass."""
    record = agent_run.record
    if record.status is not RunStatus.GRADED or not verdict.passed:
        pytest.fail(explain_failure(record, verdict, evidence=agent_run.evidence), pytrace=False)


class RunItem(pytest.Function):
    """A test run of a catalog task as a pytest item."""

    @property
    def id(self) -> Any:  # noqa: ANN401 - a class of pytest's own, since 9.2
        """The id as pytest reads it back from its cache: without this, ``--lf`` and ``--ff`` find nothing."""
        return type(super().id).parse(self.nodeid)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The catalog is where a person looks, not the shared test function."""
        return self.path, 0, self.name


class CatalogFile(pytest.Module):
    """A catalog as pytest sees it: a module without Python code, whose items share one test function."""

    def _getobj(self) -> ModuleType:
        # An empty one: fixtures and other plugins ask for `request.module` and `item.module`.
        return ModuleType(make_slug(self.nodeid))

    def collect(self) -> Iterator[RunItem]:
        """Yield an item for every run of the matrix."""
        session = self.config.stash[SESSION_KEY]
        catalog = session.read_catalog(self.path)
        fixtures = None
        for placed in list_runs(catalog, session=session, config=self.config):
            name = f"{placed.run.task.id}[{placed.label}]"
            item = RunItem.from_parent(self, name=name, callobj=check_answer, fixtureinfo=fixtures)
            # All items share one function, so pytest need not look its fixtures up ten thousand times.
            fixtures = item._fixtureinfo  # noqa: SLF001 - what from_parent's public argument takes
            item.stash[RUN_KEY] = placed.run
            item.add_marker(mark_run(placed.run))
            yield item


def mark_run(run: TestRun) -> pytest.MarkDecorator:
    """The marker by which a run is selected exactly, as in ``-m 'searchlight(setup="exa")'``."""
    return _MARKER.with_args(
        task=run.task.id,
        family=run.task.family,
        setup=run.setup.name,
        agent=run.agent,
        repetition=run.repetition,
    )


def list_runs(catalog: Catalog, *, session: BenchmarkSession, config: pytest.Config) -> list[PlacedRun]:
    """The runs of `catalog`, after extensions had their say.

    Raises:
        pytest.Collector.CollectError: a name is unknown.
    """
    try:
        placed = list(expand_catalog(catalog, settings=session.settings, registry=session.registry))
    except UserError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    labels = {each.run.run_id: each for each in placed}
    runs = [each.run for each in placed]
    config.hook.pytest_searchlight_modify_runs(config=config, runs=runs)
    return [labels[run.run_id] for run in runs]


# --- tasks written in Python -----------------------------------------------------------------------------


def parametrize_python_task(metafunc: pytest.Metafunc, *, session: BenchmarkSession) -> None:
    """Run a Python test that asks for `agent_run` once for each agent, setup and repetition.

    The ``searchlight`` marker holds the task's fields (``prompt`` defaults to the docstring) and, as
    defaults for the options, ``agents``, ``setups`` and ``repetitions``.

    Raises:
        pytest.Collector.CollectError: the marker is missing, one of its fields breaks a rule, or parameters
            would make each run more than once.
    """
    _refuse_parameters(metafunc)
    catalog = _read_marked_catalog(metafunc)
    session.add_catalog(catalog, metafunc.definition.path / catalog.tasks[0].id)
    placed = list_runs(catalog, session=session, config=metafunc.config)
    metafunc.parametrize(
        RUN_PARAMETER, [each.run for each in placed], ids=[each.label for each in placed], indirect=True
    )


def _refuse_parameters(metafunc: pytest.Metafunc) -> None:
    """Refuse what would make runs that only a parameter tells apart: the summary has one row for each."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        values = mark.args[1] if len(mark.args) > 1 else mark.kwargs.get("argvalues")
        if isinstance(values, Sized) and len(values) > 1:
            raise pytest.Collector.CollectError(
                f"{metafunc.definition.nodeid}: parametrize would make each of its runs {len(values)} times; "
                "write a test for each task, and repeat runs by repetitions=N in the searchlight marker"
            )


def _read_marked_catalog(metafunc: pytest.Metafunc) -> Catalog:
    place = metafunc.definition.nodeid
    file, _, name = place.partition("::")
    marker = metafunc.definition.get_closest_marker("searchlight")
    if marker is None or marker.args:
        raise pytest.Collector.CollectError(
            f"{place}: asks for a searchlight fixture, so it needs a marker with keyword arguments, such as "
            '@pytest.mark.searchlight(prompt="...", deliverable={...}, setups=["no-search"])'
        )
    fields = {"prompt": metafunc.function.__doc__ or "", **marker.kwargs}
    defaults = {name: fields.pop(name) for name in ("agents", "setups", "repetitions") if name in fields}
    try:
        task = Task.model_validate({"id": make_slug(name.replace("::", ".")), "family": "python", **fields})
        return Catalog(
            name=make_slug(file),
            title=place,
            description="A task written as a Python test.",
            path=metafunc.definition.path,
            defaults=Defaults.model_validate({"agents": ["baseline"], **defaults}),
            tasks=(task,),
            closed_web=_find_web(metafunc.definition.path),
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = "/".join(str(part) for part in first["loc"])
        raise pytest.Collector.CollectError(
            f"{place}: searchlight marker, field {field}: {first['msg']}"
        ) from None


def _find_web(path: Path) -> Path | None:
    web = path.parent / "web"
    return web if web.is_dir() else None
