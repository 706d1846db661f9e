"""A disk that fills up in the middle of a session, on a small file system of its own."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from plugin.small_project import AGENTS_CONFTEST, Finished, Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TASKS = [f"task-{number}" for number in range(1, 7)]
FITTING = 2


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on a disk of 3 MB, which holds two runs of the agent ``heavy`` and no more."""
    folder = tmp_path_factory.mktemp("small-disk")
    if os.getuid() != 0 or not mount(folder, "-t", "tmpfs", "-o", "size=3m", "tmpfs"):
        pytest.skip("mounting a small disk needs the rights of root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def mount(folder: Path, *options: str) -> bool:
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("full"))
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(TASKS, agents=["heavy"])
    return project


@pytest.fixture(scope="module")
def filled(project: Project, small_disk: Path) -> Finished:
    """A session whose disk was full after two runs."""
    return project.run("catalogs", f"--searchlight-output={small_disk}/session")


def test_the_session_stops_and_says_what_to_do(filled: Finished) -> None:
    assert filled.code == pytest.ExitCode.INTERNAL_ERROR
    assert filled.counts == {"passed": FITTING, "errors": 1}
    assert "cannot write evidence (No space left on device); free some space" in filled.out
    assert "then go on with --searchlight-resume" in filled.out
    assert "Traceback" not in filled.out
    assert "INTERNALERROR" not in filled.out


def test_no_run_is_paid_for_that_could_not_be_kept(filled: Finished, project: Project) -> None:
    assert filled.counts["passed"] == FITTING
    assert {path.name.split(".")[1] for path in (project.root / "agent-notes").iterdir()} == {*TASKS[:3]}


def test_finished_runs_are_kept(filled: Finished, small_disk: Path) -> None:
    assert filled.counts["passed"] == len(list(small_disk.glob("session/runs/*/run.json")))


def test_once_there_is_space_resuming_runs_what_is_missing(
    filled: Finished, project: Project, small_disk: Path
) -> None:
    assert filled.counts["passed"] == FITTING
    assert mount(small_disk, "-o", "remount,size=30m")
    again = project.run(f"--searchlight-resume={small_disk}/session")
    assert again.code == 0, again.out
    assert f"{FITTING} of {len(TASKS)} planned runs are measured" in again.out
    assert len(list(small_disk.glob("session/runs/*/run.json"))) == len(TASKS)
