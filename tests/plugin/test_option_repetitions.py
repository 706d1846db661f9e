from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugin.small_project import Project


def test_each_task_runs_that_often(project: Project) -> None:
    project.write_catalog(["sky"])
    done = project.run("--searchlight-repetitions=3")
    assert sorted(row["repetition"] for row in done.rows) == [1, 2, 3]
    assert len({row["identity"] for row in done.rows}) == 3
    assert done.summary["results"][0]["planned"] == 3


def test_without_the_option_the_catalogs_own_number_holds(project: Project) -> None:
    project.write_catalog(["sky"], repetitions=2)
    assert len(project.run("catalogs").rows) == 2


def test_the_ini_twin_is_a_default(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_repetitions = 4\n")
    assert len(project.run("catalogs").rows) == 4
