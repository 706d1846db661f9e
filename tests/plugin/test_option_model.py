from __future__ import annotations

from typing import TYPE_CHECKING

from plugin.small_project import AGENTS_CONFTEST

if TYPE_CHECKING:
    from plugin.small_project import Finished, Project


def run_models(project: Project, *args: str) -> Finished:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky"], agents=["talker", "oracle"])
    return project.run("catalogs", *args)


def list_models(done: Finished) -> set[tuple[str, str | None]]:
    return {(row["agent"], row["model_name"]) for row in done.rows}


def test_without_the_option_each_agent_runs_its_own_model(project: Project) -> None:
    done = run_models(project)
    assert list_models(done) == {("talker", "talk-1"), ("oracle", None)}
    assert "[talker-no-search-r1]" in project.run("catalogs", "--collect-only", "-q").out


def test_a_bare_model_goes_to_every_agent_that_has_one(project: Project) -> None:
    assert list_models(run_models(project, "--searchlight-model=talk-2")) == {
        ("talker", "talk-2"),
        ("oracle", None),
    }


def test_a_model_may_be_named_for_one_agent(project: Project) -> None:
    done = run_models(project, "--searchlight-model=talker=talk-3,other-model")
    assert ("talker", "talk-3") in list_models(done)
    assert ("talker", "other-model") not in list_models(done)


def test_several_models_are_told_apart_by_their_item_and_their_row(project: Project) -> None:
    done = run_models(project, "--searchlight-model=talk-2,Vendor/Talk 4", "-v")
    assert "sky[talker-talk-2-no-search-r1]" in done.out
    assert "sky[talker-vendor-talk-4-no-search-r1]" in done.out
    assert {row["model_name"] for row in done.summary["results"]} == {"talk-2", "Vendor/Talk 4", None}


def test_the_ini_twin_is_a_default(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nsearchlight_model = talk-9\n")
    assert ("talker", "talk-9") in list_models(run_models(project))


def test_a_model_for_an_agent_that_is_not_there_is_refused(project: Project) -> None:
    done = run_models(project, "--searchlight-model=tolker=talk-3")
    assert done.code == 4
    assert "--searchlight-model: 'tolker=talk-3'" in done.err
    assert "talker" in done.err
