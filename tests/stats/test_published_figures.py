"""Counts that were published of earlier batteries must give the figures that were published with them.

Passes by task are only known for the bakeoff; see the test of closure intervals for what that means.
"""

from __future__ import annotations

from typing import Final

import pytest
from stats.battery_rows import make_rates, make_rows, spell

from pytest_searchlight.calibration import DEFAULT_THRESHOLDS, ReferenceRuns
from pytest_searchlight.calibration.records import is_admitted
from pytest_searchlight.stats import wilson_interval
from pytest_searchlight.stats.comparing import compare_setups
from pytest_searchlight.stats.figures import SetupComparisons
from pytest_searchlight.stats.paired_tests import compute_mcnemar_p
from pytest_searchlight.stats.resampling import TaskDraws, estimate_closure

DRAWS: Final = TaskDraws(seed=1, draws=10_000)

WILSON: Final[dict[int, dict[int, tuple[int, int]]]] = {
    42: {
        29: (54, 81),
        30: (56, 83),
        31: (59, 85),
        32: (61, 87),
        33: (64, 88),
        34: (67, 90),
        35: (69, 92),
        36: (72, 93),
        37: (75, 95),
        38: (78, 96),
    },
    21: {13: (41, 79), 15: (50, 86), 16: (55, 89), 17: (60, 92), 19: (71, 97), 20: (77, 99)},
    18: {0: (0, 18), 13: (49, 88), 14: (55, 91), 16: (67, 97), 17: (74, 99)},
    24: {0: (0, 14), 15: (43, 79), 17: (51, 85), 18: (55, 88), 19: (59, 91), 20: (64, 93), 22: (74, 98)},
}


@pytest.mark.parametrize("graded", WILSON)
def test_published_intervals_of_pass_rates(graded: int) -> None:
    for passes, percents in WILSON[graded].items():
        interval = wilson_interval(passes, graded)
        # Half a point of rounding, and a little more: 59.53 % was printed as 59 for 19 of 24.
        assert interval == pytest.approx([percent / 100 for percent in percents], abs=0.0054)


@pytest.mark.parametrize(
    ("setup_only", "reference_only", "p_value"),
    [
        pytest.param(13, 0, "0.0002", id="built-in-against-floor-claude"),
        pytest.param(14, 0, "0.0001", id="exa-and-built-in-against-floor-codex"),
        pytest.param(3, 0, "0.2500", id="brave-against-built-in-codex"),
        pytest.param(5, 1, "0.2188", id="parallel-against-built-in-claude"),
        pytest.param(2, 0, "0.5000", id="firecrawl-against-built-in-replication"),
    ],
)
def test_published_p_values(setup_only: int, reference_only: int, p_value: str) -> None:
    found = compute_mcnemar_p(setup_only=setup_only, reference_only=reference_only)
    assert f"{found:.4f}" == p_value


@pytest.mark.parametrize("passes", [15, 16, 17, 18, 19, 20])
def test_published_p_values_below_one_in_ten_thousand(passes: int) -> None:
    assert compute_mcnemar_p(setup_only=passes, reference_only=0) < 0.0001


@pytest.mark.parametrize(
    ("ceiling", "closures"),
    [
        pytest.param(20, {20: 1.00, 19: 0.95, 17: 0.85, 16: 0.80, 15: 0.75, 13: 0.65}, id="claude"),
        pytest.param(16, {13: 0.81, 16: 1.00, 17: 1.06, 14: 0.88}, id="codex"),
        pytest.param(22, {20: 0.91, 19: 0.86, 18: 0.82, 17: 0.77, 15: 0.68}, id="replication"),
    ],
)
def test_published_gap_closures(ceiling: int, closures: dict[int, float]) -> None:
    for passes, closure in closures.items():
        found = estimate_closure(
            make_rates(passes, of=24),
            floor=make_rates(0, of=24),
            ceiling=make_rates(ceiling, of=24),
            draws=DRAWS,
        )
        assert found.value == pytest.approx(closure, abs=0.0051)


CLOSURE_INTERVALS: Final = {
    "claude-parallel": ("3333323", "3333332", 0.86, 1.17),
    "claude-firecrawl": ("3333331", "3333332", 0.83, 1.00),
    "claude-built-in": ("3333310", "3333332", 0.53, 1.00),
    "claude-exa": ("3333210", "3333332", 0.47, 0.95),
    "codex-parallel": ("333310", "333223", 0.41, 1.14),
    "codex-brave": ("333332", "333223", 0.88, 1.29),
    "codex-perplexity": ("333310", "333232", 0.47, 1.12),
    "codex-built-in": ("333320", "333223", 0.47, 1.20),
    "codex-exa": ("333320", "332233", 0.47, 1.29),
    "codex-tavily": ("333331", "333223", 0.71, 1.29),
    "replication-exa": ("33333220", "33333313", 0.58, 1.11),
    "replication-brave": ("33332111", "33331333", 0.50, 1.06),
}
"""Passes of 3 by task of the setup and the ceiling, and the published interval.

Passes by task were not published. Of all ways to lay out the published totals over the tasks, this is the
only one whose interval rounds to the published one. Left out are those where several do (Claude with
perplexity and tavily, the replication with perplexity) and where none does, though one comes within 2 points
(Claude with brave, with the first built-in; the replication with firecrawl, built-in, parallel, tavily)."""


