"""Tokens or dollars for each success, and for each success more than without search."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pytest_searchlight.stats.columns import Counts, Mask
from pytest_searchlight.stats.figures import Expense, Figure
from pytest_searchlight.stats.pairing import Arm

Amount = Callable[[Arm], Counts]
"""What the run in each cell of an arm used of something; not a number where that is unknown."""


def measure_expense(arm: Arm, *, no_search: Arm | None, amount: Amount) -> Expense:
    """What successes of `arm` took of some `amount`, its failed runs included.

    Args:
        arm: the setup's runs.
        no_search: the runs without search under the same agent and model; None when there are none.
        amount: how much each run used.
    """
    return Expense(per_success=_divide(arm, amount), per_extra_success=_compare_use(arm, no_search, amount))


def _divide(arm: Arm, amount: Amount) -> Figure:
    used, passes = amount(arm)[arm.is_graded], _count(arm.is_passed)
    total = _add_up(used)
    if total is None:
        return _withhold(_tell_unknown(used))
    if not passes:
        return _withhold(f"none of {used.size} graded runs passed" if used.size else "no run was graded")
    return Figure(value=total / passes)


def _compare_use(arm: Arm, no_search: Arm | None, amount: Amount) -> Figure:
    if no_search is None:
        return _withhold("nothing was run without search")
    if no_search.setup == arm.setup:
        return _withhold("this is the setup without search")
    paired = arm.is_graded & no_search.is_graded
    extra = _count(arm.is_passed & paired) - _count(no_search.is_passed & paired)
    if extra <= 0:
        return _withhold(f"no more successes than without search in {_count(paired)} pairs")
    used, saved = amount(arm)[paired], amount(no_search)[paired]
    total, total_saved = _add_up(used), _add_up(saved)
    if total is None or total_saved is None:
        return _withhold(_tell_unknown(np.concatenate([used, saved])))
    return Figure(value=(total - total_saved) / extra)


def _count(chosen: Mask) -> int:
    return int(chosen.sum())


def _add_up(used: Counts) -> float | None:
    """The total, or None when it is unknown for any run; exact, so that it is the same on every machine."""
    return None if np.isnan(used).any() else math.fsum(used)


def _tell_unknown(used: Counts) -> str:
    return f"unknown for {_count(np.isnan(used))} of {used.size} graded runs"


def _withhold(reason: str) -> Figure:
    return Figure(value=None, reason=reason)
