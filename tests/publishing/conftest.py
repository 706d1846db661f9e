"""A project with a finished session, and the report on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugin.small_project import AGENTS_CONFTEST, Project, make_task
from publishing.reports_for_tests import TASKS, Reports


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A catalog that needs calibration, calibrated, and a session in which one agent is not admitted."""
    project = Project(tmp_path_factory.mktemp("publishing"))
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(
        [*TASKS, make_task("nothing", control=True)],
        agents=("reader", "wrong"),
        setups=("no-search", "floor", "ceiling"),
        repetitions=2,
        needs_calibration=True,
    )
    project.run("catalogs", "--searchlight-calibrate", "--searchlight-output=calibrating")
    done = project.run("catalogs", "--searchlight-output=session")
    assert (project.root / "session/summary.json").exists(), done.out + done.err
    return project


@pytest.fixture
def reports(project: Project, tmp_path: Path) -> Reports:
    """A folder of reports in which nothing is published yet."""
    return Reports(project=project, folder=tmp_path / "reports")


@pytest.fixture(scope="session")
def published(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the session; for reading only."""
    reports = Reports(project=project, folder=tmp_path_factory.mktemp("published") / "reports")
    said = reports.publish()
    assert said.code == 0, said.err
    return reports.find()


@pytest.fixture
def report(reports: Reports, published: Path) -> Path:
    """A copy of the report on the session, to be changed."""
    return reports.copy(published)
