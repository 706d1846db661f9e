from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from stats.battery_rows import make_pairs

from pytest_searchlight.stats.paired_tests import adjust_holm, compute_mcnemar_p, compute_paired_tests

P_VALUES = st.lists(st.floats(0, 1), max_size=6)


def test_mcnemar_is_the_binomial_test_of_the_discordant_pairs() -> None:
    for setup_only in range(30):
        for reference_only in range(1, 30):
            expected = stats.binomtest(setup_only, setup_only + reference_only, 0.5).pvalue
            found = compute_mcnemar_p(setup_only=setup_only, reference_only=reference_only)
            assert found == pytest.approx(float(expected), rel=1e-9)


def test_without_discordant_pairs_nothing_speaks_against_equality() -> None:
    assert compute_mcnemar_p(setup_only=0, reference_only=0) == 1.0


def test_a_tie_is_no_evidence() -> None:
    assert compute_mcnemar_p(setup_only=7, reference_only=7) == 1.0


@pytest.mark.parametrize(("discordant", "significant"), [(5, False), (6, True)])
def test_six_pairs_that_all_fall_one_way_are_the_fewest_that_tell(
    discordant: int, *, significant: bool
) -> None:
    assert (compute_mcnemar_p(setup_only=discordant, reference_only=0) < 0.05) is significant


def test_holm_agrees_with_a_worked_example() -> None:
    assert adjust_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@settings(max_examples=50, deadline=None)
@given(P_VALUES)
def test_holm_is_the_closed_test_whose_every_intersection_is_tested_by_bonferroni(
    p_values: list[float],
) -> None:
    for place, adjusted in enumerate(adjust_holm(p_values)):
        families = (
            [p_values[place], *others]
            for size in range(len(p_values))
            for others in combinations(p_values[:place] + p_values[place + 1 :], size)
        )
        expected = max(min(1.0, len(family) * min(family)) for family in families)
        assert adjusted == pytest.approx(expected)


def test_a_comparison_without_pairs_is_no_member_of_the_family() -> None:
    tests = compute_paired_tests({"a": make_pairs((6, 0, 0)), "b": make_pairs((1, 1, 1)), "c": make_pairs()})
    assert tests["a"].family_size == tests["c"].family_size == 2
    assert tests["a"].p_value.value == 2 / 2**6
    assert tests["a"].p_value_holm.value == 4 / 2**6
    assert tests["c"].p_value.value is None
    assert tests["c"].p_value_holm.reason == "no pair was measured under both setups"
