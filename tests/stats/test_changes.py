from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from stats.battery_rows import make_pairs, make_rates

from pytest_searchlight.stats.changes import (
    UseTable,
    compute_exact_p,
    estimate_change,
    estimate_growth,
    find_detectable_by_pairs,
    find_detectable_change,
)
from pytest_searchlight.stats.paired_tests import compute_mcnemar_p
from pytest_searchlight.stats.pairing import RateTable
from pytest_searchlight.stats.resampling import TASKS_AGREE, TaskDraws

DRAWS = TaskDraws(seed=7, draws=10_000)
EVERY_RESAMPLE_OF_6 = np.array(list(product(range(6), repeat=6)))


def make_use(*used: float, passes: tuple[int, ...]) -> UseTable:
    return UseTable(used=np.array(used, dtype=np.float64), passes=np.array(passes, dtype=np.float64))


# --- the exact test ---------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_with_one_run_a_task_the_test_is_mcnemars(tasks: list[tuple[int, int]]) -> None:
    after, before = (make_rates(*(task[side] for task in tasks), of=1) for side in (0, 1))
    won, lost = tasks.count((1, 0)), tasks.count((0, 1))
    expected = compute_mcnemar_p(setup_only=won, reference_only=lost)
    assert compute_exact_p(after, before=before) == pytest.approx(expected)


@pytest.mark.parametrize("before", [0, 3, 9, 12])
@pytest.mark.parametrize("after", [0, 5, 12])
def test_with_one_task_the_test_is_fishers(after: int, before: int) -> None:
    expected = stats.fisher_exact(np.array([[after, 12 - after], [before, 12 - before]])).pvalue
    p_value = compute_exact_p(make_rates(after, of=12), before=make_rates(before, of=12))
    assert p_value == pytest.approx(expected)


def test_the_p_value_is_that_of_every_way_to_deal_the_passes_out() -> None:
    tasks = [(0, 2, 3, 3), (1, 2, 2, 3), (0, 1, 1, 2)]  # passes and runs after, passes and runs before
    after = RateTable(passes=np.array([0.0, 1, 0]), runs=np.array([2.0, 2, 1]))
    before = RateTable(passes=np.array([3.0, 2, 1]), runs=np.array([3.0, 3, 2]))
    chances = [
        stats.hypergeom(runs + runs_before, passes + passes_before, runs)
        for passes, runs, passes_before, runs_before in tasks
    ]
    totals: dict[int, float] = {}
    for dealt in product(range(3), repeat=3):
        chance = math.prod(float(law.pmf(number)) for law, number in zip(chances, dealt, strict=True))
        totals[sum(dealt)] = totals.get(sum(dealt), 0.0) + chance
    expected = sum(chance for chance in totals.values() if chance <= totals[1] * (1 + 1e-9))
    assert compute_exact_p(after, before=before) == pytest.approx(expected)


def test_no_change_is_no_sign_of_one() -> None:
    rates = make_rates(0, 1, 2, 3)
    assert compute_exact_p(rates, before=rates) == pytest.approx(1)


def test_tasks_with_thousands_of_runs_are_tested_too() -> None:
    after, before = make_rates(1000, 2000, of=3000), make_rates(1100, 2100, of=3000)
    spread = sum(float(stats.hypergeom(6000, passed, 3000).var()) for passed in (2100, 4100))
    normal = 2 * float(stats.norm.sf((100 - 0.5) / math.sqrt(spread)))
    assert compute_exact_p(after, before=before) == pytest.approx(normal, rel=0.02)


def test_where_nothing_changed_few_tests_say_so_however_the_tasks_differ() -> None:
    generator, alarms, batteries = np.random.default_rng(3), 0, 400
    for _ in range(batteries):
        chances = generator.choice([0.05, 0.5, 0.95], size=10)
        after, before = (generator.binomial(3, chances) for _ in range(2))
        alarms += compute_exact_p(make_rates(*after), before=make_rates(*before)) < 0.05
    assert alarms / batteries < 0.05


# --- the change of a rate ---------------------------------------------------------------------------------


def test_a_change_is_the_difference_of_the_rates_however_many_runs_each_side_has() -> None:
    change = estimate_change(
        make_rates(1, 0, 1, 1, 0, 1, of=1), before=make_rates(3, 3, 0, 3, 3, 3), draws=DRAWS
    )
    assert change.value == pytest.approx(4 / 6 - 15 / 18)


def test_the_interval_of_a_change_is_that_of_all_resamples_of_whole_tasks() -> None:
    after, before = (1, 0, 1, 2, 0, 2), (3, 1, 0, 3, 2, 3)
    sums = [np.array(side)[EVERY_RESAMPLE_OF_6].sum(axis=1) for side in (after, before)]
    changes = sums[0] / 12 - sums[1] / 18
    interval = estimate_change(make_rates(*after, of=2), before=make_rates(*before), draws=DRAWS).ci95
    tail = float(stats.norm.cdf(stats.t.ppf(0.025, df=5) * np.sqrt(6 / 5)))
    assert interval == pytest.approx(tuple(np.quantile(changes, (tail, 1 - tail))), abs=0.03)


