"""REPORT.md, methodology.md and reproduce.md: what they say first, and that nothing in them is markup."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from rooms.records_for_tests import make_record
from website.staged_reports import (
    HOSTILE,
    add_agreement,
    add_calibration,
    write_measured,
    write_record,
    write_transcribed,
)

from pytest_searchlight.calibration import Calibration
from pytest_searchlight.domain import Cost, RunStatus, SetupKind
from pytest_searchlight.errors import ReportError
from pytest_searchlight.report_folder import CALIBRATION_FILE, TranscribedRow, read_report
from pytest_searchlight.website import render_methodology, render_report, render_reproduce
from pytest_searchlight.website.formats import DASH, show_usd
from pytest_searchlight.website.markdown import escape_text
from pytest_searchlight.website.sections.pictures import chart_printed_rates


def render(folder: Path) -> str:
    return render_report(read_report(folder))


def find_line(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


def test_limitations_come_before_any_number(tmp_path: Path) -> None:
    text = render(write_measured(tmp_path, note="We make search ourselves."))

    assert text.index("## Limitations") < text.index("We make search ourselves.") < text.index("## Results")
    assert "| ---" not in text[: text.index("## Results")]


def test_what_is_not_known_is_a_dash_and_never_0(tmp_path: Path) -> None:
    unpriced = make_record(cost=Cost(agent_usd=None, provider_usd=0.0), provider_calls=None)

    row = find_line(render(write_measured(tmp_path, records=[unpriced])), "| no-search | agent | 1/1")

    assert row.endswith(f"| 1/1 | 15 | {DASH} | {DASH} | {DASH} |")


def test_a_setup_of_which_nothing_was_graded_has_no_rate(tmp_path: Path) -> None:
    failed = make_record(status=RunStatus.PROVIDER_ERROR, passed=None)

    text = render(write_measured(tmp_path, records=[failed]))

    assert find_line(text, f"| no-search | agent | {DASH}").startswith(
        f"| no-search | agent | {DASH} | {DASH} | {DASH} | {DASH} | 0/1 |"
    )
    assert "1 of 1 planned runs are in no rate: 1 provider error" in text


def test_rows_stand_by_kind_of_setup_and_name_not_by_rate(tmp_path: Path) -> None:
    text = render(write_measured(tmp_path))

    table = text[text.index("**Results on the catalog gap**") :]
    setups = [line.split(" | ")[0].strip("| ") for line in table.splitlines()[4:10]]
    assert setups == ["exa", "tavily", "built-in", "no-search", "floor", "ceiling"]


def test_printed_rows_stand_in_the_same_order(tmp_path: Path) -> None:
    text = render(write_transcribed(tmp_path))

    assert text.index("| exa | 15/21") < text.index("| tavily | 20/21") < text.index("| floor | 0/21")


def test_exclusions_are_counted_by_status(tmp_path: Path) -> None:
    text = render(write_measured(tmp_path))

    assert "Of 120 planned runs 116 were graded" in text
    assert "| tavily | codex | gap | 10 | 2 |" in text[text.index("## What was left out") :]


def test_a_task_tells_of_runs_that_were_not_graded(tmp_path: Path) -> None:
    text = render(write_measured(tmp_path))

    assert find_line(text[text.index("## Task by task") :], "| task-0 |").count(f"{DASH} +2") == 1


@pytest.mark.parametrize(
    "banner", ["**Uncalibrated.**", "**Corrected.** A later report", "**Correction.** This report corrects"]
)
def test_banners_tell_what_must_be_known_first(tmp_path: Path, banner: str) -> None:
    text = render(write_measured(tmp_path, corrects="2026-01-01-old", corrected_by=("2026-12-24-new",)))

    assert text.index(f"> {banner}") < text.index("## Limitations")
    assert "[2026-12-24-new](../2026-12-24-new/REPORT.md)" in text


def test_a_transcribed_report_says_so_and_gives_bounds_as_bounds(tmp_path: Path) -> None:
    text = render(write_transcribed(tmp_path))

    assert "> **Transcribed.**" in text
    assert "≥ $0.159" in text
    assert "| exa | floor | < 0.0001 |" in text.replace("\\<", "<")
    assert "Raw runs were not published." in text[: text.index("## Source")]


def test_calibration_and_agreement_stand_in_the_report(tmp_path: Path) -> None:
    folder = write_measured(tmp_path)
    add_calibration(folder)
    add_agreement(folder)

    text = render(folder)

    assert "1 of 2 tasks are admitted" in text
    assert "task-1: the ceiling passes 2 of 5 (at least 4)" in text
    assert f"| codex beside claude-code | 9/10 | 0.80 | 9/10 | 0.80 | {DASH} | {DASH} | 1 | 0 |" in text


def test_markup_in_titles_notes_and_remarks_stays_text(tmp_path: Path) -> None:
    measured = render(write_measured(tmp_path, title=HOSTILE, note=f"{HOSTILE}\n\n# No heading\n\n- no list"))
    transcribed = render(write_transcribed(tmp_path))

    for text in (measured, transcribed):
        assert escape_text(HOSTILE) in text
        assert HOSTILE not in text
        assert "<img" not in text.replace("\\<img", "")
    assert "\\# No heading" in measured
    assert "\\- no list" in measured


@pytest.mark.parametrize(
    ("plain", "escaped"),
    [
        ("a_b and _c_", r"a_b and \_c\_"),
        ("1. no list", r"1\. no list"),
        ("2.5 s", "2.5 s"),
        ("+ no list", r"\+ no list"),
        ("+25 to -3", "+25 to -3"),
        ("a | b", r"a \| b"),
        ("two\nlines", "two lines"),
        ("---", r"\---"),
    ],
)
def test_text_is_escaped_where_it_would_be_markup_and_nowhere_else(plain: str, escaped: str) -> None:
    assert escape_text(plain) == escaped


def test_the_commands_to_repeat_a_session_are_quoted_for_a_shell(tmp_path: Path) -> None:
    text = render_reproduce(read_report(write_measured(tmp_path)))

    assert "pip install pytest-searchlight==0.1.0" in text
    assert (
        "pytest catalogs/gap --searchlight-setup=exa,no-search --searchlight-repetitions=2 "
        "--searchlight-uncalibrated --searchlight-seed=7 -k 'cve or x'"
    ) in text


def test_a_fence_is_longer_than_any_in_its_code(tmp_path: Path) -> None:
    facts = {"selection": {"paths": ["```"], "keyword": "", "markers": ""}}

    text = render_reproduce(read_report(write_measured(tmp_path, facts=facts)))

    assert "````\npip install" in text


def test_a_transcribed_report_cannot_be_reproduced(tmp_path: Path) -> None:
    report = read_report(write_transcribed(tmp_path))

    assert "cannot be reproduced" in render_reproduce(report)
    assert "never published" in render_methodology(report)


def test_methodology_tells_the_seed_the_statuses_and_the_judges(tmp_path: Path) -> None:
    text = render_methodology(read_report(write_measured(tmp_path)))

    assert "The seed of this session is 7" in text
    assert all(f"| {status.replace('_', ' ')} |" in text for status in RunStatus)
    assert "Judge **lexical**, without a model: passed its audit." in text


def test_facts_that_an_older_session_did_not_record_are_dashes(tmp_path: Path) -> None:
    folder = write_measured(tmp_path, date=dt.date(2026, 1, 1), facts={"python_version": None, "judges": {}})

    assert f"| Python | {DASH} |" in render(folder)
    assert "needed a judge" in render_methodology(read_report(folder))


def test_a_session_without_references_is_still_reported(tmp_path: Path) -> None:
    alone = [make_record(setup="exa", setup_kind=SetupKind.PROVIDER)]

    text = render(write_measured(tmp_path, records=alone))

    assert "there is nothing to compare" in text
    assert "## Gap closure" not in text


def test_more_tasks_than_a_page_can_hold_are_left_to_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_searchlight.website.sections.results._MOST_CELLS", 59)

    assert "60 cells are too many for a page" in render(write_measured(tmp_path))


def test_facts_of_a_session_that_are_not_of_their_kind_are_told(tmp_path: Path) -> None:
    report = read_report(write_measured(tmp_path, facts={"packages": ["pytest"]}))

    with pytest.raises(ReportError, match=r"session\.packages: .*got \"\['pytest'\]\""):
        render_report(report)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, DASH),
        (0.0, "$0.00"),
        (0.0004, "< $0.001"),
        (-0.0004, "> -$0.001"),
        (0.25, "$0.250"),
        (1234.5, "$1,234.50"),
    ],
)
def test_dollars_that_are_too_few_to_show_are_not_shown_as_none(value: float | None, text: str) -> None:
    assert show_usd(value) == text


def test_a_mean_over_some_of_the_runs_says_over_how_many(tmp_path: Path) -> None:
    priced = make_record(setup="exa", setup_kind=SetupKind.PROVIDER)
    unpriced = priced.model_copy(update={"repetition": 2, "cost": Cost(agent_usd=None, provider_usd=0.0)})
    text = render(write_measured(tmp_path, records=[priced, unpriced]))

    expenses = text[text.index("## What a success took") :]
    assert find_line(expenses, "| exa | agent |").startswith("| exa | agent | 100 % | 15 | $0.250 (1 run) |")


def test_tasks_that_share_a_ground_of_rejection_share_a_line(tmp_path: Path) -> None:
    folder = write_measured(tmp_path, "battery")
    add_calibration(folder)
    path = folder / CALIBRATION_FILE
    calibration = Calibration.model_validate_json(path.read_bytes())
    (rejected,) = [record for record in calibration.records if not record.admitted]
    twin = rejected.model_copy(update={"task": "twin"})
    write_record(calibration.model_copy(update={"records": (*calibration.records, twin)}), path)

    text = render(folder)

    assert f"{rejected.task} and twin: " in text


def test_dashes_of_references_are_explained(tmp_path: Path) -> None:
    text = render(write_measured(tmp_path, "battery"))

    assert "floor and ceiling: a reference, of which nothing is held against no-search" in text


def test_intervals_that_were_not_printed_are_not_spoken_of(tmp_path: Path) -> None:
    transcription = read_report(write_transcribed(tmp_path)).transcription
    assert transcription is not None
    (battery,) = transcription.batteries
    bare = tuple(row.model_copy(update={"pass_rate_percent_ci95": None}) for row in battery.rows)

    def tell(*rows: TranscribedRow) -> str:
        return chart_printed_rates(battery.model_copy(update={"rows": rows})).caption

    assert "Lines are the printed 95 % intervals. " in tell(*battery.rows)
    assert "intervals; a dot without a line had none. " in tell(battery.rows[0], bare[1])
    assert "No intervals were printed" in tell(*bare)
