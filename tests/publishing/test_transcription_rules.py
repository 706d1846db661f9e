"""What follows from transcribed counts is computed, and whatever was printed otherwise is named."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from pytest_searchlight.domain import SetupKind
from pytest_searchlight.publishing.transcription_rules import check_transcription
from pytest_searchlight.report_folder import (
    TranscribedBattery,
    TranscribedRow,
    TranscribedTest,
    Transcription,
)

FLOOR = TranscribedRow(setup="floor", setup_kind=SetupKind.FLOOR, runs=21, passes=0)
CEILING = TranscribedRow(setup="ceiling", setup_kind=SetupKind.CEILING, runs=21, passes=20)


def find_problems(row: dict[str, Any], *tests: TranscribedTest) -> list[str]:
    """What is wrong with a battery that has this row between floor and ceiling."""
    shop = TranscribedRow(setup="shop", setup_kind=SetupKind.PROVIDER, **row)
    battery = TranscribedBattery(
        title="Battery",
        date=dt.date(2026, 10, 3),
        agent="claude-code",
        model_name="large",
        tasks=7,
        repetitions=3,
        rows=(FLOOR, CEILING, shop),
        tests=tests,
    )
    transcription = Transcription(
        source="A leaflet", read_on=dt.date(2026, 11, 30), batteries=(battery,), limitations=("No rows.",)
    )
    return [
        problem.removeprefix("transcribed.json: Battery: ") for problem in check_transcription(transcription)
    ]


def test_figures_that_follow_from_the_counts_hold() -> None:
    test = TranscribedTest(setup="shop", reference="floor", p_value=0.0001, is_bound=True)
    row = {"runs": 21, "passes": 16, "pass_rate_percent_ci95": (55, 89), "gap_closure": 0.80}
    assert find_problems(row, test) == []


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        ({"passes": 22}, "shop: 22 passes of 21 runs"),
        ({"pass_rate_percent_ci95": (54, 89)}, "shop: the bound 54 % is 54.9 % by 16/21"),
        ({"gap_closure": 0.81}, "shop: closes 0.81 of the gap as printed, and 0.800 by its passes"),
    ],
)
def test_a_figure_that_its_counts_do_not_give_is_named(figures: dict[str, Any], problem: str) -> None:
    assert find_problems({"runs": 21, "passes": 16, **figures}) == [problem]


@pytest.mark.parametrize(("p_value", "is_bound"), [(0.0003, False), (0.00001, True)])
def test_a_test_that_its_passes_do_not_give_is_named(p_value: float, is_bound: bool) -> None:
    test = TranscribedTest(setup="shop", reference="floor", p_value=p_value, is_bound=is_bound)
    (problem,) = find_problems({"runs": 21, "passes": 13}, test)
    assert problem == f"shop against floor: p = {p_value} as printed, 0.000244 by passes"


def test_a_test_whose_pairs_the_passes_do_not_tell_is_left_alone() -> None:
    test = TranscribedTest(setup="shop", reference="ceiling", p_value=0.9)
    assert find_problems({"runs": 21, "passes": 13}, test) == []
