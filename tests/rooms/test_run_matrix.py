"""The run matrix: what an identity depends on and what it does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from plugin.scripted_agents import ScriptedAgent, answer_right
from plugin.small_project import Project, make_task

from pytest_searchlight.catalog import Catalog, read_catalog
from pytest_searchlight.domain import SearchSetup, ServerPin, SetupKind, TestRun, ToolPin
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import Registry
from pytest_searchlight.matrix import check_model_names, expand_catalog, make_slug
from pytest_searchlight.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

WEB = SearchSetup(
    name="web",
    kind=SetupKind.PROVIDER,
    server=ServerPin(version="1", command=("serve", "{closed_web}")),
    tools=(ToolPin(name="find"),),
)


def make_registry(setup: SearchSetup = WEB) -> Registry:
    registry = Registry()
    registry.agents.add("one", ScriptedAgent("one", answer_right, default_model="m-1"))
    registry.agents.add("plain", ScriptedAgent("plain", answer_right))
    for each in (setup, SearchSetup(name="ceiling", kind=SetupKind.CEILING)):
        registry.setups.add(each.name, each)
    return registry


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Catalog]:
    def write_one(folder: str = "here", **fields: Any) -> Catalog:  # noqa: ANN401 - any field of a task
        project = Project(tmp_path / folder)
        project.write("catalogs/small/web/a.example/page.html", fields.pop("page", "<p>blue</p>"))
        path = project.write_catalog([make_task("sky", **fields)], agents=["one"], setups=["web", "ceiling"])
        return read_catalog(path)

    return write_one


def identify(catalog: Catalog, registry: Registry | None = None, **settings: Any) -> dict[str, str]:  # noqa: ANN401
    return {run.setup.name: run.identity for run in list_runs(catalog, registry, **settings)}


def list_runs(catalog: Catalog, registry: Registry | None = None, **settings: Any) -> list[TestRun]:  # noqa: ANN401
    chosen = Settings(root=Path(), **settings)
    return [
        placed.run
        for placed in expand_catalog(catalog, settings=chosen, registry=registry or make_registry())
    ]


def test_an_identity_does_not_depend_on_places_orders_or_grading(write: Callable[..., Catalog]) -> None:
    here = identify(write())
    assert identify(write("there")) == here
    assert identify(write(), seed=5) == here
    checks = [{"kind": "value-match", "field": "/colour", "equals": "red"}]
    assert identify(write(checks=checks, wrong_answers=[{"why": "w", "answer": {"colour": "x"}}])) == here
    assert identify(write(family="others", tags=["new"])) == here


@pytest.mark.parametrize(
    "fields",
    [
        {"prompt": "Another question?"},
        {"budgets": {"wall_clock_s": 5}},
        {"deliverable": {"type": "object", "properties": {"colour": {"type": "string"}}}},
    ],
)
def test_an_identity_depends_on_what_the_agent_is_asked_and_allowed(
    write: Callable[..., Catalog], fields: dict[str, Any]
) -> None:
    before, after = identify(write()), identify(write(**fields))
    assert all(before[setup] != after[setup] for setup in before)


def test_an_identity_depends_on_the_pinned_server_and_on_nothing_about_its_price(
    write: Callable[..., Catalog],
) -> None:
    assert WEB.server is not None
    newer = WEB.model_copy(update={"server": WEB.server.model_copy(update={"version": "2"})})
    dearer = WEB.model_copy(update={"failures": ()})
    catalog = write()
    assert identify(catalog, make_registry(newer))["web"] != identify(catalog)["web"]
    assert identify(catalog, make_registry(newer))["ceiling"] == identify(catalog)["ceiling"]
    assert identify(catalog, make_registry(dearer)) == identify(catalog)


def test_an_identity_depends_on_the_closed_web_where_one_is_served(write: Callable[..., Catalog]) -> None:
    before, after = identify(write()), identify(write(page="<p>red</p>"))
    assert before["web"] != after["web"]
    assert before["ceiling"] == after["ceiling"]


def test_only_the_ceilings_identity_depends_on_the_reference(write: Callable[..., Catalog]) -> None:
    reference = {"excerpt": "Blue.", "source": "https://b.example/", "event_date": "2026-01-01"}
    before, after = identify(write()), identify(write(reference=reference))
    assert before["ceiling"] != after["ceiling"]
    assert before["web"] == after["web"]


def test_each_of_two_setups_goes_first_about_as_often_and_a_seed_settles_when(
    write: Callable[..., Catalog],
) -> None:
    catalog = write()

    def list_first(seed: int) -> list[str]:
        return [run.setup.name for run in list_runs(catalog, repetitions=40, seed=seed)][::2]

    assert 10 <= list_first(0).count("web") <= 30
    assert list_first(0) == list_first(0) != list_first(1)


def test_models_agents_and_repetitions_are_runs_of_their_own(write: Callable[..., Catalog]) -> None:
    runs = list_runs(write(), agents=("one", "plain"), models=("m-1", "m-2"), repetitions=2)
    assert len(runs) == len({run.identity for run in runs}) == len({run.run_id for run in runs}) == 12


def test_a_run_id_is_a_short_folder_name_even_for_long_names(write: Callable[..., Catalog]) -> None:
    runs = list_runs(write(id="t" * 80), models=("m" * 300, "n" * 300))
    assert all(len(run.run_id.encode()) <= 220 for run in runs)
    assert len({run.run_id for run in runs}) == len(runs)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"agents": ("won",)}, "unknown agent 'won'; did you mean 'one'?"),
        ({"setups": ("wep",)}, "unknown search setup 'wep'; did you mean 'web'?"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(
    write: Callable[..., Catalog], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        list_runs(write(), **settings)
    assert message in str(caught.value)


def test_a_model_of_an_unknown_agent_is_refused() -> None:
    with pytest.raises(SettingsError, match="'two=m-9' names no agent that has a model"):
        check_model_names(Settings(root=Path(), models=("one=m-1", "two=m-9")), make_registry())


@pytest.mark.parametrize(
    ("text", "slug"), [("Vendor/Model 4.1", "vendor-model-4.1"), ("Größe", "gr-e"), ("---", "x")]
)
def test_a_slug_holds_only_what_a_node_id_may(text: str, slug: str) -> None:
    assert make_slug(text) == slug
