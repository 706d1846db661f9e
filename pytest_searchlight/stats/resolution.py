"""What a comparison of a given size can show, and the size that would show ten points.

The difference of a pair varies between tasks and, within a task, between repetitions. More repetitions only
help against the second; so the two are estimated apart.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrik, stdtrit

from pytest_searchlight.stats.figures import Figure, Resolution
from pytest_searchlight.stats.pairing import PairTable

TARGET: Final = 0.10
LEVEL: Final = 0.05
POWER: Final = 0.80
_MOST_TASKS: Final = 2000
"""The largest number of tasks that is asked for. A variance is at most 1, for which one test alone needs
(1.96 + 0.84)**2 / 0.1**2 = 785, and seven together 1,250."""


_MANY_PAIRS: Final = 300
"""From here on the steps of the exact test are too fine to matter."""

_PRECISION: Final = 0.001


class Spread(NamedTuple):
    """Variance of a pair's difference: between the tasks' own differences, and within a task."""

    between: float
    within: float


ASSUMED_SPREAD: Final = Spread(between=0.05, within=0.20)
"""For planning before there are runs: about what published batteries of coding tasks show against no search
(14 tasks x 3 repetitions, seven setups: 0 to 0.14 between tasks, 0.14 to 0.24 within)."""

_ONE_TASK: Final = "one task says nothing about how tasks differ"


def estimate_spread(table: PairTable) -> Spread:
    """The spread of the pairs' differences; `table` has a pair at least.

    Half a pair is added to each cell of the two-by-two table, so that few pairs that happen to agree do not
    pass for certainty; the variance is split by the intraclass correlation of a one-way analysis of variance.

    Source: A. Agresti and Y. Min, "Simple improved confidence intervals for comparing matched proportions",
    2005.
    """
    pairs = table.pairs.sum() + 2
    discordant = table.discordant.sum() + 1
    variance = discordant / pairs - (table.differences.sum() / pairs) ** 2
    between = variance * _correlate_repetitions(table)
    return Spread(between=float(between), within=float(variance - between))


def _correlate_repetitions(table: PairTable) -> float:
    """Intraclass correlation of a task's pairs, 0 to 1.

    Where it cannot be told, because there is one pair a task or all pairs agree, it is 1: only tasks count.
    """
    tasks, pairs = table.tasks, table.pairs.sum()
    if tasks < 2 or pairs == tasks:
        return 1.0
    means = table.differences / table.pairs
    scatter = float((table.pairs * (means - table.differences.sum() / pairs) ** 2).sum()) / (tasks - 1)
    within = max(0.0, float((table.discordant - table.pairs * means**2).sum()) / float(pairs - tasks))
    if scatter == within == 0:
        return 1.0
    pairs_each = float(pairs - (table.pairs**2).sum() / pairs) / (tasks - 1)
    between = max(0.0, (scatter - within) / pairs_each)
    return between / (between + within)


def tell_resolution(spread: Spread, *, tasks: int, repetitions: float, tests: int = 1) -> Resolution:
    """What `tasks` x `repetitions` pairs of such a spread can show.

    Uses the normal-theory approximation with Student's t for the tasks.

    Args:
        spread: as estimated from a session, or assumed for one that is planned.
        tasks: tasks with a pair.
        repetitions: pairs of a task, on average.
        tests: how many are made together; the first of them to be found, by Holm, must pass at 5 % / `tests`.
    """
    level = LEVEL / tests
    return Resolution(
        detectable_difference=find_detectable_exactly(
            spread, tasks=tasks, repetitions=repetitions, level=level
        ),
        tasks_for_10_points=_find_tasks(spread, repetitions=repetitions, level=level),
        repetitions_for_10_points=_find_repetitions(spread, tasks=tasks, level=level),
    )


def resolve_pairs(table: PairTable, *, tests: int) -> Resolution:
    """What a comparison, one of `tests`, could have shown, going by how much its pairs differ."""
    if table.tasks == 0:
        unknown = Figure(value=None, reason="no pair was measured under both setups")
        return Resolution(
            detectable_difference=unknown, tasks_for_10_points=unknown, repetitions_for_10_points=unknown
        )
    repetitions = float(table.pairs.sum()) / table.tasks
    return tell_resolution(estimate_spread(table), tasks=table.tasks, repetitions=repetitions, tests=tests)


def find_detectable(spread: Spread, *, tasks: int, repetitions: float, level: float = LEVEL) -> Figure:
    """The smallest true difference that such pairs show in 80 % of batteries.

    Args:
        spread: of a pair's difference.
        tasks: tasks with a pair.
        repetitions: pairs of a task, on average.
        level: at which a difference counts as shown, two-sided; less than 5 % for one of several tests.
    """
    if tasks < 2:
        return Figure(value=None, reason=_ONE_TASK)
    error = math.sqrt((spread.between + spread.within / repetitions) / tasks)
    difference = float(_find_factor(tasks, level=level)) * error
    if difference > 1:
        reason = f"with {tasks} tasks no difference is large enough to be found"
        return Figure(value=None, reason=reason)
    return Figure(value=difference)


def find_detectable_exactly(spread: Spread, *, tasks: int, repetitions: float, level: float) -> Figure:
    """As `find_detectable`, for pairs of passes and failures that McNemar's exact test must find, too.

    With few pairs the exact test moves in coarse steps, below the level that it is held to.
    """
    shown, pairs = (
        find_detectable(spread, tasks=tasks, repetitions=repetitions, level=level),
        tasks * repetitions,
    )
    if shown.value is None or pairs > _MANY_PAIRS:
        return shown
    exact = _find_by_exact_test(spread, pairs=round(pairs), level=level)
    if exact is None:
        return Figure(
            value=None, reason=f"with {pairs:.0f} pairs no difference is large enough for the exact test"
        )
    return Figure(value=max(shown.value, exact))


def _find_by_exact_test(spread: Spread, *, pairs: int, level: float) -> float | None:
    """The smallest difference that the exact test finds with the wanted power; None where there is none."""
    low, high = 0.0, 1.0
    if _find_power(high, spread, pairs=pairs, level=level) < POWER:
        return None
    while high - low > _PRECISION:
        middle = (low + high) / 2
        is_enough = _find_power(middle, spread, pairs=pairs, level=level) >= POWER
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def _find_power(difference: float, spread: Spread, *, pairs: int, level: float) -> float:
    """How often the exact test finds a true `difference` in `pairs` that are independent."""
    discordant = max(difference, min(1.0, spread.between + spread.within + difference**2))
    won = (1 + difference / discordant) / 2
    counts = np.arange(pairs + 1)
    chances = np.diff(bdtr(counts, pairs, discordant), prepend=0.0)
    rare = _list_rare(pairs, level)
    found = np.where(rare < 0, 0.0, bdtr(rare, counts, won) + bdtr(rare, counts, 1 - won))
    return float(chances @ found)


@cache
def _list_rare(pairs: int, level: float) -> NDArray[np.float64]:
    """How many of 0, 1 and so on discordant pairs may go the rarer way at most; -1 where none can show."""
    counts = np.arange(pairs + 1)
    return np.where(2 * 0.5**counts > level, -1.0, np.floor(bdtrik(level / 2, np.maximum(counts, 1), 0.5)))


def _find_tasks(spread: Spread, *, repetitions: float, level: float) -> Figure:
    variance = spread.between + spread.within / repetitions
    bearable = _list_bearable(level)
    if variance > bearable[-1]:
        return Figure(
            value=None, reason=f"not even {_MOST_TASKS} tasks show ten points, as far as these runs tell"
        )
    return Figure(value=int(np.argmax(bearable >= variance)) + 2)


@cache
def _list_bearable(level: float) -> NDArray[np.float64]:
    """The largest variance of a pair that 2, 3 and so on up to `_MOST_TASKS` tasks can show ten points in."""
    tasks = np.arange(2, _MOST_TASKS + 1)
    return tasks * (TARGET / _find_factor(tasks, level=level)) ** 2


def _find_repetitions(spread: Spread, *, tasks: int, level: float) -> Figure:
    if tasks < 2:
        return Figure(value=None, reason=_ONE_TASK)
    room = tasks * (TARGET / float(_find_factor(tasks, level=level))) ** 2 - spread.between
    if room <= 0 or spread.within == 0:
        reason = f"{tasks} tasks are too few for any number of repetitions, as far as these runs tell"
        return Figure(value=None, reason=reason)
    return Figure(value=max(1, math.ceil(spread.within / room)))


def _find_factor(tasks: int | NDArray[np.int_], *, level: float) -> NDArray[np.floating]:
    """Standard errors that a difference must measure: quantiles for the level and for the power."""
    freedom = np.asarray(tasks) - 1
    return stdtrit(freedom, 1 - level / 2) + stdtrit(freedom, POWER)
