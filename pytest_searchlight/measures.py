"""What is measured of a group of runs: counts, pass rates with their intervals, use and latencies.

Runs are read into columns once, since each is measured several times: with its task and with its lane. All
sums are exact, so that the order of the rows changes no digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress
from operator import attrgetter, not_
from typing import Any, Final, NamedTuple

from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus
from pytest_searchlight.errors import SummaryError
from pytest_searchlight.stats import divide, quantile, wilson_interval
from pytest_searchlight.summary_schema import Counts, Latency, Rate, Use


class RunColumns(NamedTuple):
    """What is measured of each run of a group: a fact a column, a run a place. None is unknown."""

    status: Sequence[RunStatus]
    passed: Sequence[bool | None]
    control: Sequence[bool]
    tokens: Sequence[int | None]
    cost_usd: Sequence[float | None]
    provider_calls: Sequence[int | None]
    duration_s: Sequence[float | None]
    provider_latencies_s: Sequence[Sequence[float]]


_READ: Final = attrgetter(
    *("status", "passed", "control", "usage.total_tokens", "cost.total_usd"),
    *("provider_calls", "duration_s", "provider_latencies_s"),
)
_NO_RUNS: Final = RunColumns(*[()] * len(RunColumns._fields))


def read_columns(runs: Iterable[RunRecord]) -> RunColumns:
    """The columns of `runs`, in their order."""
    columns = tuple(zip(*map(_READ, runs), strict=True))
    return RunColumns(*columns) if columns else _NO_RUNS


def join_columns(groups: Iterable[RunColumns]) -> RunColumns:
    """The columns of the runs of all `groups`, at least one."""
    return RunColumns._make(tuple(chain.from_iterable(parts)) for parts in zip(*groups, strict=True))


def _choose(columns: RunColumns, chosen: Sequence[bool]) -> RunColumns:
    return columns if all(chosen) else RunColumns._make(tuple(compress(each, chosen)) for each in columns)


def measure_runs(columns: RunColumns) -> dict[str, Any]:
    """The fields of `Measures` for a group of runs; rates and use are over graded runs."""
    graded = _choose(columns, [STATUS_RULES[status].counts for status in columns.status])
    answerable = _choose(columns, [*map(not_, columns.control)])
    rate = measure_rate(columns.status, columns.passed)
    return {
        **dict(_count(columns.status, columns.passed)),
        "coverage": divide(rate.graded, rate.planned),
        "pass_rate": rate.pass_rate,
        "pass_rate_ci95": rate.pass_rate_ci95,
        "answerable": measure_rate(answerable.status, answerable.passed),
        "tokens": _measure_use(graded.tokens, passes=rate.passes),
        "cost_usd": _measure_use(graded.cost_usd, passes=rate.passes),
        "provider_calls": _measure_use(graded.provider_calls, passes=rate.passes),
        "duration_s": _measure_latency(each for each in graded.duration_s if each is not None),
        "provider_latency_s": _measure_latency(chain.from_iterable(graded.provider_latencies_s)),
    }


def measure_rate(statuses: Sequence[RunStatus], passed: Sequence[bool | None]) -> Rate:
    """The pass rate of a group of runs, from the status of each and whether it passed."""
    counts = [STATUS_RULES[status].counts for status in statuses]
    graded, passes = counts.count(True), [*compress(passed, counts)].count(True)
    return Rate(
        planned=len(statuses),
        graded=graded,
        passes=passes,
        pass_rate=divide(passes, graded),
        pass_rate_ci95=wilson_interval(passes, graded),
    )


def rate_runs(runs: Sequence[RunRecord]) -> Rate:
    """The pass rate of `runs`."""
    return measure_rate([run.status for run in runs], [run.passed for run in runs])


def count_runs(runs: Sequence[RunRecord]) -> Counts:
    """How many runs were planned, passed, failed (by status) and were excluded (by status).

    Raises:
        SummaryError: ``planned = passes + failures + excluded`` does not hold.
    """
    return _count([run.status for run in runs], [run.passed for run in runs])


def _count(status: Sequence[RunStatus], passed: Sequence[bool | None]) -> Counts:
    statuses, passes, planned = Counter(status), passed.count(True), len(status)
    failed_as = {
        str(status): statuses[status] - (passes if status is RunStatus.GRADED else 0)
        for status, rule in STATUS_RULES.items()
        if rule.counts
    }
    excluded = {str(status): statuses[status] for status, rule in STATUS_RULES.items() if not rule.counts}
    failures = sum(failed_as.values())
    if planned != passes + failures + sum(excluded.values()) or min(failed_as.values()) < 0:
        raise SummaryError(
            f"{planned} planned runs, but {passes} passes, {failed_as} and {excluded}: refused"
        )
    return Counts(
        planned=planned,
        graded=passes + failures,
        passes=passes,
        failures=failures,
        contaminated=statuses[RunStatus.CONTAMINATED],
        failed_as=failed_as,
        excluded=excluded,
    )


def _measure_use(values: Sequence[float | None], *, passes: int) -> Use:
    known = [value for value in values if value is not None]
    used = math.fsum(known)
    total = used if values and len(known) == len(values) else None
    return Use(
        total=total,
        known_runs=len(known),
        mean=divide(used, len(known)),
        per_success=divide(total, passes),
    )


def _measure_latency(values: Iterable[float]) -> Latency:
    ordered = sorted(values)  # once: what is in order already is sorted at no cost
    return Latency(
        count=len(ordered),
        p50=quantile(ordered, 0.5),
        p90=quantile(ordered, 0.9),
        p99=quantile(ordered, 0.99),
    )