def test_without_a_task_there_is_no_change() -> None:
    assert estimate_change(make_rates(), before=make_rates(), draws=DRAWS).value is None
    assert find_detectable_change(make_rates(), before=make_rates(), tests=1).value is None
    assert find_detectable_by_pairs(make_pairs(), tests=1).value is None


# --- the growth of use ------------------------------------------------------------------------------------


def test_failed_runs_are_paid_for_by_the_successes() -> None:
    growth = estimate_growth(
        make_use(100, 300, passes=(1, 1)), before=make_use(100, 100, passes=(2, 2)), draws=DRAWS
    )
    assert growth.value == pytest.approx((400 / 2) / (200 / 4) - 1)


def test_an_interval_of_growth_widens_when_several_are_to_hold_together() -> None:
    generator = np.random.default_rng(5)
    used = generator.lognormal(5, 1, size=(2, 30))
    passes = tuple([1] * 30)
    after, before = (make_use(*side, passes=passes) for side in used)
    one, four = (
        estimate_growth(after, before=before, draws=DRAWS, level=level).ci95 for level in (0.05, 0.0125)
    )
    assert one is not None
    assert four is not None
    assert four[0] < one[0] < one[1] < four[1]


@pytest.mark.parametrize(
    ("after", "before"),
    [
        (make_use(*[5] * 6, passes=(0,) * 6), make_use(*[5] * 6, passes=(1,) * 6)),
        (make_use(*[5] * 6, passes=(1,) * 6), make_use(*[5] * 6, passes=(0,) * 6)),
        (make_use(*[5] * 6, passes=(1,) * 6), make_use(*[0] * 6, passes=(1,) * 6)),
        (make_use(passes=()), make_use(passes=())),
    ],
)
def test_growth_needs_successes_on_both_sides_and_use_before(after: UseTable, before: UseTable) -> None:
    growth = estimate_growth(after, before=before, draws=DRAWS)
    assert growth.value is None
    assert growth.reason is not None


def test_growth_that_is_undefined_in_too_many_resamples_has_no_interval() -> None:
    after, before = make_use(*[5] * 6, passes=(1, 0, 0, 0, 0, 0)), make_use(*[5] * 6, passes=(1,) * 6)
    growth = estimate_growth(after, before=before, draws=DRAWS)
    assert growth.value == 5
    assert growth.ci95 is None
    assert "undefined in" in str(growth.reason)


def test_tasks_that_all_grow_alike_are_told() -> None:
    after, before = (make_use(*[used] * 6, passes=(1,) * 6) for used in (30, 10))
    growth = estimate_growth(after, before=before, draws=DRAWS)
    assert (growth.value, growth.reason) == (2, TASKS_AGREE)


# --- what could have been seen ----------------------------------------------------------------------------


def test_with_one_run_a_task_both_ways_of_comparing_show_as_much() -> None:
    pairs = make_pairs(*[(1, 0, 0)] * 3, *[(0, 1, 0)] * 2, *[(0, 0, 1)] * 25)
    after, before = make_rates(*[1] * 28, 0, 0, of=1), make_rates(*[0] * 3, *[1] * 27, of=1)
    by_pairs = find_detectable_by_pairs(pairs, tests=2)
    assert find_detectable_change(after, before=before, tests=2).value == pytest.approx(by_pairs.value)


@pytest.mark.parametrize("tests", [1, 5])
@pytest.mark.parametrize("runs", [22, 400])
def test_a_change_that_can_be_detected_flips_enough_runs_for_the_exact_test(runs: int, tests: int) -> None:
    detectable = find_detectable_by_pairs(make_pairs(*[(0, 0, 1)] * runs), tests=tests).value
    assert detectable is not None
    flips = np.random.default_rng(2).binomial(runs, detectable, size=2000)
    shown = [tests * compute_mcnemar_p(setup_only=0, reference_only=int(lost)) < 0.05 for lost in flips]
    assert np.mean(shown) > 0.77


def test_too_few_runs_can_show_nothing_and_say_how_many_would() -> None:
    figure = find_detectable_by_pairs(make_pairs(*[(0, 0, 1)] * 5), tests=1)
    assert figure.value is None
    assert "with 5 tasks" in str(figure.reason) or "6 runs or more" in str(figure.reason)


def test_more_tests_at_once_show_less() -> None:
    pairs = make_pairs(*[(1, 0, 2)] * 10, *[(0, 1, 2)] * 10, *[(0, 0, 3)] * 30)
    one, ten = (find_detectable_by_pairs(pairs, tests=tests).value for tests in (1, 10))
    assert one is not None
    assert ten is not None
    assert one < ten
