"""Tokens or dollars for each success, and for each success more than without search."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.stats.figures import Expense, Figure
from pytest_searchlight.stats.pairing import Arm, pair_arms

Amount = Callable[[RunRecord], float | None]
"""What a run used of something; None is unknown."""


def measure_expense(arm: Arm, *, no_search: Arm | None, amount: Amount) -> Expense:
    """What successes of `arm` took of some `amount`, its failed runs included.

    Args:
        arm: the setup's runs.
        no_search: the runs without search under the same agent and model; None when there are none.
        amount: how much a run used.
    """
    return Expense(
        per_success=_divide(list(arm.graded.values()), amount),
        per_extra_success=_compare_use(arm, no_search, amount),
    )


def _divide(runs: Sequence[RunRecord], amount: Amount) -> Figure:
    total, passes = _add_up(runs, amount), _count_passes(runs)
    if total is None:
        return _withhold(_tell_unknown(runs, amount))
    if not passes:
        return _withhold(f"none of {len(runs)} graded runs passed" if runs else "no run was graded")
    return Figure(value=total / passes)


def _compare_use(arm: Arm, no_search: Arm | None, amount: Amount) -> Figure:
    if no_search is None:
        return _withhold("nothing was run without search")
    if no_search.setup == arm.setup:
        return _withhold("this is the setup without search")
    pairs = pair_arms(arm, no_search).pairs
    with_search, without = [a for a, _ in pairs], [b for _, b in pairs]
    extra = _count_passes(with_search) - _count_passes(without)
    if extra <= 0:
        return _withhold(f"no more successes than without search in {len(pairs)} pairs")
    total, saved = _add_up(with_search, amount), _add_up(without, amount)
    if total is None or saved is None:
        return _withhold(_tell_unknown([*with_search, *without], amount))
    return Figure(value=(total - saved) / extra)


def _count_passes(runs: Sequence[RunRecord]) -> int:
    return sum(run.passed is True for run in runs)


def _add_up(runs: Sequence[RunRecord], amount: Amount) -> float | None:
    """The total, or None when it is unknown for any run."""
    amounts = [used for run in runs if (used := amount(run)) is not None]
    return sum(amounts) if len(amounts) == len(runs) else None


def _tell_unknown(runs: Sequence[RunRecord], amount: Amount) -> str:
    unknown = sum(amount(run) is None for run in runs)
    return f"unknown for {unknown} of {len(runs)} graded runs"


def _withhold(reason: str) -> Figure:
    return Figure(value=None, reason=reason)
