from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import AGENTS_CONFTEST

if TYPE_CHECKING:
    from plugin.small_project import Finished, Project


def run(project: Project, agent: str, *args: str) -> Finished:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky"])
    return project.run(f"--searchlight-agent={agent}", *args)


@pytest.mark.parametrize(("agent", "code"), [("right", 0), ("wrong", 1), ("broken", 1), ("unfit", 0)])
def test_by_default_the_exit_code_is_pytests_own(project: Project, agent: str, code: int) -> None:
    assert run(project, agent).code == code


@pytest.mark.parametrize(
    ("agent", "code"), [("right", 0), ("wrong", 0), ("stray", 0), ("broken", 1), ("unfit", 1)]
)
def test_with_soundness_it_says_whether_every_planned_run_was_measured(
    project: Project, agent: str, code: int
) -> None:
    assert run(project, agent, "--searchlight-exit=soundness").code == code


def test_soundness_holds_under_every_way_of_running(project: Project, way: tuple[str, ...]) -> None:
    assert run(project, "wrong", "--searchlight-exit=soundness", *way).code == 0


def test_a_session_that_stops_early_is_not_sound(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"])
    done = project.run("--searchlight-agent=wrong", "--searchlight-exit=soundness", "-x")
    assert done.code != 0
    assert done.summary["counts"]["excluded"]["not_run"] == 1


def test_the_ini_twin_is_a_default(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nsearchlight_exit = soundness\n")
    assert run(project, "wrong").code == 0
