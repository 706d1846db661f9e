from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugin.small_project import Project


def test_only_the_named_setups_are_run(project: Project, way: tuple[str, ...]) -> None:
    project.write_catalog(["sky"], setups=["no-search", "ceiling"])
    done = project.run("--searchlight-setup=floor,no-search", *way)
    assert done.code == 0, done.out
    assert {row["setup"] for row in done.rows} == {"floor", "no-search"}


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
