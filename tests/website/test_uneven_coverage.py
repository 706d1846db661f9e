"""A report whose rates are not over the same runs says so before it gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.records_for_tests import make_record
from website.staged_reports import write_measured

from pytest_searchlight.domain import RunStatus, SetupKind
from pytest_searchlight.report_folder import read_report
from pytest_searchlight.website import render_report

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_searchlight.domain import RunRecord


def make_rows(setup: str, *, graded: int) -> list[RunRecord]:
    rows = [
        make_record(
            setup=setup,
            setup_kind=SetupKind.PROVIDER,
            run_id=f"small.sky.agent.{setup}.r{repetition}.0123456789",
            repetition=repetition,
        )
        for repetition in (1, 2, 3)
    ]
    fault = {"status": RunStatus.PROVIDER_ERROR, "passed": None}
    return [*rows[:graded], *(row.model_copy(update=fault) for row in rows[graded:])]


def render(folder: Path, *rows: RunRecord) -> str:
    return render_report(read_report(write_measured(folder, records=list(rows))))


def test_a_setup_that_lost_runs_which_another_has_is_told_of_first(tmp_path: Path) -> None:
    text = render(tmp_path, *make_rows("exa", graded=1), *make_rows("brave", graded=3))
    told = "there were graded 1 of 3 (exa, agent) to 3 of 3 (brave, agent)"
    assert told in " ".join(text[: text.index("## Results")].split())


def test_equal_losses_are_not_uneven(tmp_path: Path) -> None:
    text = render(tmp_path, *make_rows("exa", graded=2), *make_rows("brave", graded=2))
    assert "Not all rates are over the same runs" not in " ".join(text.split())