@pytest.mark.parametrize("battery", CLOSURE_INTERVALS)
def test_published_intervals_of_gap_closure_where_one_layout_of_the_passes_gives_them(battery: str) -> None:
    setup, ceiling, low, high = CLOSURE_INTERVALS[battery]
    closure = estimate_closure(
        make_rates(*map(int, setup)),
        floor=make_rates(*[0] * len(setup)),
        ceiling=make_rates(*map(int, ceiling)),
        draws=DRAWS,
    )
    assert closure.plain_ci95 == pytest.approx((low, high), abs=0.0051)
    assert closure.ci95 is not None
    assert closure.ci95[0] <= low + 0.0051 <= high - 0.0051 <= closure.ci95[1]


def test_a_published_interval_without_width_is_withheld() -> None:
    passes = make_rates(3, 3, 3, 3, 2, 2)
    closure = estimate_closure(passes, floor=make_rates(*[0] * 6), ceiling=passes, draws=DRAWS)
    assert closure.value == 1.0
    assert closure.ci95 is None


BAKEOFF: Final = {
    "no-search": spell(2, 1, 0, 3, 3, 3, 0, 3, 3, 2, 3, 3, 1, 3),
    "built-in": spell(2, 1, 0, 3, 3, 3, 2, 1, 3, 3, 3, 3, 2, 3),
    "brave": spell(1, 0, 2, 3, 3, 3, 2, 3, 3, 0, 3, 3, 0, 3),
    "tavily": spell(3, 0, 0, 3, 3, 3, 1, 3, 3, 3, 3, 3, 2, 3),
    "exa": spell(2, 2, 0, 3, 2, 3, 3, 3, 3, 2, 3, 3, 2, 3),
    "parallel": spell(3, 2, 0, 3, 2, 3, 3, 2, 3, 2, 1, 3, 2, 3),
    "firecrawl": spell(3, 0, 3, 3, 3, 3, 1, 2, 3, 3, 3, 3, 2, 3),
    "perplexity": spell(3, 1, 3, 3, 3, 3, 3, 1, 3, 1, 3, 3, 2, 3),
}


@pytest.fixture(scope="module")
def bakeoff() -> dict[str, SetupComparisons]:
    (lane,) = compare_setups(make_rows(BAKEOFF), seed=1).lanes
    return {each.setup: each for each in lane.setups}


@pytest.mark.parametrize(
    ("setup", "points"),
    [
        ("firecrawl", 12),
        ("perplexity", 12),
        ("exa", 10),
        ("tavily", 7),
        ("built-in", 5),
        ("parallel", 5),
        ("brave", -2),
    ],
)
def test_published_differences_from_no_search_none_of_which_excludes_zero(
    bakeoff: dict[str, SetupComparisons], setup: str, points: int
) -> None:
    (against,) = (each for each in bakeoff[setup].comparisons if each.reference == "no-search")
    assert against.difference.value is not None
    assert round(100 * against.difference.value) == points
    assert against.difference.ci95 is not None
    low, high = against.difference.ci95
    assert low <= 0 <= high
    assert against.resolution.detectable_difference.value is not None
    assert against.resolution.detectable_difference.value > against.difference.value


ADMITTED: Final = {"claude-code": [5, 5, 5, 5, 5, 5, 5], "codex": [5, 5, 5, 5, 4, 5]}
REJECTED: Final = {"claude-code": [2, 1, 0], "codex": [0, 2, 0, 1]}


@pytest.mark.parametrize("agent", ADMITTED)
def test_published_ceilings_admit_and_reject_the_same_tasks(agent: str) -> None:
    floor = count_runs(0)
    for passes in ADMITTED[agent]:
        assert is_admitted(floor, count_runs(passes), DEFAULT_THRESHOLDS)
    for passes in REJECTED[agent]:
        assert not is_admitted(floor, count_runs(passes), DEFAULT_THRESHOLDS)


def count_runs(passes: int) -> ReferenceRuns:
    runs = tuple(f"r{number}" for number in range(5))
    return ReferenceRuns(model_name=None, agent_versions=(), graded=5, passes=passes, run_ids=runs)
