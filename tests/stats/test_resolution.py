from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from stats.battery_rows import make_pairs

from pytest_searchlight.stats.paired_tests import compute_mcnemar_p
from pytest_searchlight.stats.resolution import (
    ASSUMED_SPREAD,
    Spread,
    estimate_spread,
    find_detectable,
    find_detectable_exactly,
    resolve_pairs,
    tell_resolution,
)

SPREADS = st.tuples(st.floats(0, 0.6), st.floats(0.01, 0.4)).map(lambda parts: Spread(*parts))


@pytest.mark.parametrize("tasks", [8, 30])
def test_a_difference_of_the_detectable_size_is_found_in_four_of_five_batteries(tasks: int) -> None:
    resolution = tell_resolution(Spread(between=0.04, within=0.24), tasks=tasks, repetitions=3)
    difference = resolution.detectable_difference.value
    assert difference is not None
    error = math.sqrt(0.04 + 0.24 / 3)
    batteries = np.random.default_rng(5).normal(difference, error, size=(20_000, tasks))
    p_values = stats.ttest_1samp(batteries, 0.0, axis=1).pvalue
    assert np.mean(p_values < 0.05) == pytest.approx(0.80, abs=0.03)


@pytest.mark.parametrize("tests", [1, 7])
@pytest.mark.parametrize("passed_without", [0.05, 0.4])
def test_the_exact_test_finds_a_detectable_difference_in_four_of_five_small_sessions(
    passed_without: float, tests: int
) -> None:
    with_search = 0.8
    spread = Spread(
        between=0.0, within=with_search * (1 - with_search) + passed_without * (1 - passed_without)
    )
    found = find_detectable_exactly(spread, tasks=20, repetitions=1, level=0.05 / tests).value
    assert found is not None
    discordant = max(found, min(1.0, spread.within + found**2))
    chance = np.random.default_rng(4)
    pairs = chance.binomial(20, discordant, size=4000)
    won = chance.binomial(pairs, (1 + found / discordant) / 2)
    p_values = [
        compute_mcnemar_p(setup_only=int(one), reference_only=int(all_ - one))
        for one, all_ in zip(won, pairs, strict=True)
    ]
    assert np.mean(np.array(p_values) < 0.05 / tests) == pytest.approx(0.80, abs=0.02)


def test_more_pairs_than_the_exact_test_has_steps_in_are_held_to_the_spread_alone() -> None:
    spread = Spread(between=0.02, within=0.2)
    many = find_detectable_exactly(spread, tasks=400, repetitions=1, level=0.05)
    assert many == find_detectable(spread, tasks=400, repetitions=1, level=0.05)


def test_few_pairs_that_no_exact_test_could_tell_apart_show_nothing() -> None:
    figure = find_detectable_exactly(Spread(between=0, within=0.01), tasks=5, repetitions=1, level=0.05)
    assert figure.reason == "with 5 pairs no difference is large enough for the exact test"


@settings(max_examples=50, deadline=None)
@given(SPREADS, st.integers(1, 9))
def test_the_tasks_asked_for_are_the_fewest_that_show_ten_points(spread: Spread, repetitions: int) -> None:
    tasks = tell_resolution(spread, tasks=5, repetitions=repetitions).tasks_for_10_points.value
    assert isinstance(tasks, int)
    assert show(spread, tasks=tasks, repetitions=repetitions) <= 0.1
    assert tasks == 2 or show(spread, tasks=tasks - 1, repetitions=repetitions) > 0.1


@settings(max_examples=50, deadline=None)
@given(SPREADS, st.integers(2, 400))
def test_the_repetitions_asked_for_are_the_fewest_that_show_ten_points(spread: Spread, tasks: int) -> None:
    figure = tell_resolution(spread, tasks=tasks, repetitions=3).repetitions_for_10_points
    if figure.value is None:
        assert show(spread, tasks=tasks, repetitions=10**9) >= 0.1 - 1e-6
    else:
        assert show(spread, tasks=tasks, repetitions=figure.value) <= 0.1 + 1e-9
        assert figure.value == 1 or show(spread, tasks=tasks, repetitions=figure.value - 1) > 0.1 - 1e-9


