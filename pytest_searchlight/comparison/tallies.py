"""What is compared of a task, counted from its runs or taken from a summary that holds no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np

from pytest_searchlight.domain import STATUS_RULES, RunRecord
from pytest_searchlight.stats import divide
from pytest_searchlight.stats.changes import UseTable
from pytest_searchlight.stats.pairing import RateTable
from pytest_searchlight.summary_schema import TaskRow


@dataclass(frozen=True, kw_only=True)
class Tally:
    """A task's graded runs and passes, and what the runs used; None where that is unknown for any of them."""

    task: str
    runs: int
    passes: int
    tokens: float | None
    cost_usd: float | None
    calls: float | None


Tallies: TypeAlias = tuple[Tally, ...]
"""One a task, in the order of their names, each with a run at least."""

Amount = Callable[[Tally], float | None]
"""What a task's runs used of something."""


def tally_runs(runs: Iterable[RunRecord]) -> Tallies:
    """Count graded runs by task; others are left out."""
    graded = sorted((run for run in runs if STATUS_RULES[run.status].counts), key=lambda run: run.task)
    return tuple(_tally(task, list(group)) for task, group in groupby(graded, key=lambda run: run.task))


def _tally(task: str, runs: Sequence[RunRecord]) -> Tally:
    return Tally(
        task=task,
        runs=len(runs),
        passes=sum(run.passed is True for run in runs),
        tokens=_add_up([run.usage.total_tokens for run in runs]),
        cost_usd=_add_up([run.cost.total_usd for run in runs]),
        calls=_add_up([run.provider_calls for run in runs]),
    )


def _add_up(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def tally_rows(rows: Iterable[TaskRow]) -> Tallies:
    """The same from a summary's rows by task."""
    tallies = (
        Tally(
            task=row.task,
            runs=row.graded,
            passes=row.passes,
            tokens=row.tokens.total,
            cost_usd=row.cost_usd.total,
            calls=row.provider_calls.total,
        )
        for row in rows
        if row.graded
    )
    return tuple(sorted(tallies, key=lambda tally: tally.task))


def tabulate_tallies(tallies: Tallies) -> RateTable:
    """Passes and runs by task."""
    passes, runs = ([tally.passes for tally in tallies], [tally.runs for tally in tallies])
    return RateTable(passes=np.array(passes, dtype=np.float64), runs=np.array(runs, dtype=np.float64))


def tabulate_use(tallies: Tallies, amount: Amount) -> UseTable | None:
    """Use and passes by task, or None when the use is unknown for any task."""
    used = [known for tally in tallies if (known := amount(tally)) is not None]
    if len(used) < len(tallies):
        return None
    passes = np.array([tally.passes for tally in tallies], dtype=np.float64)
    return UseTable(used=np.array(used, dtype=np.float64), passes=passes)


def divide_use(tallies: Tallies, amount: Amount, *, by: Callable[[Tally], int]) -> float | None:
    """The whole use for each run or success; None when it is unknown, or when there is none of these."""
    total = _add_up([amount(tally) for tally in tallies]) if tallies else None
    return divide(total, sum(map(by, tallies)))
