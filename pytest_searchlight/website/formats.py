"""Numbers as people read them, the same everywhere. What is unknown is a dash, never 0."""

from __future__ import annotations

from typing import Final

DASH: Final = "\N{EN DASH}"
"""Stands for what is not known or was not measured."""

_SMALLEST_P: Final = 0.0001
_SMALLEST_USD: Final = 0.001


def show_count(value: float | None) -> str:
    """A whole number with thousands separated; a fraction is rounded to one."""
    return DASH if value is None else f"{value:,.0f}"


def show_decimal(value: float | None, *, digits: int = 1) -> str:
    """A number with that many digits after the point."""
    return DASH if value is None else f"{value:,.{digits}f}"


def show_percent(share: float | None) -> str:
    """A share of 1 in whole percent."""
    return DASH if share is None else f"{100 * share:.0f} %"


def show_percent_interval(ends: tuple[float, float] | None) -> str:
    """Two shares of 1 in whole percent."""
    return DASH if ends is None else f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} %"


def show_points(difference: float | None) -> str:
    """A difference of shares in signed percentage points."""
    return DASH if difference is None else _show_signed(100 * difference)


def show_points_interval(ends: tuple[float, float] | None) -> str:
    """The interval of a difference in signed percentage points."""
    return DASH if ends is None else " to ".join(_show_signed(100 * end) for end in ends)


def _show_signed(value: float) -> str:
    return f"{round(value):+}" if round(value) else "0"


def show_decimal_interval(ends: tuple[float, float] | None) -> str:
    """Two numbers with two digits after the point."""
    return DASH if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}"


def show_usd(value: float | None) -> str:
    """US dollars: to the cent, below one dollar to the tenth of a cent; less is told by its bound."""
    if value is None:
        return DASH
    sign, size = ("-" if value < 0 else ""), abs(value)
    if 0 < size < _SMALLEST_USD:
        return f"> -${_SMALLEST_USD}" if sign else f"< ${_SMALLEST_USD}"
    return f"{sign}${size:,.2f}" if size >= 1 or size == 0 else f"{sign}${size:.3f}"


def show_seconds(value: float | None) -> str:
    """Seconds: below a tenth in milliseconds, below ten to the tenth."""
    if value is None:
        return DASH
    if 0 < value < 0.001:
        return "< 1 ms"
    if value < 0.1:
        return f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 10 else f"{value:,.0f} s"


def show_moment(moment: str) -> str:
    """A UTC moment in ISO 8601, to the second, as people read it."""
    return f"{moment[:19].replace('T', ' ')} UTC"


def show_p_value(value: float | None) -> str:
    """A p-value of two significant digits; tiny ones by their bound."""
    if value is None:
        return DASH
    return f"< {_SMALLEST_P}" if value < _SMALLEST_P else f"{value:.2g}"


def show_ratio(part: int, whole: int) -> str:
    """``passes/graded``; a dash where nothing was counted."""
    return f"{part}/{whole}" if whole else DASH


def join_words(words: tuple[str, ...] | list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def count_things(number: int, thing: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{number:,} {thing if number == 1 else thing + 's'}"
