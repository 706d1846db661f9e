from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from stats.battery_rows import make_pairs, make_rates

from pytest_searchlight.stats.resampling import TaskDraws, estimate_closure, estimate_difference

DRAWS = TaskDraws(seed=7, draws=10_000)
EVERY_RESAMPLE_OF_6 = np.array(list(product(range(6), repeat=6)))


EXPANDED_TAIL = float(stats.norm.cdf(stats.t.ppf(0.025, df=5) * np.sqrt(6 / 5)))


def assert_cuts_tails(
    interval: tuple[float, float] | None, *, of: NDArray[np.float64], tail: float = EXPANDED_TAIL
) -> None:
    """The interval leaves `tail` of all values out at each end, as nearly as values that repeat allow."""
    assert interval is not None
    low, high = interval
    assert np.mean(of < low - 1e-9) < tail + 0.003
    assert np.mean(of < low + 1e-9) > tail - 0.003
    assert np.mean(of > high + 1e-9) < tail + 0.003
    assert np.mean(of > high - 1e-9) > tail - 0.003


def test_the_interval_of_a_difference_is_that_of_all_resamples_of_whole_tasks() -> None:
    tasks = ((3, 0, 0), (1, 0, 2), (0, 2, 1), (2, 1, 0), (0, 0, 3), (1, 1, 0))
    gains = np.array([better - worse for better, worse, _ in tasks])[EVERY_RESAMPLE_OF_6].sum(axis=1)
    pairs = np.array([sum(task) for task in tasks])[EVERY_RESAMPLE_OF_6].sum(axis=1)
    estimate = estimate_difference(make_pairs(*tasks), draws=DRAWS)
    assert estimate.value == pytest.approx(3 / 17)
    assert_cuts_tails(estimate.ci95, of=gains / pairs)


