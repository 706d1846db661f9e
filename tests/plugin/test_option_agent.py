from __future__ import annotations

from typing import TYPE_CHECKING

from plugin.small_project import AGENTS_CONFTEST

if TYPE_CHECKING:
    from plugin.small_project import Project


def test_only_the_named_agents_run(project: Project) -> None:
    project.write_catalog(["sky"])
    done = project.run("--searchlight-agent=oracle,noop")
    assert done.code == 1
    assert {row["agent"]: row["passed"] for row in done.rows} == {"oracle": True, "noop": False}


def test_the_ini_twin_is_a_default_that_the_option_overrides(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_agent = noop\n")
    assert [row["agent"] for row in project.run("catalogs").rows] == ["noop"]
    assert [row["agent"] for row in project.run("catalogs", "--searchlight-agent=oracle").rows] == ["oracle"]


def test_an_agent_that_is_not_installed_is_refused_before_anything_runs(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky"])
    done = project.run("--searchlight-agent=oracle,missing")
    assert done.code == 4
    assert "agent 'missing' is not installed here; `sew doctor` says what is" in done.err
    assert project.list_sessions() == []
