"""The lines at the end of a session, word by word: the table, and what is said of each comparison."""

from __future__ import annotations

from rooms.records_for_tests import make_record

from pytest_searchlight.domain import SetupKind
from pytest_searchlight.reporting.results import render_comparisons, render_table
from pytest_searchlight.stats.figures import (
    Comparison,
    Comparisons,
    Estimate,
    Expense,
    Figure,
    GapClosure,
    LaneComparisons,
    PairedTest,
    Resolution,
    SetupComparisons,
)
from pytest_searchlight.summary import summarize

UNKNOWN = Figure(value=None, reason="nothing was measured")
UNSHOWN = Resolution(
    detectable_difference=UNKNOWN, tasks_for_10_points=UNKNOWN, repetitions_for_10_points=UNKNOWN
)
CLOSURE = GapClosure(value=0.512, ci95=(0.25, 0.75), plain_ci95=None, tasks=9, undefined_draws=0)
NO_CLOSURE = GapClosure(value=None, ci95=None, reason="no floor", plain_ci95=None, tasks=0, undefined_draws=0)


def compare(difference: Estimate, p_value: Figure = UNKNOWN, resolution: Resolution = UNSHOWN) -> Comparison:
    return Comparison(
        reference="no-search",
        tasks=9,
        pairs=27,
        lost_pairs=0,
        setup_passes=20,
        reference_passes=10,
        difference=difference,
        mcnemar=PairedTest(
            setup_only=12, reference_only=2, p_value=UNKNOWN, p_value_holm=p_value, family_size=1
        ),
        resolution=resolution,
    )


def render(*comparisons: Comparison, closure: GapClosure = NO_CLOSURE) -> list[str]:
    expense = Expense(per_success=UNKNOWN, per_extra_success=UNKNOWN)
    setup = SetupComparisons(
        setup="shop",
        setup_kind=SetupKind.PROVIDER,
        comparisons=comparisons,
        gap_closure=closure,
        tokens=expense,
        cost_usd=expense,
    )
    lane = LaneComparisons(catalog="small", agent="codex", model_name="m-1", setups=(setup,))
    return [*render_comparisons(Comparisons(seed=0, draws=10, lanes=(lane,)))]


def test_a_comparison_says_how_much_how_sure_and_what_could_have_been_seen() -> None:
    shown = UNSHOWN.model_copy(update={"detectable_difference": Figure(value=0.184)})
    full = compare(Estimate(value=0.37, ci95=(0.12, 0.55)), Figure(value=0.0129), shown)
    assert render(full, closure=CLOSURE) == [
        "small, codex m-1: shop closes 0.51 of the gap (95 %: 0.25 to 0.75)",
        (
            "small, codex m-1: shop against no-search: +37 points (95 %: +12 to +55), p = 0.013 (Holm), "
            "18 points could be detected"
        ),
    ]


def test_what_a_comparison_does_not_know_is_left_out_or_a_dash_with_its_reason() -> None:
    bare = compare(Estimate(value=-0.04, ci95=None, reason="one task"))
    none = compare(Estimate(value=None, ci95=None, reason="no pair was measured"))
    assert render(bare, none) == [
        "small, codex m-1: shop against no-search: -4 points (no interval)",
        "small, codex m-1: shop against no-search: - (no pair was measured)",
    ]


def test_words_stand_at_the_left_of_their_columns_and_numbers_at_the_right() -> None:
    rows = [make_record(setup="no-search"), make_record(setup="floor", agent="somebody"), make_record()]
    assert [*render_table(summarize(rows, facts={}, extra={}))] == [
        "small: setup  agent     passes  95 % interval  with answer  coverage  tokens   cost  calls",
        "no-search     agent        2/2       34-100 %          2/2       2/2      30  $0.50      4",
        "floor         somebody     1/1       21-100 %          1/1       1/1      15  $0.25      2",
    ]
