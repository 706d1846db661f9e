from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_searchlight.stats import divide, quantile, wilson_interval


@pytest.mark.parametrize(
    ("passes", "graded", "low", "high"),
    [(0, 18, 0.0, 0.176), (18, 18, 0.824, 1.0), (9, 18, 0.290, 0.710), (1, 1, 0.207, 1.0)],
)
def test_the_interval_agrees_with_known_values(passes: int, graded: int, low: float, high: float) -> None:
    interval = wilson_interval(passes, graded)
    assert interval == pytest.approx((low, high), abs=0.001)


def test_nothing_graded_has_no_interval_no_mean_and_no_quantile() -> None:
    assert wilson_interval(0, 0) is None
    assert divide(0, 0) is None
    assert divide(None, 3) is None
    assert quantile([], 0.5) is None


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    passes, graded = counts
    interval = wilson_interval(passes, graded)
    assert interval is not None
    low, high = interval
    assert 0.0 <= low <= passes / graded <= high <= 1.0
    assert low < high


@given(st.lists(st.floats(0, 1e6), min_size=1), st.sampled_from([0.5, 0.9, 0.99]))
def test_a_quantile_lies_within_its_values(values: list[float], share: float) -> None:
    found = quantile(values, share)
    assert found is not None
    assert min(values) <= found * (1 + 1e-9)
    assert found <= max(values) * (1 + 1e-9)
    assert math.isfinite(found)


def test_quantiles_interpolate_between_order_statistics() -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert quantile([7.0], 0.99) == 7.0


@given(st.lists(st.floats(0, 1e6), min_size=1), st.sampled_from([0.0, 0.5, 0.9, 0.99, 1.0]))
def test_a_quantile_is_the_one_that_numpy_gives(values: list[float], share: float) -> None:
    assert quantile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-9)
