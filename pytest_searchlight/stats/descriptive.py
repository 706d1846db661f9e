"""Intervals and quantiles; None wherever there is nothing to compute from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

Z_95: Final = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""


def wilson_interval(passes: int, graded: int, *, z: float = Z_95) -> tuple[float, float] | None:
    """Wilson score interval of a pass rate, as fractions; None when nothing was graded.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    if graded == 0:
        return None
    rate = passes / graded
    spread = z * z / graded
    centre = (rate + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(rate * (1 - rate) / graded + spread / (4 * graded))
    # At the edges the exact bound is 0 or 1; rounding must not move it.
    low = 0.0 if passes == 0 else max(0.0, centre - half)
    high = 1.0 if passes == graded else min(1.0, centre + half)
    return low, high


def quantile(values: Sequence[float], share: float) -> float | None:
    """The `share` quantile by linear interpolation between order statistics; None for no values."""
    return interpolate(sorted(values), share)


def interpolate(ordered: Sequence[float], share: float) -> float | None:
    """The same of values that are `ordered` already."""
    if not ordered:
        return None
    below, part = divmod(share * (len(ordered) - 1), 1)
    low, high = ordered[int(below)], ordered[min(int(below) + 1, len(ordered) - 1)]
    return low + (high - low) * part


def divide(total: float | None, count: int) -> float | None:
    """`total` per `count`, or None when the total is unknown or the count is 0."""
    return None if total is None or count == 0 else total / count
