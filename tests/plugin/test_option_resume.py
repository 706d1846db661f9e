from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from plugin.scripted_agents import MAY_ANSWER, count_notes
from plugin.small_project import AGENTS_CONFTEST, Project, make_task

if TYPE_CHECKING:
    from pathlib import Path

ARGS = ("--searchlight-agent=right,ailing", "--searchlight-setup=no-search,floor", "--searchlight-task=sky")


@pytest.fixture
def started(project: Project) -> Project:
    """A project with a session of four runs: two measured, two ended by a fault that is over by now."""
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"])
    assert project.run(*ARGS).code == 1
    project.write(str(MAY_ANSWER), "")
    return project


def count_attempts(project: Project) -> int:
    return count_notes(project.root, "attempt")


def read_seals(folder: Path, agent: str) -> dict[str, Any]:
    files = folder.glob(f"runs/*.{agent}.*/run.json")
    return {file.parent.name: json.loads(file.read_bytes()) for file in files}


def test_only_what_was_not_measured_is_run_and_it_is_said_what_is_reused(
    started: Project, way: tuple[str, ...]
) -> None:
    before, (folder,) = count_attempts(started), started.list_sessions()
    seals = read_seals(folder, "right")
    done = started.run("--searchlight-resume", *way)
    assert done.code == 0, done.out
    assert "searchlight: resuming; 2 of 4 planned runs are measured, and reused" in done.out
    assert count_attempts(started) - before == 2
    assert started.list_sessions() == [folder]
    assert read_seals(folder, "right") == seals
    assert done.summary["counts"]["passes"] == 4


def test_the_latest_session_is_taken_unless_another_is_named(started: Project) -> None:
    (first,) = started.list_sessions()
    started.run("--searchlight-agent=right")
    done = started.run(f"--searchlight-resume=.searchlight/{first.name}")
    assert len(json.loads((first / "summary.json").read_bytes())["results"]) == 4
    assert f"results in .searchlight/{first.name}" in done.out
    assert "2 of 2 planned runs" in started.run("--searchlight-resume").out


def test_paths_and_expressions_of_the_session_are_reused_too(project: Project) -> None:
    project.write_catalog(["sky", "sea"])
    project.write_catalog(["sun"], name="other")
    first = project.run("catalogs/small", "-k", "sky")
    again = project.run("--searchlight-resume")
    assert first.statuses == again.statuses == {"sky": "graded"}
    assert again.counts == {"passed": 1, "deselected": 1}


def test_a_selection_resumes_only_a_part(started: Project) -> None:
    done = started.run("--searchlight-resume", "-k", "floor")
    assert done.get_row(agent="ailing", setup="floor")["status"] == "graded"
    assert done.get_row(agent="ailing", setup="no-search")["status"] == "rate_limited"


def test_changed_checks_are_held_against_the_stored_evidence(started: Project) -> None:
    before = count_notes(started.root, "attempt.sky.floor")
    red = make_task("sky", checks=[{"kind": "value-match", "field": "/colour", "equals": "red"}])
    started.write_catalog([red, "sea"])
    done = started.run("--searchlight-resume", "-k", "right")
    assert {row["passed"] for row in done.rows if row["agent"] == "right"} == {False}
    assert count_notes(started.root, "attempt.sky.floor") == before
    assert done.counts["failed"] == 2
    assert "right: floor passed 1/1 before and passes 0/1 now" in done.out
    assert done.out.count("the task's checks or rubric were changed since") == 2


def test_a_changed_prompt_is_another_run_and_replaces_the_old_one(started: Project) -> None:
    before = count_attempts(started)
    started.write_catalog([make_task("sky", prompt="Which colour has the sky by day?"), "sea"])
    done = started.run("--searchlight-resume")
    assert done.code == 0, done.out
    assert count_attempts(started) - before == 4
    assert len(done.rows) == 4
    assert len(list((done.folder / "attempts").glob("small.sky.right.*"))) == 2


def test_altered_evidence_is_not_reused(started: Project) -> None:
    (folder,) = started.list_sessions()
    (bundle,) = folder.glob("runs/*.right.floor.*")
    (bundle / "answer.txt").write_text('{"colour": "blue"} ', encoding="utf-8")
    done = started.run("--searchlight-resume")
    assert done.code == 1
    assert done.counts == {"passed": 3, "errors": 1}
    assert "answer.txt: differs from its hash in run.json; the evidence was altered" in done.out
    assert "During handling of the above exception" not in done.out


def test_without_a_name_the_session_in_the_output_folder_is_resumed(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_output = out\n")
    nothing = project.run("--searchlight-resume")
    assert "out is not a session folder" in nothing.err
    project.run("catalogs")
    project.run("catalogs", "--searchlight-output=.searchlight/later")
    again = project.run("--searchlight-resume")
    assert again.code == 0, again.err
    assert "results in out\n" in again.out
    assert "1 of 1 planned runs are measured" in again.out


def test_a_session_folder_given_by_output_is_resumed_by_its_name(project: Project) -> None:
    project.write_catalog(["sky"])
    project.run("--searchlight-agent=oracle", "--searchlight-output=out")
    assert "1 of 1 planned runs" in project.run("--searchlight-resume=out").out
