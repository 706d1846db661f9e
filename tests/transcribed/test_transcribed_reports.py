"""What follows from the printed counts of the shipped transcribed reports is what was printed with them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Final

import pytest

from pytest_searchlight.calibration import DEFAULT_THRESHOLDS, ReferenceRuns
from pytest_searchlight.calibration.records import is_admitted
from pytest_searchlight.domain import SetupKind
from pytest_searchlight.report_folder import (
    TranscribedBattery,
    TranscribedRow,
    TranscribedTable,
    Transcription,
    find_reports,
    read_report,
)
from pytest_searchlight.stats import wilson_interval
from pytest_searchlight.stats.paired_tests import compute_mcnemar_p
from pytest_searchlight.website import render_report

REPORTS: Final = Path(__file__).parents[2] / "reports"
FOLDERS: Final = [folder for folder in find_reports(REPORTS) if folder.name.endswith("-transcribed")]

BAKEOFF: Final = "2026-09-29-bakeoff-transcribed"
REGRADED: Final = "2026-09-30-bakeoff-regraded-transcribed"
GAP: Final = "2026-10-03-gap-transcribed"
REPLICATION: Final = "2026-10-06-gap-replication-transcribed"


def read_transcription(name: str) -> Transcription:
    transcription = read_report(REPORTS / name).transcription
    assert transcription is not None
    return transcription


BATTERIES: Final = [
    pytest.param(battery, id=f"{folder.name}: {battery.title}")
    for folder in FOLDERS
    for battery in read_transcription(folder.name).batteries
]
by_battery = pytest.mark.parametrize("battery", BATTERIES)
by_report = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def get_passes(battery: TranscribedBattery) -> dict[str, int]:
    """Passes by setup; of built-in search those that stand first."""
    return {row.setup: row.passes for row in reversed(battery.rows)}


def find_row(battery: TranscribedBattery, kind: SetupKind) -> TranscribedRow | None:
    return next((row for row in battery.rows if row.setup_kind is kind), None)


def get_table(transcription: Transcription, title: str) -> TranscribedTable:
    return next(table for table in transcription.tables if table.title == title)


# --- what a report says of itself ------------------------------------------------------------------------


def test_five_reports_are_transcribed() -> None:
    assert len(FOLDERS) == 5


@by_report
def test_a_report_says_first_that_it_is_transcribed_and_cannot_be_recomputed(folder: Path) -> None:
    report = read_report(folder)
    assert report.manifest.kind == "transcribed"
    beginning = render_report(report)[:2000]
    assert "transcribed" in beginning.lower()
    assert "nobody can recompute" in beginning


@by_report
def test_a_report_prints_that_terms_of_use_may_restrict_publication(folder: Path) -> None:
    assert "terms of use of some vendors, Parallel's among them" in (folder / "REPORT.md").read_text("utf-8")


@by_report
def test_a_report_says_what_did_not_repeat_itself(folder: Path) -> None:
    assert read_transcription(folder.name).not_replicated


def test_the_regrade_corrects_the_initial_grading() -> None:
    assert read_report(REPORTS / REGRADED).manifest.corrects == BAKEOFF
    assert read_report(REPORTS / BAKEOFF).manifest.corrected_by == (REGRADED,)


# --- counts and what follows from them -------------------------------------------------------------------


@by_battery
def test_every_setup_ran_every_task_as_often_as_the_battery_says(battery: TranscribedBattery) -> None:
    assert {row.runs for row in battery.rows} == {battery.tasks * battery.repetitions}


@by_battery
def test_printed_intervals_are_wilson_s(battery: TranscribedBattery) -> None:
    for row in battery.rows:
        if row.pass_rate_percent_ci95 is not None:
            low, high = wilson_interval(row.passes, row.runs) or (None, None)
            assert (100 * (low or 0), 100 * (high or 0)) == pytest.approx(
                row.pass_rate_percent_ci95, abs=0.501
            )


@by_battery
def test_printed_closures_follow_from_floor_and_ceiling(battery: TranscribedBattery) -> None:
    floor, ceiling = find_row(battery, SetupKind.FLOOR), find_row(battery, SetupKind.CEILING)
    for row in battery.rows:
        if row.gap_closure is not None:
            assert floor is not None
            assert ceiling is not None
            closure = (row.passes - floor.passes) / (ceiling.passes - floor.passes)
            assert row.gap_closure == pytest.approx(closure, abs=0.00501)


@by_battery
def test_printed_p_values_against_a_floor_that_passes_nothing_are_exact(battery: TranscribedBattery) -> None:
    passes = {(row.setup, row.label): row.passes for row in battery.rows}
    for test in battery.tests:
        if test.reference == "floor":
            p_value = compute_mcnemar_p(setup_only=passes[test.setup, test.label], reference_only=0)
            assert p_value < test.p_value if test.is_bound else round(p_value, 4) == test.p_value


def test_every_setup_was_tested_against_the_floor() -> None:
    batteries = [*read_transcription(GAP).batteries, read_transcription(REPLICATION).batteries[0]]
    for battery in batteries:
        searching = {
            (row.setup, row.label)
            for row in battery.rows
            if row.setup_kind in {SetupKind.PROVIDER, SetupKind.BUILT_IN}
        }
        tested = {(test.setup, test.label) for test in battery.tests if test.reference == "floor"}
        assert tested == searching


# --- counts that are given twice -------------------------------------------------------------------------


@by_battery
def test_passes_by_task_add_up_to_the_printed_totals(battery: TranscribedBattery) -> None:
    if battery.passes_by_task:
        assert len(battery.passes_by_task) == battery.tasks
        for setup, passes in get_passes(battery).items():
            assert sum(by_setup[setup] for by_setup in battery.passes_by_task.values()) == passes


def test_the_regrade_moved_as_many_passes_as_the_task_whose_validator_was_mended() -> None:
    initial, regraded = (read_transcription(name).batteries[0] for name in (BAKEOFF, REGRADED))
    moved = {setup: passes - get_passes(initial)[setup] for setup, passes in get_passes(regraded).items()}
    at_first = initial.passes_by_task["openapi-30-to-31"]
    assert sum(at_first.values()) == 7
    assert sum(moved.values()) == 22 - 7
    assert all(at_first[setup] + gained <= initial.repetitions for setup, gained in moved.items())


@pytest.mark.parametrize(
    ("report", "battery", "title"),
    [
        (GAP, 0, "Claude Code by family of task"),
        (GAP, 1, "Codex by family of task"),
        (REPLICATION, 0, "By family of task"),
    ],
)
def test_rates_by_family_add_up_to_the_printed_totals(report: str, battery: int, title: str) -> None:
    """The sizes of the families were not published; exactly one split of the tasks fits all setups."""
    transcription = read_transcription(report)
    passes = get_passes(transcription.batteries[battery])
    tasks = transcription.batteries[battery].tasks
    research, decision = (measure.values for measure in get_table(transcription, title).measures)
    fitting = [
        size
        for size in range(1, tasks)
        if all(
            3 * size * research[setup] / 100 + 3 * (tasks - size) * decision[setup] / 100
            == pytest.approx(passes[setup], abs=0.2)
            for setup in research
        )
    ]
    assert fitting == [tasks // 2]


@pytest.mark.parametrize(
    ("report", "agent", "battery"),
    [(GAP, "claude-code", 0), (GAP, "codex", 1), (REPLICATION, "claude-code", 0)],
)
def test_printed_ceilings_admit_as_many_tasks_as_the_battery_has(
    report: str, agent: str, battery: int
) -> None:
    transcription = read_transcription(report)
    ceilings = [int(measure.values[agent]) for measure in get_table(transcription, "Calibration").measures]
    admitted = [is_admitted(count_runs(0), count_runs(passes), DEFAULT_THRESHOLDS) for passes in ceilings]
    assert sum(admitted) == transcription.batteries[battery].tasks


def count_runs(passes: int) -> ReferenceRuns:
    runs = tuple(f"r{number}" for number in range(5))
    return ReferenceRuns(model_name=None, agent_versions=(), graded=5, passes=passes, run_ids=runs)


def test_the_seven_tasks_and_the_new_one_add_up_to_the_replication() -> None:
    transcription = read_transcription(REPLICATION)
    whole, seven = transcription.batteries
    (new,) = get_table(transcription, "The task that was new").measures
    for setup, passes in new.values.items():
        assert get_passes(seven)[setup] + passes == get_passes(whole)[setup]


def test_runs_without_a_call_add_up_to_the_printed_number() -> None:
    (measure,) = get_table(
        read_transcription(GAP), "Codex runs without a call to the provider, first pass"
    ).measures
    assert sum(measure.values.values()) == 31


def test_no_order_of_setups_held_from_one_battery_to_the_next() -> None:
    claude, codex = read_transcription(GAP).batteries
    replication = read_transcription(REPLICATION).batteries[1]
    providers = [row.setup for row in codex.rows if row.setup_kind is SetupKind.PROVIDER]
    for one, other in itertools.combinations((claude, codex, replication), 2):
        pairs = itertools.combinations(providers, 2)
        passes = get_passes(one), get_passes(other)
        assert any((passes[0][a] - passes[0][b]) * (passes[1][a] - passes[1][b]) < 0 for a, b in pairs)
