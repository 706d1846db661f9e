"""Two batteries of one setup, an earlier and a later one, whose runs need not pair off.

A task stands in both with any number of runs. Everything here goes by task: tests compare a task with itself,
and whole tasks are resampled with all the runs they have in either battery.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, softmax

from pytest_searchlight.stats.columns import Counts
from pytest_searchlight.stats.figures import Estimate, Figure
from pytest_searchlight.stats.pairing import PairTable, RateTable
from pytest_searchlight.stats.resampling import TaskDraws, find_interval
from pytest_searchlight.stats.resolution import LEVEL, POWER, Spread, estimate_spread, find_detectable

_NO_TASK: Final = "no task was measured on both sides"
_NOTHING_TO_DIVIDE_BY: Final = (
    "without successes on both sides, or any use before, there is nothing to divide by"
)
_TIED: Final = 1 + 1e-7
"""Outcomes this much likelier than the observed one are as likely, but for rounding."""


def compute_exact_p(after: RateTable, *, before: RateTable) -> float:
    """Exact two-sided p-value of the hypothesis that no task's pass rate has changed.

    Given how many of a task's runs passed in both batteries together, each of its runs is as likely as any
    other to be among them; so the later passes follow a hypergeometric distribution, task by task. With one
    run a task on either side this is McNemar's exact test, with a single task it is Fisher's.

    Args:
        after: runs and passes by task.
        before: the same of the earlier battery, with the same tasks in the same order.

    Source: N. Mantel and W. Haenszel, "Statistical aspects of the analysis of data from retrospective studies
    of disease", 1959; the exact form is the sum of the tasks' conditional distributions.
    """
    chances, fewest = np.ones(1), 0
    for passes, runs, passes_before, runs_before in _list_tasks(after, before):
        passed = passes + passes_before
        fewest += max(0, passed - runs_before)
        chances = np.convolve(chances, _spread_passes(passed, runs=runs, runs_before=runs_before))
    observed = chances[int(after.passes.sum()) - fewest]
    return min(1.0, float(chances[chances <= observed * _TIED].sum()))


def _list_tasks(after: RateTable, before: RateTable) -> list[tuple[int, ...]]:
    columns = (after.passes, after.runs, before.passes, before.runs)
    return [tuple(map(int, task)) for task in zip(*columns, strict=True)]


def _spread_passes(passed: int, *, runs: int, runs_before: int) -> NDArray[np.float64]:
    """How likely each possible number of later passes is, from the fewest on."""
    later = np.arange(max(0, passed - runs_before), min(runs, passed) + 1)
    ways = _log_ways(runs, later) + _log_ways(runs_before, passed - later)
    chances: NDArray[np.float64] = softmax(ways)
    return chances


def _log_ways(runs: int, passed: NDArray[np.int_]) -> NDArray[np.float64]:
    """Logarithm of the number of ways in which so many of `runs` can have passed."""
    ways: NDArray[np.float64] = gammaln(runs + 1) - gammaln(passed + 1) - gammaln(runs - passed + 1)
    return ways


def estimate_change(after: RateTable, *, before: RateTable, draws: TaskDraws) -> Estimate:
    """The later pass rate minus the earlier one, with its interval; every task has runs in both."""
    if len(after.runs) == 0:
        return Estimate(value=None, ci95=None, reason=_NO_TASK)
    value = after.passes.sum() / after.runs.sum() - before.passes.sum() / before.runs.sum()
    passes, runs, passes_before, runs_before = draws.add_up(
        after.passes, after.runs, before.passes, before.runs
    )
    ci95, reason = find_interval(passes / runs - passes_before / runs_before, tasks=len(after.runs))
    return Estimate(value=value, ci95=ci95, reason=reason)


# --- what successes take ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class UseTable:
    """What a battery used of something, and its passes, by task, as arrays of one length."""

    used: Counts
    passes: Counts


def estimate_growth(after: UseTable, *, before: UseTable, draws: TaskDraws, level: float = LEVEL) -> Estimate:
    """By which share the use for each success has grown (0.2 is 20 % more), with its interval.

    Failed runs are paid for by the successes. `level` is how often the interval may miss.
    """
    columns = (after.used, after.passes, before.used, before.passes)
    values = _compare_use(*(column.sum(keepdims=True) for column in columns))
    if not values.size:
        return Estimate(value=None, ci95=None, reason=_NOTHING_TO_DIVIDE_BY)
    growths = _compare_use(*draws.add_up(*columns))
    undefined = draws.draws - growths.size
    ci95, reason = find_interval(growths, tasks=len(after.used), undefined=undefined, level=level)
    return Estimate(value=values[0], ci95=ci95, reason=reason)


def _compare_use(used: Counts, passes: Counts, used_before: Counts, passes_before: Counts) -> Counts:
    """The growth where it is defined; other entries are left out."""
    defined = (passes > 0) & (passes_before > 0) & (used_before > 0)
    now, earlier = used[defined] * passes_before[defined], used_before[defined] * passes[defined]
    return now / earlier - 1


# --- what could have been seen ----------------------------------------------------------------------------


def find_detectable_change(after: RateTable, *, before: RateTable, tests: int) -> Figure:
    """The smallest change of the pass rate that such batteries show, as one of `tests` tests."""
    tasks = len(after.runs)
    if tasks == 0:
        return Figure(value=None, reason=_NO_TASK)
    changes = after.passes / after.runs - before.passes / before.runs
    # As for pairs: half a task is added to each end, so that tasks that agree do not pass for certainty.
    variance = (float((changes**2).sum()) + 1) / (tasks + 2) - (float(changes.sum()) / (tasks + 2)) ** 2
    spread = Spread(between=variance, within=0.0)
    shown = find_detectable(spread, tasks=tasks, repetitions=1, level=LEVEL / tests)
    return _require_flips(shown, runs=min(after.runs.sum(), before.runs.sum()), tests=tests)


def find_detectable_by_pairs(table: PairTable, *, tests: int) -> Figure:
    """The smallest change of the pass rate that such pairs show, as one of `tests` tests."""
    if table.tasks == 0:
        return Figure(value=None, reason=_NO_TASK)
    pairs = float(table.pairs.sum())
    spread = estimate_spread(table)
    shown = find_detectable(spread, tasks=table.tasks, repetitions=pairs / table.tasks, level=LEVEL / tests)
    return _require_flips(shown, runs=pairs, tests=tests)


def _require_flips(shown: Figure, *, runs: float, tests: int) -> Figure:
    """No exact test calls a change significant in which too few runs flip, however alike the runs are.

    So where the spread promises more, the change shown is the one under which that many of `runs` flip, each
    with its own chance of doing so, in as many cases as `find_detectable` asks for.
    """
    if shown.value is None:
        return shown
    fewest = math.ceil(math.log2(2 * tests / LEVEL))
    if fewest > runs:
        reason = f"a change shows when {fewest} runs or more flip one way, and there are {runs:.0f}"
        return Figure(value=None, reason=reason)
    enough = float(betaincinv(fewest, runs - fewest + 1, POWER))
    return Figure(value=max(shown.value, enough))
