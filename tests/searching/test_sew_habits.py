"""``sew habits``: how the agents of a finished session searched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugin.small_project import Finished, Project

from pytest_searchlight.cli import main


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("searched"))
    project.write_catalog(["sky"])
    return project


@pytest.fixture(scope="module")
def done(project: Project) -> Finished:
    return project.run("catalogs", "--rootdir=.")


@pytest.fixture(autouse=True)
def stand_in_the_project(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)


def count_unscanned(capsys: pytest.CaptureFixture[str], *arguments: object) -> int:
    assert main(["habits", "--json", *map(str, arguments)]) == 0
    (lane,) = json.loads(capsys.readouterr().out)["lanes"]
    assert lane["runs"] == 1
    return int(lane["scan"]["unscanned"])


def test_habits_are_told_in_lines(project: Project, done: Finished) -> None:
    told = project.sew("habits", str(done.folder))
    assert told.code == 0, told.err
    assert "small: no-search with oracle (runs: 1, left out: 0)" in told.out
    assert "remembered 1/1" in told.out


def test_tasks_come_from_the_catalogs_of_the_plan(done: Finished, capsys: pytest.CaptureFixture[str]) -> None:
    assert count_unscanned(capsys, done.folder) == 0


def test_catalogs_that_lie_elsewhere_can_be_named(
    project: Project,
    done: Finished,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert count_unscanned(capsys, done.folder) == 1
    assert count_unscanned(capsys, done.folder, project.root / "catalogs") == 0


def test_a_catalog_that_is_not_there_is_refused(done: Finished, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["habits", str(done.folder), "gone.yaml"]) == 2
    assert "gone.yaml: cannot be read" in capsys.readouterr().err


def test_a_folder_without_a_session_has_no_habits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["habits", "."]) == 2
    assert "is not a session folder" in capsys.readouterr().err
