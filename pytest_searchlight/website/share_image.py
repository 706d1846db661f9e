"""``share.png``: what a link to the site looks like elsewhere, 1200 x 630 pixels."""

from __future__ import annotations

import io
from typing import Final

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from pytest_searchlight.website.charts.canvas import keep_own_rules

_DPI: Final = 100
_WIDTH: Final = 1200
_HEIGHT: Final = 630
_GROUND: Final = "#12161b"
_INK: Final = "#e8ecf1"
_QUIET: Final = "#a6b2c0"
_ACCENT: Final = "#7db8f7"
_LINES: Final = (
    (430, 62, "bold", _INK, "Searchlight"),
    (330, 36, "normal", _INK, "What web search does for coding agents"),
    (215, 23, "normal", _QUIET, "Pass rates with intervals, recomputable from published rows."),
    (170, 23, "normal", _QUIET, "What is not known is a dash. Nothing is ranked by chance."),
)


def draw_share_image() -> bytes:
    """The PNG. It holds no figure of a report, so that it is never out of date."""
    out = io.BytesIO()
    with keep_own_rules():
        figure = Figure(figsize=(_WIDTH / _DPI, _HEIGHT / _DPI), dpi=_DPI)
        for y, size, weight, colour, text in _LINES:
            # matplotlib takes points of 1/72 inch; these are pixels.
            figure.text(
                90 / _WIDTH, y / _HEIGHT, text, color=colour, fontsize=size * 72 / _DPI, fontweight=weight
            )
        _draw_lens(figure)
        figure.savefig(out, format="png", dpi=_DPI, facecolor=_GROUND, metadata={"Software": None})
    return out.getvalue()


def _draw_lens(figure: Figure) -> None:
    glass = Circle((985, 465), 75, transform=None, fill=False, edgecolor=_ACCENT, linewidth=14)
    handle = Line2D(
        [1040, 1110], [410, 340], transform=None, color=_ACCENT, linewidth=14, solid_capstyle="round"
    )
    figure.add_artist(glass)
    figure.add_artist(handle)
