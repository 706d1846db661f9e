from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from plugin.small_project import AGENTS_CONFTEST, make_task

if TYPE_CHECKING:
    from plugin.small_project import Project


@pytest.fixture
def strict(project: Project) -> Project:
    """A project whose catalog runs only what a calibration admits."""
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(
        ["sky", make_task("ghost", control=True)], agents=["reader"], needs_calibration=True
    )
    return project


def read_admitted(project: Project) -> dict[str, bool]:
    content = json.loads((project.root / ".searchlight" / "calibration.json").read_bytes())
    return {record["task"]: record["admitted"] for record in content["records"]}


def test_floor_and_ceiling_are_run_five_times_each_and_admit_a_task(strict: Project) -> None:
    done = strict.run("catalogs", "--searchlight-calibrate")
    assert {(row["task"], row["setup"], row["repetition"]) for row in done.rows} == {
        (task, setup, repetition)
        for task in ("sky", "ghost")
        for setup in ("floor", "ceiling")
        for repetition in range(1, 6)
    }
    assert read_admitted(strict) == {"sky": True}, "a control needs no calibration"
    assert "small, reader: 1 of 1 tasks admitted" in done.out


def test_a_calibration_is_kept_in_the_project_wherever_its_session_is(
    strict: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    strict.run(
        "catalogs",
        "--searchlight-calibrate",
        f"--searchlight-output={tmp_path_factory.mktemp('out')}/session",
    )
    assert read_admitted(strict) == {"sky": True}


def test_a_task_that_passes_without_search_is_not_admitted_and_the_table_says_why(strict: Project) -> None:
    done = strict.run("catalogs", "--searchlight-calibrate", "--searchlight-agent=right", "-n2")
    assert read_admitted(strict) == {"sky": False}
    assert "it can be done without search" in done.out


def test_what_is_not_calibrated_is_skipped_with_its_reason_unless_asked_for(strict: Project) -> None:
    assert strict.run("catalogs").statuses == {"sky": "skipped", "ghost": "graded"}
    done = strict.run("catalogs", "--searchlight-uncalibrated")
    assert done.statuses == {"sky": "graded", "ghost": "graded"}
    assert done.summary["session"]["options"]["uncalibrated"] is True
    assert "tasks count here whether or not a calibration admits them" in done.out


def test_a_battery_runs_floor_and_ceiling_on_admitted_tasks_only(strict: Project) -> None:
    done = strict.run("catalogs", "--searchlight-setup=floor,ceiling,no-search", "--searchlight-task=sky")
    assert {row["setup"]: row["status"] for row in done.rows} == dict.fromkeys(
        ("floor", "ceiling", "no-search"), "skipped"
    )
    assert all("is not calibrated" in row["reason"] for row in done.rows)


def test_a_calibration_of_fewer_runs_replaces_no_complete_one_and_says_so(strict: Project) -> None:
    strict.run("catalogs", "--searchlight-calibrate")
    done = strict.run("catalogs", "--searchlight-calibrate", "--searchlight-repetitions=2")
    assert read_admitted(strict) == {"sky": True}
    assert "small, reader: 1 of 1 tasks admitted" in done.out
    assert "task 'sky': too few runs were measured now; its earlier calibration stays" in done.out


def test_a_calibration_that_cannot_be_read_stops_the_next_one_before_its_runs(strict: Project) -> None:
    strict.write(".searchlight/calibration.json", '{"records": 3}')
    done = strict.run("catalogs", "--searchlight-calibrate")
    assert done.code == 4
    assert "remove it, and --searchlight-calibrate makes a new one" in done.err


def test_what_is_admitted_runs(strict: Project) -> None:
    strict.run("catalogs", "--searchlight-calibrate")
    assert strict.run("catalogs").statuses == {"sky": "graded", "ghost": "graded"}


def test_a_task_that_was_changed_since_is_calibrated_again_first(strict: Project) -> None:
    strict.run("catalogs", "--searchlight-calibrate")
    changed = make_task("sky", prompt="Which colour has the sky at noon?")
    strict.write_catalog([changed], agents=["reader"], needs_calibration=True)
    done = strict.run("catalogs")
    assert done.statuses == {"sky": "skipped"}
    assert "the task was changed since" in done.rows[0]["reason"]


def test_floors_alone_make_an_admitted_task_stay_or_retire_and_the_ceiling_is_taken_over(
    strict: Project,
) -> None:
    strict.run("catalogs", "--searchlight-calibrate")
    strict.run("catalogs", "--searchlight-calibrate", "--searchlight-setup=floor")
    (record,) = json.loads((strict.root / ".searchlight/calibration.json").read_bytes())["records"]
    assert record["admitted"] is True
    assert (record["floor"]["passes"], record["ceiling"]["passes"]) == (0, 5)


def test_the_summary_compares_setups_with_their_uncertainty(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    tasks = [f"thing-{number}" for number in range(8)]
    project.write_catalog(tasks, agents=["reader"], setups=["floor", "no-search", "ceiling"])
    done = project.run("catalogs")
    (lane,) = done.summary["comparisons"]["lanes"]
    (no_search,) = lane["setups"]
    assert no_search["gap_closure"]["value"] == 0
    assert no_search["comparisons"][0]["reference"] == "floor"
    assert "small, reader: no-search closes 0.00 of the gap" in done.out


def test_a_lone_setup_is_compared_with_nothing(project: Project) -> None:
    project.write_catalog(["sky"])
    assert project.run("catalogs").summary["comparisons"] is None


def test_a_plan_says_what_its_size_could_show(project: Project) -> None:
    project.write_catalog([f"thing-{number}" for number in range(8)], repetitions=3)
    out = project.run("catalogs", "--searchlight-plan").out
    assert "8 tasks x 3 repetitions could show a difference of" in out
