"""Two sessions in one folder would pay for its runs twice and move each other's evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.scripted_agents import MAY_ANSWER, count_notes
from plugin.small_project import AGENTS_CONFTEST, Project, wait_for

from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.session.holding import HeldFolder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_session_that_still_runs_is_not_resumed(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky"], agents=["outlasting"])
    running = project.start("catalogs")
    try:
        wait_for(lambda: count_notes(project.root, "begun"), what="the run")
        refused = project.run("--searchlight-resume")
        watched = project.run("--searchlight-resume", "--searchlight-plan")
    finally:
        project.write(str(MAY_ANSWER), "")
        done = project.finish(running)
    assert refused.code == 4
    assert "another session is at work in this folder; wait for its end" in refused.err
    assert watched.code == 0, watched.out + watched.err
    assert done.code == 0, done.out
    assert done.statuses == {"sky": "graded"}


def test_a_new_session_finds_its_folder_taken(project: Project, way: tuple[str, ...]) -> None:
    project.write_catalog(["sky"])
    held = HeldFolder.take(SessionFolder(project.root / "results"))
    refused = project.run("--searchlight-agent=oracle", "--searchlight-output=results", *way)
    held.release()
    assert refused.code == 4
    assert "results: another session is at work in this folder" in refused.err
    assert project.run("--searchlight-agent=oracle", "--searchlight-output=results").code == 0


@pytest.mark.parametrize("arguments", [("-k", "nothing"), ("--setup-plan",), ("--fixtures",)], ids=" ".join)
def test_no_session_is_left_where_none_was_run(project: Project, arguments: tuple[str, ...]) -> None:
    project.write_catalog(["sky"])
    project.run("--searchlight-agent=oracle", "--searchlight-output=results/today", *arguments)
    assert not (project.root / "results" / "today").exists()


def test_a_folder_that_was_there_before_stays(tmp_path: Path) -> None:
    HeldFolder.take(SessionFolder(tmp_path)).release()
    assert tmp_path.is_dir()
