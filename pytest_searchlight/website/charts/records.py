"""What charts show, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Style: TypeAlias = Literal[
    "provider", "built-in", "no-search", "floor", "ceiling", "first", "second", "third"
]
"""What a mark stands for: a kind of setup, or one of several series. Each has a shape besides its colour."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A linear axis from `low` to `high`; `ticks` are places on it with their texts."""

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Where `value` lies, 0 at the low end and 1 at the high one."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A value with its interval, if it has one."""

    value: float
    ends: tuple[float, float] | None = None
    style: Style


@dataclass(frozen=True, kw_only=True)
class DotRow:
    """A named line of marks; `text` says the value in words at the line's end."""

    label: str
    marks: tuple[Mark, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class DotChart:
    """Rows of dots with whiskers along one axis.

    Attributes:
        title: what it shows, for those who do not see it.
        caption: what must be known beside it.
        groups: rows under a heading each; an empty heading is not drawn.
        axis: the common axis.
        references: values on the axis that a line and a word mark.
        legend: the series by name, where the row's label does not tell.
    """

    title: str
    caption: str
    groups: tuple[tuple[str, tuple[DotRow, ...]], ...]
    axis: Axis
    references: tuple[tuple[float, str], ...] = ()
    legend: tuple[tuple[Style, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A named place on two axes; `ends` is the interval along the upright one."""

    label: str
    x: float
    y: float
    ends: tuple[float, float] | None
    style: Style


@dataclass(frozen=True, kw_only=True)
class ScatterChart:
    """Spots on two axes."""

    title: str
    caption: str
    spots: tuple[Spot, ...]
    x_axis: Axis
    y_axis: Axis


Chart: TypeAlias = DotChart | ScatterChart
