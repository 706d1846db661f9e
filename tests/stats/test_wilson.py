from __future__ import annotations

import pytest
from scipy import stats

from pytest_searchlight.stats import wilson_interval


@pytest.mark.parametrize("graded", [1, 2, 3, 7, 18, 21, 24, 42, 100, 1000])
def test_the_interval_is_that_of_scipy(graded: int) -> None:
    step = max(1, graded // 25)
    for passes in {0, graded, *range(0, graded, step)}:
        expected = stats.binomtest(passes, graded).proportion_ci(0.95, method="wilson")
        assert wilson_interval(passes, graded) == pytest.approx(tuple(expected), abs=1e-12)
