"""Draws charts: rows of dots with whiskers, and spots on two axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pytest_searchlight.website.charts.canvas import STYLES, Lettering, Line, Place, Sheet, keep_own_rules
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
from pytest_searchlight.website.charts.svg import finish_svg

_WIDTH: Final = 640.0
_ROW: Final = 26.0
_LEFT: Final = 160.0
_RIGHT: Final = 494.0
_TEXT_AT: Final = 508.0
_TOP: Final = 24.0
_LONGEST_LABEL: Final = 20
_LONGEST_GROWING_LABEL: Final = 13
"""How many letters there is room for left of the rows where a phone's letters are drawn larger."""

_HEADING: Final = Lettering(colour="ink", size=13, is_bold=True)
_LABEL: Final = Lettering(colour="ink", size=13)
_LONG_LABEL: Final = Lettering(colour="ink", size=12.5, grows=False)
_NOTE: Final = Lettering(colour="quiet", size=12)


class Frame(NamedTuple):
    """Where the axes lie, in pixels from the upper left corner."""

    left: float
    right: float
    top: float
    bottom: float


class PlacedMark(NamedTuple):
    """A mark where it is drawn, and the lines of its interval."""

    style: Style
    place: Place
    lines: tuple[Line, ...]


def draw_chart(chart: Chart, *, id_: str) -> str:
    """The chart as an SVG element for a page, in which `id_` is unique."""
    with keep_own_rules():
        sheet = _draw_dots(chart) if isinstance(chart, DotChart) else _draw_scatter(chart)
        kind = "dots" if isinstance(chart, DotChart) else "spots"
        return finish_svg(sheet, id_=id_, kind=kind, title=chart.title, description=chart.caption)


def _draw_marks(sheet: Sheet, placed: Sequence[PlacedMark]) -> None:
    """Intervals below all marks; what looks alike is drawn in one go, which takes much less time."""
    styles = dict.fromkeys(mark.style for mark in placed)
    for style in styles:
        lines = [line for mark in placed if mark.style == style for line in mark.lines]
        sheet.draw_lines(lines, colour=STYLES[style][1], width=2)
    for style in styles:
        sheet.draw_marks([mark.place for mark in placed if mark.style == style], style=style)


def _shorten(label: str, *, longest: int = _LONGEST_LABEL) -> str:
    return label if len(label) <= longest else label[: longest - 1] + "…"


# --- rows of dots ----------------------------------------------------------------------------------------


def _draw_dots(chart: DotChart) -> Sheet:
    places = list(_place_rows(chart))
    top = _TOP + (_ROW if chart.legend else 0) + (_ROW if chart.references else 0)
    bottom = top + _ROW * len(places)
    sheet = Sheet(width=_WIDTH, height=bottom + 48)
    _draw_x_axis(sheet, chart.axis, frame=Frame(_LEFT, _RIGHT, top - 6, bottom))
    for value, word in chart.references:
        x = _find_x(chart.axis, value)
        sheet.draw_lines([((x, top - 6), (x, bottom))], colour="quiet", width=1.5)
        sheet.write((x, top - 16), word, letters=_NOTE, align="center")
    _draw_legend(sheet, chart)
    placed: list[PlacedMark] = []
    for place, (heading, row) in enumerate(places):
        y = top + _ROW * (place + 0.5)
        if row is None:
            sheet.write((8, y), _shorten(heading, longest=48), letters=_HEADING)
        else:
            letters = _LABEL if len(row.label) <= _LONGEST_GROWING_LABEL else _LONG_LABEL
            sheet.write((_LEFT - 14, y), _shorten(row.label), letters=letters, align="right")
            sheet.write((_TEXT_AT, y), row.text, letters=_NOTE)
            placed.extend(_place_mark(mark, axis=chart.axis, y=y) for mark in row.marks)
    _draw_marks(sheet, placed)
    return sheet


def _place_mark(mark: Mark, *, axis: Axis, y: float) -> PlacedMark:
    """The mark with its whisker, if it has one: a line between two short bars."""
    place = _find_x(axis, mark.value), y
    if mark.ends is None:
        return PlacedMark(mark.style, place, ())
    low, high = (_find_x(axis, end) for end in mark.ends)
    bars = [((x, y - 4), (x, y + 4)) for x in (low, high)]
    return PlacedMark(mark.style, place, (((low, y), (high, y)), *bars))


