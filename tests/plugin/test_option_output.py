from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugin.small_project import Project


def test_evidence_and_summary_go_into_the_named_folder(project: Project) -> None:
    project.write_catalog(["sky"])
    done = project.run("--searchlight-agent=oracle", "--searchlight-output=results/today")
    assert done.code == 0, done.out
    folder = project.root / "results" / "today"
    assert {path.name for path in folder.iterdir()} >= {"session.json", "runs.jsonl", "summary.json", "runs"}
    assert project.list_sessions() == []
    assert "results in results/today" in done.out


def test_by_default_each_session_gets_a_folder_of_its_own(project: Project) -> None:
    project.write_catalog(["sky"])
    project.run("catalogs")
    project.run("catalogs")
    assert len(project.list_sessions()) == 2


def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(
    project: Project, way: tuple[str, ...]
) -> None:
    project.write_catalog(["sky", "sea", "sun"])
    project.write("results", "a file")
    done = project.run("--searchlight-agent=oracle", "--searchlight-output=results/today", *way)
    assert done.code in {pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED}
    assert "cannot create the session folder" in done.out + done.err
    assert "passed" not in done.counts
    assert "Traceback" not in done.out + done.err


def test_a_folder_that_holds_another_session_is_refused_unless_it_is_resumed(project: Project) -> None:
    project.write_catalog(["sky"])
    args = ("--searchlight-agent=oracle", "--searchlight-output=results")
    assert project.run(*args).code == 0
    again = project.run(*args)
    assert again.code == 4
    assert "holds a session already; go on with it by --searchlight-resume=" in again.err


def test_the_ini_twin_is_a_default(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_output = out\n")
    project.run("catalogs")
    assert (project.root / "out" / "summary.json").is_file()
