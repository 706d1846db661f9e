from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import Project

if TYPE_CHECKING:
    from collections.abc import Sequence

SETUPS = ["floor", "no-search", "ceiling"]
TASKS = ["sand", "sea", "sky", "sun"]


@pytest.fixture(scope="module")
def wide_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("seed"))
    project.write_catalog(TASKS, setups=SETUPS, repetitions=2)
    return project


def list_items(project: Project, *args: str, **env: str) -> list[str]:
    out = project.run("catalogs", "--collect-only", "-q", *args, **env).out
    return [line.partition("::")[2] for line in out.splitlines() if "::" in line]


def find_setups(items: Sequence[str]) -> list[str]:
    return [item.partition("[oracle-")[2].rpartition("-r")[0] for item in items]


def test_another_seed_changes_the_order_and_not_the_set(wide_project: Project) -> None:
    first, second = list_items(wide_project), list_items(wide_project, "--searchlight-seed=7")
    assert first != second
    assert set(first) == set(second)


def test_the_same_seed_gives_the_same_order_whatever_the_hash_seed(wide_project: Project) -> None:
    first = list_items(wide_project, "--searchlight-seed=3", PYTHONHASHSEED="1")
    assert first == list_items(wide_project, "--searchlight-seed=3", PYTHONHASHSEED="2")


def test_runs_are_interleaved_by_repetition_then_task_then_setup(wide_project: Project) -> None:
    items = list_items(wide_project)
    assert [item.partition("[")[0] for item in items] == [
        task for _ in range(2) for task in TASKS for _ in SETUPS
    ]
    assert [item.rpartition("-r")[2] for item in items] == ["1]"] * 12 + ["2]"] * 12
    groups = [tuple(find_setups(items[start : start + 3])) for start in range(0, 24, 3)]
    assert all(sorted(group) == sorted(SETUPS) for group in groups)
    assert len(set(groups)) > 1


def test_the_ini_twin_is_a_default_and_the_session_records_it(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_seed = 42\n")
    assert project.run("catalogs").summary["session"]["seed"] == 42
