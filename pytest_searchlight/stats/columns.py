"""Rows in columns: the facts that numbers are made of, read once for all of a session's rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytest_searchlight.domain import STATUS_RULES, RunRecord

Counts = NDArray[np.float64]
"""Whole numbers, or amounts; floats, so that sums over resamples stay exact and fast."""

Mask = NDArray[np.bool_]
"""Which entries are meant, one truth value for each."""

STATUSES: Final = tuple(STATUS_RULES)
"""The statuses by the numbers that columns give them."""

_NUMBERS: Final = {status: number for number, status in enumerate(STATUSES)}
_COUNTING: Final = np.array([STATUS_RULES[status].counts for status in STATUSES])
_READ: Final = attrgetter(
    *("status", "passed", "control", "usage.total_tokens", "cost.total_usd", "provider_calls", "duration_s")
)


class RunColumns(NamedTuple):
    """A fact a column, a run a place. `status` numbers the `STATUSES`; what is unknown is not a number."""

    status: NDArray[np.intp]
    is_passed: Mask
    is_control: Mask
    is_graded: Mask
    tokens: Counts
    cost_usd: Counts
    provider_calls: Counts
    duration_s: Counts

    def take(self, places: Sequence[int] | NDArray[np.intp]) -> RunColumns:
        """The columns of the runs at `places`, in that order."""
        return RunColumns._make(column[places] for column in self)


def read_columns(records: Iterable[RunRecord]) -> RunColumns:
    """The columns of `records`, in their order."""
    facts = [*zip(*map(_READ, records), strict=True)] or [()] * 7
    statuses, passed, controls, *amounts = facts
    status = np.array([_NUMBERS[each] for each in statuses], dtype=np.intp)
    return RunColumns(
        status,
        np.array([each is True for each in passed], dtype=np.bool_),
        np.array(controls, dtype=np.bool_),
        _COUNTING[status],
        *(np.array(each, dtype=np.float64) for each in amounts),
    )
