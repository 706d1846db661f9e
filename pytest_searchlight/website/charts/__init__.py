"""Charts: what they show as records, drawn by matplotlib to SVG when a site is built.

Records are made without matplotlib, which is imported where something is drawn and nowhere else.
"""

from pytest_searchlight.website.charts.records import (
    Axis,
    Chart,
    DotChart,
    DotRow,
    Mark,
    ScatterChart,
    Spot,
    Style,
)

__all__ = ["Axis", "Chart", "DotChart", "DotRow", "Mark", "ScatterChart", "Spot", "Style"]
