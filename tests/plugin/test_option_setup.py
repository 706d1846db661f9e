from __future__ import annotations

from typing import TYPE_CHECKING

from plugin.small_project import AGENTS_CONFTEST

if TYPE_CHECKING:
    from plugin.small_project import Project


def test_only_the_named_setups_are_run(project: Project) -> None:
    project.write_catalog(["sky"], setups=["no-search", "ceiling"])
    done = project.run("--searchlight-setup=floor,no-search")
    assert done.code == 0, done.out
    assert {row["setup"] for row in done.rows} == {"floor", "no-search"}


def test_every_selecting_option_holds_under_every_way_of_running(
    project: Project, way: tuple[str, ...]
) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea", "sand"])
    selection = (
        "--searchlight-agent=talker,right",
        "--searchlight-task=sky,sand",
        "--searchlight-model=talk-2",
    )
    done = project.run("--searchlight-setup=floor", "--searchlight-repetitions=2", *selection, *way)
    cells = [(row["agent"], row["model_name"], row["task"], row["repetition"]) for row in done.rows]
    agents = [("talker", "talk-2"), ("right", None)]
    assert sorted(cells, key=str) == sorted(
        [(*agent, task, number) for agent in agents for task in ("sky", "sand") for number in (1, 2)], key=str
    )


def test_without_the_option_the_catalogs_own_setups_are_run(project: Project) -> None:
    project.write_catalog(["sky"], setups=["ceiling", "floor"])
    done = project.run("catalogs")
    assert {row["setup"] for row in done.rows} == {"ceiling", "floor"}


def test_the_ini_twin_is_a_default_that_the_option_overrides(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_setup = floor, ceiling\n")
    assert {row["setup"] for row in project.run("catalogs/small").rows} == {"floor", "ceiling"}
    assert {row["setup"] for row in project.run("--searchlight-setup=floor").rows} == {"floor"}


def test_the_summary_has_a_row_for_each_setup(project: Project) -> None:
    project.write_catalog(["sky", "sea"])
    done = project.run("--searchlight-setup=floor,no-search")
    lanes = {row["setup"]: (row["planned"], row["passes"]) for row in done.summary["results"]}
    assert lanes == {"floor": (2, 2), "no-search": (2, 2)}
