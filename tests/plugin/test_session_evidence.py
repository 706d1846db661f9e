"""What a session leaves on disk: whole bundles, no secret, no path of the machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from plugin.scripted_agents import SECRET_TEXT
from plugin.small_project import AGENTS_CONFTEST, Finished, Project, make_task

if TYPE_CHECKING:
    from pathlib import Path

SECRET = SECRET_TEXT.split()[-1]
EXTENSION = """
def pytest_searchlight_run_started(run):
    print("started", run.task.id)

def pytest_searchlight_run_finished(run, record):
    print("finished", record.status)

def pytest_searchlight_summary_extra(records):
    return {"weather": "fine", "rows": len(records)}
"""
FILES = {
    "run.json",
    "prompt.md",
    "transcript.jsonl",
    "answer.txt",
    "deliverable.json",
    "tool_calls.jsonl",
    "metering.jsonl",
    "audit.json",
    "verdicts.json",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    project = Project(tmp_path_factory.mktemp("evidence"))
    project.write("conftest.py", AGENTS_CONFTEST + EXTENSION)
    project.write_catalog(["sky"], agents=["teller", "right"])
    return project.run("catalogs", "-rA", COLOUR_API_KEY=SECRET)


def read_everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_every_bundle_is_whole(session: Finished) -> None:
    for bundle in (session.folder / "runs").iterdir():
        assert {path.name for path in bundle.iterdir() if path.is_file()} == FILES


def test_a_key_is_in_no_file_even_when_an_agent_tells_it(session: Finished) -> None:
    stored = read_everything(session.folder)
    assert SECRET.encode() not in stored
    assert stored.count(b"[REDACTED]") >= 3
    assert SECRET not in session.out + session.junit_file.read_text(encoding="utf-8")


def test_published_files_name_no_path_of_the_machine(session: Finished) -> None:
    root = str(session.junit_file.parent)
    for name in ("session.json", "plan.jsonl", "runs.jsonl", "summary.json"):
        assert root not in (session.folder / name).read_text(encoding="utf-8")


def test_session_facts_are_recorded(session: Finished) -> None:
    facts = session.summary["session"]
    assert facts["options"]["agent"] == []
    assert facts["selection"]["paths"] == ["catalogs"]
    assert set(facts["catalogs"]) == {"small"}
    assert facts["needs_calibration"] == []
    assert facts["servers"] == {}
    assert {"pytest", "mcp", "pydantic"} <= set(facts["packages"])


def test_extensions_are_told_and_heard(session: Finished) -> None:
    assert "started sky" in session.out
    assert "finished graded" in session.out
    assert session.summary["extra"] == {"weather": "fine", "rows": 2}


def test_a_validator_that_breaks_leaves_the_run_ungraded_and_kept(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog([make_task("sky", checks=[{"kind": "broken-check"}])], agents=["right"])
    done = project.run("catalogs")
    assert done.counts == {"errors": 1}
    assert done.statuses == {"sky": "ungraded"}
    assert "validator 'broken-check' failed: LookupError: lone" in done.out
    (answer,) = done.folder.glob("runs/*/answer.txt")
    assert json.loads(answer.read_text(encoding="utf-8")) == {"colour": "blue"}
    assert done.summary["results"][0]["coverage"] == 0.0