def show(spread: Spread, *, tasks: int, repetitions: float) -> float:
    """The detectable difference; above 1 where there is none."""
    value = find_detectable(spread, tasks=tasks, repetitions=repetitions).value
    return math.inf if value is None else value


def test_the_spread_between_tasks_is_told_from_that_within_them() -> None:
    generator = np.random.default_rng(11)
    lean = generator.choice([0.2, 0.8], size=4000)
    better = generator.binomial(4, lean)
    spread = estimate_spread(make_pairs(*((won, 4 - won, 0) for won in better)))
    assert spread.between == pytest.approx(4 * np.var([0.2, 0.8]), abs=0.02)
    assert spread.within == pytest.approx(4 * 0.2 * 0.8, abs=0.02)


def test_pairs_that_all_agree_are_no_certainty() -> None:
    resolution = resolve_pairs(make_pairs(*[(0, 0, 3)] * 7), tests=1)
    assert resolution.detectable_difference.value == pytest.approx(0.35, abs=0.01)
    assert resolution.repetitions_for_10_points.value is None


def test_one_repetition_says_nothing_about_more_of_them() -> None:
    resolution = resolve_pairs(make_pairs(*[(1, 0, 0), (0, 1, 0), (0, 0, 1)] * 4), tests=1)
    assert resolution.repetitions_for_10_points.reason is not None
    assert "12 tasks are too few for any number of repetitions" in resolution.repetitions_for_10_points.reason
    assert resolution.tasks_for_10_points.value is not None


def test_one_task_says_nothing_about_tasks() -> None:
    resolution = resolve_pairs(make_pairs((2, 1, 0)), tests=1)
    assert resolution.detectable_difference.reason == "one task says nothing about how tasks differ"
    assert resolution.repetitions_for_10_points.value is None


def test_two_tasks_can_show_no_difference_at_all() -> None:
    resolution = resolve_pairs(make_pairs((3, 0, 0), (0, 3, 0)), tests=1)
    assert resolution.detectable_difference.reason == "with 2 tasks no difference is large enough to be found"


def test_without_pairs_nothing_is_known() -> None:
    resolution = resolve_pairs(make_pairs(), tests=1)
    assert {figure.value for _, figure in resolution} == {None}
    assert {figure.reason for _, figure in resolution} == {"no pair was measured under both setups"}


def test_seven_tasks_with_three_repetitions_do_not_show_ten_points() -> None:
    resolution = tell_resolution(ASSUMED_SPREAD, tasks=7, repetitions=3)
    assert resolution.detectable_difference.value == pytest.approx(0.43, abs=0.01)
    assert resolution.tasks_for_10_points.value == 94
    assert resolution.repetitions_for_10_points.value is None


def test_one_of_several_tests_shows_less() -> None:
    pairs = make_pairs(*[(1, 0, 2), (0, 1, 2), (2, 0, 1)] * 5)
    alone, together = (resolve_pairs(pairs, tests=tests) for tests in (1, 7))
    assert alone.detectable_difference.value is not None
    assert together.detectable_difference.value is not None
    assert together.detectable_difference.value > 1.2 * alone.detectable_difference.value
    assert alone.tasks_for_10_points.value is not None
    assert together.tasks_for_10_points.value is not None
    assert together.tasks_for_10_points.value > 1.4 * alone.tasks_for_10_points.value


def test_a_size_beyond_all_bounds_is_not_named() -> None:
    figure = tell_resolution(Spread(between=1, within=0), tasks=20, repetitions=1, tests=10**6)
    assert figure.tasks_for_10_points.reason is not None
    assert "not even 2000 tasks show ten points" in figure.tasks_for_10_points.reason
