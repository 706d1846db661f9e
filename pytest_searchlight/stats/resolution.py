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
from scipy.special import stdtrit

from pytest_searchlight.stats.figures import Figure, Resolution
from pytest_searchlight.stats.pairing import PairTable

TARGET: Final = 0.10
LEVEL: Final = 0.05
POWER: Final = 0.80
_MOST_TASKS: Final = 1000
"""No spread needs more for ten points: a variance is at most 1, and (1.96 + 0.84)**2 / 0.1**2 = 785."""


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


def tell_resolution(spread: Spread, *, tasks: int, repetitions: float) -> Resolution:
    """What `tasks` x `repetitions` pairs of such a spread can show.

    Uses the normal-theory approximation with Student's t for the tasks.

    Args:
        spread: as estimated from a session, or assumed for one that is planned.
        tasks: tasks with a pair.
        repetitions: pairs of a task, on average.
    """
    return Resolution(
        detectable_difference=find_detectable(spread, tasks=tasks, repetitions=repetitions),
        tasks_for_10_points=_find_tasks(spread, repetitions=repetitions),
        repetitions_for_10_points=_find_repetitions(spread, tasks=tasks),
    )


def resolve_pairs(table: PairTable) -> Resolution:
    """What a comparison could have shown, going by how much its pairs differ."""
    if table.tasks == 0:
        unknown = Figure(value=None, reason="no pair was measured under both setups")
        return Resolution(
            detectable_difference=unknown, tasks_for_10_points=unknown, repetitions_for_10_points=unknown
        )
    repetitions = float(table.pairs.sum()) / table.tasks
    return tell_resolution(estimate_spread(table), tasks=table.tasks, repetitions=repetitions)


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


def _find_tasks(spread: Spread, *, repetitions: float) -> Figure:
    variance = spread.between + spread.within / repetitions
    return Figure(value=int(np.argmax(_list_bearable() >= variance)) + 2)


@cache
def _list_bearable() -> NDArray[np.float64]:
    """The largest variance of a pair that 2, 3 and so on up to `_MOST_TASKS` tasks can show ten points in."""
    tasks = np.arange(2, _MOST_TASKS + 1)
    return tasks * (TARGET / _find_factor(tasks)) ** 2


def _find_repetitions(spread: Spread, *, tasks: int) -> Figure:
    if tasks < 2:
        return Figure(value=None, reason=_ONE_TASK)
    room = tasks * (TARGET / float(_find_factor(tasks))) ** 2 - spread.between
    if room <= 0 or spread.within == 0:
        reason = f"{tasks} tasks are too few for any number of repetitions, as far as these runs tell"
        return Figure(value=None, reason=reason)
    return Figure(value=max(1, math.ceil(spread.within / room)))


def _find_factor(tasks: int | NDArray[np.int_], *, level: float = LEVEL) -> NDArray[np.floating]:
    """Standard errors that a difference must measure: quantiles for the level and for the power."""
    freedom = np.asarray(tasks) - 1
    return stdtrit(freedom, 1 - level / 2) + stdtrit(freedom, POWER)
