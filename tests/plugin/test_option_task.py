from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugin.small_project import Project


def test_only_the_named_tasks_run_and_names_are_exact(project: Project) -> None:
    project.write_catalog(["sky", "sky-at-night", "sea", "sand"])
    done = project.run("--searchlight-task=sky,sand")
    assert done.code == 0, done.out
    assert {row["task"] for row in done.rows} == {"sky", "sand"}


def test_a_task_of_any_collected_catalog_may_be_named(project: Project) -> None:
    project.write_catalog(["sky"], name="one")
    project.write_catalog(["sea"], name="two")
    assert project.run("--searchlight-task=sea").statuses == {"sea": "graded"}


def test_a_task_that_is_in_no_collected_catalog_is_refused_with_the_nearest_name(project: Project) -> None:
    project.write_catalog(["sky"])
    done = project.run("--searchlight-task=skye")
    assert done.code == 4
    assert "--searchlight-task: no task 'skye' in the collected catalogs; did you mean 'sky'?" in done.err


def test_the_ini_twin_is_a_default(project: Project) -> None:
    project.write_catalog(["sky", "sea"])
    project.write("pytest.ini", "[pytest]\nsearchlight_task = sea\n")
    assert project.run("catalogs").statuses == {"sea": "graded"}
