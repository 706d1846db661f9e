"""Axes with round ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

from pytest_searchlight.website.charts.records import Axis

_STEPS: Final = (1, 2, 2.5, 5, 10)


def make_share_axis(label: str) -> Axis:
    """From 0 to 100 %."""
    ticks = tuple((percent / 100, f"{percent} %") for percent in range(0, 101, 25))
    return Axis(label=label, low=0.0, high=1.0, ticks=ticks)


def make_axis(label: str, *, values: Iterable[float], show: Callable[[float], str]) -> Axis:
    """An axis around `values` and 0, whose ends are ticks.

    Args:
        label: what it measures, with the unit.
        values: everything that must fit on it.
        show: a tick's text.
    """
    known = [0.0, *values]
    low, high = min(known), max(known)
    if low == high:
        high = low + 1.0
    step = _choose_step(high - low)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = tuple((place * step, show(place * step)) for place in range(first, last + 1))
    return Axis(label=label, low=first * step, high=last * step, ticks=ticks)


def _choose_step(span: float) -> float:
    """A round step that divides `span` into about four."""
    rough = span / 4
    size = 10.0 ** math.floor(math.log10(rough))
    return next(size * step for step in _STEPS if size * step >= rough * 0.999)
