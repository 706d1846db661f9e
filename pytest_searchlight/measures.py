"""What is measured of groups of runs: counts, pass rates with their intervals, use and latencies.

Each run is measured several times, with its task and with its lane; so rows are read into columns once, and
all groups are measured together. Sums are exact, so that the order of the rows changes no digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus
from pytest_searchlight.errors import SummaryError
from pytest_searchlight.stats import divide, interpolate, wilson_interval
from pytest_searchlight.stats.columns import STATUSES, Counts, Mask, RunColumns, read_columns
from pytest_searchlight.summary_schema import Counts as RunCounts
from pytest_searchlight.summary_schema import Latency, Rate, Use

Group = Sequence[int]
"""Runs that are measured together, by their places among the rows."""

_FAILING: Final = {status: str(status) for status, rule in STATUS_RULES.items() if rule.counts}
_EXCLUDED: Final = {status: str(status) for status, rule in STATUS_RULES.items() if not rule.counts}


class Table(NamedTuple):
    """Rows, and what is measured of them in columns.

    `latencies_s` are the provider's, in order, and `callers` the places of the runs whose calls they are of.
    """

    records: Sequence[RunRecord]
    columns: RunColumns
    latencies_s: Counts
    callers: NDArray[np.intp]

    @classmethod
    def read(cls, records: Sequence[RunRecord]) -> Table:
        """The table of `records`."""
        by_run = [record.provider_latencies_s for record in records]
        latencies_s = np.array([*chain.from_iterable(by_run)], dtype=np.float64)
        order = np.argsort(latencies_s)
        callers = np.repeat(np.arange(len(records)), [*map(len, by_run)])
        return cls(
            records=records,
            columns=read_columns(records),
            latencies_s=latencies_s[order],
            callers=callers[order],
        )


def measure_groups(table: Table, groups: Sequence[Group]) -> list[dict[str, Any]]:
    """For each of the `groups` the fields of `Measures`; rates and use are over graded runs.

    Each run is in one group at most.
    """
    grouped = _Groups(table, groups)
    return [grouped.describe(number) for number in range(len(groups))]


class _Groups:
    """Groups of the runs of a table, told apart by number: a list below has an entry for each of them."""

    def __init__(self, table: Table, groups: Sequence[Group]) -> None:
        self._count = len(groups)
        places = np.array([*chain.from_iterable(groups)], dtype=np.intp)
        self._numbers = np.repeat(np.arange(self._count), [*map(len, groups)])
        columns = table.columns.take(places)
        is_graded, is_answerable = columns.is_graded, ~columns.is_control
        self._statuses = self._count_statuses(columns.status)
        self._passes = self._count_runs(columns.is_passed)
        self._answerable = self._count_runs(is_answerable)
        self._answerable_graded = self._count_runs(is_answerable & is_graded)
        self._answerable_passes = self._count_runs(is_answerable & is_graded & columns.is_passed)
        amounts = (columns.tokens, columns.cost_usd, columns.provider_calls, columns.duration_s)
        self._tokens, self._cost_usd, self._provider_calls, self._duration_s = (
            self._list_known(each, is_graded) for each in amounts
        )
        of_run = np.full(len(table.records), -1)
        of_run[places[is_graded]] = self._numbers[is_graded]
        of_call = of_run[table.callers]
        self._latencies_s = self._split(table.latencies_s[of_call >= 0], of_call[of_call >= 0])

    def _count_runs(self, chosen: Mask) -> list[int]:
        counts: list[int] = np.bincount(self._numbers[chosen], minlength=self._count).tolist()
        return counts

    def _count_statuses(self, status: NDArray[np.intp]) -> list[list[int]]:
        kinds = len(STATUSES)
        cells = np.bincount(self._numbers * kinds + status, minlength=self._count * kinds)
        counts: list[list[int]] = cells.reshape(self._count, kinds).tolist()
        return counts

    def _list_known(self, amounts: Counts, is_graded: Mask) -> list[list[float]]:
        known = is_graded & ~np.isnan(amounts)
        return self._split(amounts[known], self._numbers[known])

    def _split(self, amounts: Counts, numbers: NDArray[np.intp]) -> list[list[float]]:
        """The amounts of each group, in the order in which they stand."""
        small = numbers.astype(np.min_scalar_type(self._count))  # which are sorted several times as fast
        grouped: list[float] = amounts[np.argsort(small, kind="stable")].tolist()
        ends = np.cumsum(np.bincount(numbers, minlength=self._count)).tolist()
        return [grouped[start:end] for start, end in pairwise([0, *ends])]

    def describe(self, number: int) -> dict[str, Any]:
        """The fields of `Measures` for one group."""
        passes = self._passes[number]
        counts = _count(dict(zip(STATUSES, self._statuses[number], strict=True)), passes=passes)
        planned, graded = counts["planned"], counts["graded"]
        return {
            **counts,
            "coverage": divide(graded, planned),
            "pass_rate": divide(passes, graded),
            "pass_rate_ci95": wilson_interval(passes, graded),
            "answerable": _make_rate(
                planned=self._answerable[number],
                graded=self._answerable_graded[number],
                passes=self._answerable_passes[number],
            ),
            "tokens": _measure_use(self._tokens[number], graded=graded, passes=passes),
            "cost_usd": _measure_use(self._cost_usd[number], graded=graded, passes=passes),
            "provider_calls": _measure_use(self._provider_calls[number], graded=graded, passes=passes),
            "duration_s": _measure_latency(sorted(self._duration_s[number])),
            "provider_latency_s": _measure_latency(self._latencies_s[number]),
        }


def _make_rate(*, planned: int, graded: int, passes: int) -> Rate:
    return Rate(
        planned=planned,
        graded=graded,
        passes=passes,
        pass_rate=divide(passes, graded),
        pass_rate_ci95=wilson_interval(passes, graded),
    )


def rate_runs(runs: Sequence[RunRecord]) -> Rate:
    """The pass rate of `runs`."""
    graded = [run.passed for run in runs if STATUS_RULES[run.status].counts]
    return _make_rate(planned=len(runs), graded=len(graded), passes=graded.count(True))


def count_runs(runs: Sequence[RunRecord]) -> RunCounts:
    """How many runs were planned, passed, failed (by status) and were excluded (by status).

    Raises:
        SummaryError: ``planned = passes + failures + excluded`` does not hold.
    """
    statuses = Counter(run.status for run in runs)
    return RunCounts(**_count(statuses, passes=[run.passed for run in runs].count(True)))


def _count(statuses: dict[RunStatus, int] | Counter[RunStatus], *, passes: int) -> dict[str, Any]:
    failed_as = {name: statuses.get(status, 0) for status, name in _FAILING.items()}
    failed_as[RunStatus.GRADED] -= passes
    excluded = {name: statuses.get(status, 0) for status, name in _EXCLUDED.items()}
    planned, failures = sum(statuses.values()), sum(failed_as.values())
    if planned != passes + failures + sum(excluded.values()) or min(failed_as.values()) < 0:
        raise SummaryError(
            f"{planned} planned runs, but {passes} passes, {failed_as} and {excluded}: refused"
        )
    return {
        "planned": planned,
        "graded": passes + failures,
        "passes": passes,
        "failures": failures,
        "contaminated": failed_as[RunStatus.CONTAMINATED],
        "failed_as": failed_as,
        "excluded": excluded,
    }


def _measure_use(known: list[float], *, graded: int, passes: int) -> Use:
    used = math.fsum(known)
    total = used if known and len(known) == graded else None
    return Use(
        total=total,
        known_runs=len(known),
        mean=divide(used, len(known)),
        per_success=divide(total, passes),
    )


def _measure_latency(ordered: list[float]) -> Latency:
    return Latency(
        count=len(ordered),
        p50=interpolate(ordered, 0.5),
        p90=interpolate(ordered, 0.9),
        p99=interpolate(ordered, 0.99),
    )
