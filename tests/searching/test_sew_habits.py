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


def test_habits_are_told_in_lines(project: Project, done: Finished) -> None:
    told = project.sew("habits", str(done.folder))
    assert told.code == 0, told.err
    assert "small: no-search with oracle (runs: 1, left out: 0)" in told.out
    assert "remembered 1/1" in told.out


def test_habits_are_told_in_json_and_need_no_catalog(
    done: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["habits", "--json", str(done.folder)]) == 0
    (lane,) = json.loads(capsys.readouterr().out)["lanes"]
    assert (lane["searching"]["runs"], lane["scan"]["unscanned"]) == (1, 0)


def test_a_folder_without_a_session_has_no_habits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["habits", "."]) == 2
    assert "is not a session folder" in capsys.readouterr().err
