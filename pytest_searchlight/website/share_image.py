"""``share.png``: what a link to the site looks like elsewhere, 1200 x 630 pixels."""

from __future__ import annotations

import io
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

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
    """The PNG. It holds no figure, so that it is never out of date."""
    figure = Figure(figsize=(_WIDTH / _DPI, _HEIGHT / _DPI), dpi=_DPI, facecolor=_GROUND)
    for y, size, weight, colour, text in _LINES:
        # Sizes are in points of 1/72 inch; these are given in pixels.
        figure.text(
            90 / _WIDTH, y / _HEIGHT, text, color=colour, fontsize=size * 72 / _DPI, fontweight=weight
        )
    lens = {"transform": None, "fill": False, "edgecolor": _ACCENT, "linewidth": 14}
    figure.add_artist(Circle((985, 465), 75, **lens))
    figure.add_artist(
        Line2D([1040, 1110], [410, 340], transform=None, color=_ACCENT, linewidth=14, solid_capstyle="round")
    )
    out = io.BytesIO()
    with mpl.rc_context({"font.family": "DejaVu Sans"}):
        figure.savefig(out, format="png", dpi=_DPI, facecolor=_GROUND, metadata={"Software": None})
    return out.getvalue()
