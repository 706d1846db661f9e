"""Tokens or dollars for each success, and for each success more than without search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pytest_searchlight.stats.figures import Expense, Figure
from pytest_searchlight.stats.pairing import Arm, Cell

Amount = Callable[[Arm], Mapping[Cell, float | None]]
"""What each graded run of an arm used of something; None is unknown."""


def measure_expense(arm: Arm, *, no_search: Arm | None, amount: Amount) -> Expense:
    """What successes of `arm` took of some `amount`, its failed runs included.

    Args:
        arm: the setup's runs.
        no_search: the runs without search under the same agent and model; None when there are none.
        amount: how much each run used.
    """
    return Expense(per_success=_divide(arm, amount), per_extra_success=_compare_use(arm, no_search, amount))


def _divide(arm: Arm, amount: Amount) -> Figure:
    used = [*amount(arm).values()]
    total, passes = _add_up(used), _count_passes(arm, arm.graded)
    if total is None:
        return _withhold(_tell_unknown(used))
    if not passes:
        return _withhold(f"none of {len(used)} graded runs passed" if used else "no run was graded")
    return Figure(value=total / passes)


def _compare_use(arm: Arm, no_search: Arm | None, amount: Amount) -> Figure:
    if no_search is None:
        return _withhold("nothing was run without search")
    if no_search.setup == arm.setup:
        return _withhold("this is the setup without search")
    cells = sorted(arm.graded.keys() & no_search.graded.keys())
    extra = _count_passes(arm, cells) - _count_passes(no_search, cells)
    if extra <= 0:
        return _withhold(f"no more successes than without search in {len(cells)} pairs")
    used, saved = ([amount(each)[cell] for cell in cells] for each in (arm, no_search))
    total, total_saved = _add_up(used), _add_up(saved)
    if total is None or total_saved is None:
        return _withhold(_tell_unknown([*used, *saved]))
    return Figure(value=(total - total_saved) / extra)


def _count_passes(arm: Arm, cells: Iterable[Cell]) -> int:
    return sum(arm.graded[cell].passed is True for cell in cells)


def _add_up(used: list[float | None]) -> float | None:
    """The total, or None when it is unknown for any run."""
    return None if None in used else sum(filter(None, used))


def _tell_unknown(used: list[float | None]) -> str:
    return f"unknown for {used.count(None)} of {len(used)} graded runs"


def _withhold(reason: str) -> Figure:
    return Figure(value=None, reason=reason)
