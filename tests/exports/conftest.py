"""A session in which runs end in every way, and what is made of it."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pytest
from exports.exported import AGENTS, Ended
from plugin.small_project import AGENTS_CONFTEST, Project, make_task

from pytest_searchlight.exports import open_source
from pytest_searchlight.report_folder import Manifest


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Two repetitions of a task by agents that end in every way, and of a brief that nobody can judge."""
    project = Project(tmp_path_factory.mktemp("exports"))
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky"], agents=AGENTS, repetitions=2)
    unjudged = make_task("sea", checks=[{"kind": "absent-judge"}])
    project.write_catalog([unjudged], name="briefs", agents=("right",))
    finished = project.run("--searchlight-output=session", "catalogs")
    folder = project.root / "session"
    return Ended(folder=folder, source=open_source(folder), junit_file=finished.junit_file)


@pytest.fixture
def report(ended: Ended, tmp_path: Path) -> Path:
    """The session as a measured report, which has rows and no evidence."""
    manifest = Manifest(name="ends", date=dt.date(2026, 11, 30), title="Ends", kind="measured")
    folder = tmp_path / manifest.folder_name
    folder.mkdir()
    (folder / "report.json").write_text(manifest.model_dump_json(), encoding="utf-8")
    for name in ("summary.json", "runs.jsonl"):
        shutil.copy(ended.folder / name, folder)
    return folder
