"""Intervals from resampled tasks: differences of pass rates, and gap closure.

Repetitions of one task are not independent, so whole tasks are drawn, with replacement, with all their runs
under every setup; the interval lies between two quantiles of the draws. With few tasks the plain quantiles,
2.5 % and 97.5 %, cover too little: 84 to 87 % in simulated batteries of 6 to 8 tasks, where the expanded ones
used here cover 92 to 95 %.

Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13; for the
expanded quantiles T. Hesterberg, "What Teachers Should Know About the Bootstrap", 2015.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from pytest_searchlight.stats.columns import Counts
from pytest_searchlight.stats.figures import Estimate, GapClosure, Interval
from pytest_searchlight.stats.pairing import PairTable, RateTable

FEWEST_TASKS: Final = 6
"""Below this many tasks even the range of all of them covers a median with less than 95 %: 1 - 2 / 2**5."""

TASKS_AGREE: Final = "the tasks agree, so resampling them gives an interval without width"

PLAIN_TAIL: Final = 0.025
_LEVEL: Final = 2 * PLAIN_TAIL

Draws = NDArray[np.float64]
"""A value for each resample."""


class TaskDraws:
    """Seeded resamples of tasks; two estimates over the same number of tasks use the same draws.

    Args:
        seed: of the generator.
        draws: how many resamples.
    """

    def __init__(self, *, seed: int, draws: int) -> None:
        self.seed = seed
        self.draws = draws

    def add_up(self, *columns: Counts) -> tuple[Draws, ...]:
        """The sum of each column over the tasks of each draw; all columns have one value a task."""
        return tuple(np.stack(columns) @ _draw_tasks(len(columns[0]), seed=self.seed, draws=self.draws))


@lru_cache(maxsize=4)
def _draw_tasks(tasks: int, *, seed: int, draws: int) -> Draws:
    """How often each task is in each draw, (tasks, draws); kept, since sessions on one catalog share it."""
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(tasks, np.full(tasks, 1 / tasks), size=draws)
    return np.ascontiguousarray(drawn.T, dtype=np.float64)


def estimate_difference(table: PairTable, *, draws: TaskDraws) -> Estimate:
    """Pass rate of the setup minus that of the reference over their pairs, with its interval."""
    if table.tasks == 0:
        return Estimate(value=None, ci95=None, reason="no pair was measured under both setups")
    value = table.differences.sum() / table.pairs.sum()
    differences, pairs = draws.add_up(table.differences, table.pairs)
    ci95, reason = find_interval(differences / pairs, tasks=table.tasks)
    return Estimate(value=value, ci95=ci95, reason=reason)


def estimate_closure(
    setup: RateTable, *, floor: RateTable, ceiling: RateTable, draws: TaskDraws
) -> GapClosure:
    """Which share of the gap between floor and ceiling the setup closes, with its interval.

    All tables have the same tasks in the same order, each with a graded run at least.
    """
    tasks = len(setup.runs)
    if tasks == 0:
        return withhold_closure("no task was measured under the setup, the floor and the ceiling")
    value = _close_gaps(*(_sum_rates(table) for table in (setup, floor, ceiling)))
    if not value.size:
        reason = "the ceiling passes no more than the floor, so there is no gap to close"
        return withhold_closure(reason, tasks=tasks)
    closures = _close_gaps(*(_draw_rates(table, draws) for table in (setup, floor, ceiling)))
    undefined = draws.draws - closures.size
    ci95, problem = find_interval(closures, tasks=tasks, undefined=undefined)
    plain = None if ci95 is None else _cut_tails(closures, tail=PLAIN_TAIL, undefined=undefined)[0]
    return GapClosure(
        value=value[0],
        ci95=ci95,
        plain_ci95=plain,
        reason=problem,
        tasks=tasks,
        undefined_draws=undefined,
    )


def withhold_closure(reason: str, *, tasks: int = 0) -> GapClosure:
    """The closure that cannot be computed, and why."""
    return GapClosure(value=None, ci95=None, plain_ci95=None, reason=reason, tasks=tasks, undefined_draws=0)


def _sum_rates(table: RateTable) -> RateTable:
    return RateTable(passes=table.passes.sum(keepdims=True), runs=table.runs.sum(keepdims=True))


def _draw_rates(table: RateTable, draws: TaskDraws) -> RateTable:
    passes, runs = draws.add_up(table.passes, table.runs)
    return RateTable(passes=passes, runs=runs)


def _close_gaps(setup: RateTable, floor: RateTable, ceiling: RateTable) -> Draws:
    """The closures where the ceiling passes more than the floor; the others are left out.

    Rates are brought to one denominator first: whole numbers tell exactly whether there is a gap.
    """
    gap = ceiling.passes * floor.runs - floor.passes * ceiling.runs
    gain = setup.passes * floor.runs - floor.passes * setup.runs
    defined = gap > 0
    return (gain * ceiling.runs)[defined] / (gap * setup.runs)[defined]


def find_interval(
    values: Draws, *, tasks: int, undefined: int = 0, level: float = _LEVEL
) -> tuple[Interval | None, str | None]:
    """The interval of resampled values, or why there is none to be had from them.

    Args:
        values: the estimate in each resample in which it is defined.
        tasks: how many tasks were resampled.
        undefined: resamples without a value.
        level: how often the interval may miss; less than 5 % where several are to hold together.
    """
    if tasks < FEWEST_TASKS:
        return None, f"an interval of 95 % needs at least {FEWEST_TASKS} tasks, and there are {tasks}"
    return _cut_tails(values, tail=_expand_tail(tasks, level / 2), undefined=undefined)


def _expand_tail(tasks: int, tail: float) -> float:
    """The share of draws beyond each end that makes up for the bootstrap's small-sample shortfall."""
    return float(ndtr(stdtrit(tasks - 1, tail) * math.sqrt(tasks / (tasks - 1))))


def _cut_tails(values: Draws, *, tail: float, undefined: int) -> tuple[Interval | None, str | None]:
    """The interval that leaves `tail` of the values out at each end, or why there is none."""
    draws = values.size + undefined
    if undefined > tail * draws:
        return None, f"the estimate is undefined in {undefined} of {draws} resamples"
    low, high = np.quantile(values, (tail, 1 - tail))
    if low == high:
        return None, TASKS_AGREE
    return (float(low), float(high)), None
