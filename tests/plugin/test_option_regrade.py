from __future__ import annotations

import json

import pytest
from plugin.scripted_agents import count_notes
from plugin.small_project import AGENTS_CONFTEST, Finished, Project, make_task

RED = make_task("sky", checks=[{"kind": "value-match", "field": "/colour", "equals": "red"}])
JUDGED = make_task("sky", checks=[{"kind": "absent-judge"}])


@pytest.fixture
def measured(project: Project) -> Finished:
    """A finished session with one right, one wrong, one broken and one unfit run."""
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky"])
    return project.run("--searchlight-agent=right,wrong,broken,unfit")


def regrade(project: Project, done: Finished, *args: str) -> Finished:
    return project.run(f"--searchlight-regrade=.searchlight/{done.folder.name}", *args)


def test_stored_evidence_is_graded_again_into_a_new_session(
    project: Project, measured: Finished, way: tuple[str, ...]
) -> None:
    before = count_notes(project.root, "attempt")
    project.write_catalog([RED])
    again = regrade(project, measured, *way)
    assert count_notes(project.root, "attempt") == before
    assert again.folder != measured.folder
    assert again.get_row(agent="right")["passed"] is False
    assert again.get_row(agent="wrong")["passed"] is True
    assert again.get_row(agent="broken")["status"] == "agent_error"
    assert again.get_row(agent="unfit")["status"] == "skipped"
    assert again.counts == {"passed": 1, "failed": 1, "errors": 1, "skipped": 1}


def test_the_graded_session_is_left_as_it_is(project: Project, measured: Finished) -> None:
    before = {path: path.read_bytes() for path in measured.folder.rglob("*") if path.is_file()}
    regrade(project, measured)
    after = {path: path.read_bytes() for path in measured.folder.rglob("*") if path.is_file()}
    assert after == before


def test_unchanged_checks_give_the_same_rows(project: Project, measured: Finished) -> None:
    rows = {row["run_id"]: row for row in measured.rows}
    assert {row["run_id"]: row for row in regrade(project, measured).rows} == rows


def test_a_run_whose_judge_was_away_is_graded_once_it_is_back(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog([JUDGED], agents=["right"])
    done = project.run("catalogs")
    assert done.statuses == {"sky": "ungraded"}
    assert done.counts == {"errors": 1}
    assert done.summary["results"][0]["pass_rate"] is None
    project.write("judge-is-back", "")
    again = regrade(project, done)
    assert again.statuses == {"sky": "graded"}
    assert count_notes(project.root, "attempt") == 1


def test_altered_evidence_is_an_error(project: Project, measured: Finished) -> None:
    (bundle,) = measured.folder.glob("runs/*.right.*")
    calls = bundle / "transcript.jsonl"
    calls.write_text(calls.read_text(encoding="utf-8") + json.dumps({"more": 1}) + "\n", encoding="utf-8")
    again = regrade(project, measured, "-k", "right")
    assert again.counts["errors"] == 1
    assert "the evidence was altered" in again.out


def test_a_task_that_was_not_in_the_session_has_nothing_to_grade(
    project: Project, measured: Finished
) -> None:
    project.write_catalog(["sky", "sea"])
    again = regrade(project, measured, "--searchlight-agent=right", "-rs")
    assert again.get_row(task="sea")["status"] == "skipped"
    assert "holds no evidence of this run" in again.out