def _place_rows(chart: DotChart) -> Iterator[tuple[str, DotRow | None]]:
    """The lines of the chart from the top: headings without a row, rows with theirs."""
    for heading, rows in chart.groups:
        if heading:
            yield heading, None
        yield from ((heading, row) for row in rows)


def _find_x(axis: Axis, value: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, axis.place(value)))


def _draw_legend(sheet: Sheet, chart: DotChart) -> None:
    x = _LEFT
    for style, word in chart.legend:
        sheet.draw_marks([(x + 5, _TOP - 4)], style=style)
        sheet.write((x + 16, _TOP - 4), word, letters=_LABEL)
        x += 40 + 10 * len(word)


def _draw_x_axis(sheet: Sheet, axis: Axis, *, frame: Frame) -> None:
    left, right, top, bottom = frame
    xs = [left + (right - left) * axis.place(value) for value, _ in axis.ticks]
    sheet.draw_lines([((x, top), (x, bottom)) for x in xs], colour="grid")
    for x, (_, text) in zip(xs, axis.ticks, strict=True):
        sheet.write((x, bottom + 15), text, letters=_NOTE, align="center")
    sheet.write(((left + right) / 2, bottom + 37), axis.label, letters=_NOTE, align="center")


# --- spots on two axes -----------------------------------------------------------------------------------

_PLOT: Final = Frame(left=70, right=500, top=34, bottom=320)
_LABEL_HEIGHT: Final = 15.0


def _draw_scatter(chart: ScatterChart) -> Sheet:
    sheet = Sheet(width=_WIDTH, height=_PLOT.bottom + 48)
    _draw_x_axis(sheet, chart.x_axis, frame=_PLOT)
    ys = [_find_y(chart, value) for value, _ in chart.y_axis.ticks]
    sheet.draw_lines([((_PLOT.left, y), (_PLOT.right, y)) for y in ys], colour="grid")
    for y, (_, text) in zip(ys, chart.y_axis.ticks, strict=True):
        sheet.write((_PLOT.left - 10, y), text, letters=_NOTE, align="right")
    sheet.write((8, 14), chart.y_axis.label, letters=_NOTE)
    _draw_spots(sheet, chart)
    return sheet


def _find_y(chart: ScatterChart, value: float) -> float:
    return _PLOT.bottom - (_PLOT.bottom - _PLOT.top) * chart.y_axis.place(value)


def _draw_spots(sheet: Sheet, chart: ScatterChart) -> None:
    _draw_marks(sheet, [_place_spot(spot, chart) for spot in chart.spots])
    for (x, y), spot in _place_labels(chart):
        sheet.write((x, y), _shorten(spot.label), letters=_LABEL)


def _place_spot(spot: Spot, chart: ScatterChart) -> PlacedMark:
    x = _find_spot_x(chart, spot)
    ends = tuple((x, _find_y(chart, end)) for end in spot.ends or ())
    whisker = ((ends[0], ends[1]),) if ends else ()
    return PlacedMark(spot.style, (x, _find_y(chart, spot.y)), whisker)


def _find_spot_x(chart: ScatterChart, spot: Spot) -> float:
    return _PLOT.left + (_PLOT.right - _PLOT.left) * chart.x_axis.place(spot.x)


def _place_labels(chart: ScatterChart) -> Iterator[tuple[tuple[float, float], Spot]]:
    """A place right of each spot, moved down where it would stand on another label."""
    taken: list[tuple[float, float]] = []
    for spot in sorted(chart.spots, key=lambda spot: (-spot.y, spot.x)):
        x, y = _find_spot_x(chart, spot) + 10, _find_y(chart, spot.y)
        while any(abs(x - other_x) < 110 and abs(y - other_y) < _LABEL_HEIGHT for other_x, other_y in taken):
            y += _LABEL_HEIGHT / 3
        taken.append((x, y))
        yield (x, y), spot