def test_the_interval_of_a_closure_is_that_of_all_resamples_of_whole_tasks() -> None:
    setup, floor, ceiling = (2, 3, 1, 3, 0, 2), (0, 1, 0, 0, 1, 0), (3, 3, 3, 2, 3, 3)
    sums = [np.array(arm)[EVERY_RESAMPLE_OF_6].sum(axis=1) for arm in (setup, floor, ceiling)]
    closures = (sums[0] - sums[1]) / (sums[2] - sums[1])
    closure = estimate_closure(
        make_rates(*setup), floor=make_rates(*floor), ceiling=make_rates(*ceiling), draws=DRAWS
    )
    assert closure.value == pytest.approx(9 / 15)
    assert_cuts_tails(closure.ci95, of=closures)
    assert_cuts_tails(closure.plain_ci95, of=closures, tail=0.025)
    assert closure.undefined_draws == 0


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    table = make_pairs(*[(number % 3, number % 2, 2) for number in range(12)])
    first, again, other = (
        estimate_difference(table, draws=TaskDraws(seed=seed, draws=500)).ci95 for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_repetitions_do_not_stand_in_for_tasks() -> None:
    once, often = ([(1, 0, 0), (0, 0, 1)] * 5, [(9, 0, 0), (0, 0, 9)] * 5)
    narrow, wide = (estimate_difference(make_pairs(*tasks), draws=DRAWS).ci95 for tasks in (once, often))
    assert narrow == wide


def test_a_gap_of_nothing_is_closed_by_nothing() -> None:
    for ceiling in ((0, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)):
        floor = make_rates(0, 1, 0, 0, 0, 0)
        closure = estimate_closure(
            make_rates(3, 3, 3, 3, 3, 3), floor=floor, ceiling=make_rates(*ceiling), draws=DRAWS
        )
        assert closure.value is None
        assert closure.ci95 is None
        assert closure.reason == "the ceiling passes no more than the floor, so there is no gap to close"


def test_draws_without_a_gap_are_counted_and_too_many_of_them_withhold_the_interval() -> None:
    nothing = make_rates(0, 0, 0, 0, 0, 0)
    closure = estimate_closure(
        make_rates(1, 0, 0, 0, 0, 0), floor=nothing, ceiling=make_rates(3, 0, 0, 0, 0, 0), draws=DRAWS
    )
    assert closure.value == pytest.approx(1 / 3)
    assert closure.ci95 is None
    assert closure.undefined_draws / DRAWS.draws == pytest.approx((5 / 6) ** 6, abs=0.02)
    assert closure.reason == f"the estimate is undefined in {closure.undefined_draws} of 10000 resamples"


def test_few_undefined_draws_are_left_out_and_counted() -> None:
    nothing = make_rates(*[0] * 9)
    closure = estimate_closure(
        make_rates(1, 2, 0, 1, 0, 1, 2, 3, 3),
        floor=nothing,
        ceiling=make_rates(3, 3, 3, 3, 0, 0, 0, 0, 0),
        draws=DRAWS,
    )
    assert 0 < closure.undefined_draws < 0.01 * DRAWS.draws
    assert closure.ci95 is not None


def test_the_interval_covers_what_it_says_with_few_tasks() -> None:
    generator, draws = np.random.default_rng(4), TaskDraws(seed=1, draws=2000)
    held, batteries = 0, 300
    for _ in range(batteries):
        chances = generator.choice([0.1, 0.5, 0.9], size=(8, 1)) + np.array([0.1, 0.0])
        setup, reference = generator.random((2, 8, 3)) < chances.T[:, :, np.newaxis]
        better, worse = (setup & ~reference).sum(axis=1), (reference & ~setup).sum(axis=1)
        table = make_pairs(*zip(better, worse, 3 - better - worse, strict=True))
        low, high = estimate_difference(table, draws=draws).ci95 or (1.0, -1.0)
        held += low <= 0.1 <= high
    assert held / batteries > 0.91


def test_only_undefined_draws_give_no_interval() -> None:
    nothing, unlucky = make_rates(0, 0, 0, 0, 0, 0), TaskDraws(seed=3, draws=1)
    closure = estimate_closure(nothing, floor=nothing, ceiling=make_rates(1, 0, 0, 0, 0, 0), draws=unlucky)
    assert (closure.value, closure.ci95, closure.undefined_draws) == (0.0, None, 1)


@pytest.mark.parametrize("tasks", [1, 2, 5])
def test_few_tasks_give_a_value_and_no_interval(tasks: int) -> None:
    estimate = estimate_difference(make_pairs(*[(1, 0, number) for number in range(tasks)]), draws=DRAWS)
    assert estimate.value is not None
    assert estimate.ci95 is None
    assert estimate.reason == f"an interval of 95 % needs at least 6 tasks, and there are {tasks}"


def test_tasks_that_all_agree_give_no_interval_of_no_width() -> None:
    estimate = estimate_difference(make_pairs(*[(3, 0, 0)] * 9), draws=DRAWS)
    assert estimate.value == 1.0
    assert estimate.reason == "the tasks agree, so resampling them gives an interval without width"


def test_nothing_measured_has_no_difference_and_no_closure() -> None:
    assert estimate_difference(make_pairs(), draws=DRAWS).value is None
    closure = estimate_closure(make_rates(), floor=make_rates(), ceiling=make_rates(), draws=DRAWS)
    assert closure.reason == "no task was measured under the setup, the floor and the ceiling"


COUNTS = st.integers(0, 3)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(COUNTS, COUNTS, st.integers(1, 3)), min_size=6, max_size=12))
def test_an_interval_lies_within_what_the_tasks_show(tasks: list[tuple[int, int, int]]) -> None:
    estimate = estimate_difference(make_pairs(*tasks), draws=TaskDraws(seed=1, draws=200))
    own = [(better - worse) / (better + worse + same) for better, worse, same in tasks]
    low, high = estimate.ci95 or (estimate.value, estimate.value)
    assert estimate.value is not None
    assert low is not None
    assert high is not None
    assert min(own) - 1e-9 <= low <= high <= max(own) + 1e-9
    assert min(own) - 1e-9 <= estimate.value <= max(own) + 1e-9
