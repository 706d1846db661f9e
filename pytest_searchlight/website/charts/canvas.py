"""A sheet to draw on: matplotlib's artists placed by the pixel; its axes would cost most of the time.

Colours are names of the page's style variables. They are drawn as placeholder colours, which `svg.py` turns
into the variables, so that a chart follows the page from light to dark.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import matplotlib as mpl
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pytest_searchlight.website.charts.records import Style

Place: TypeAlias = tuple[float, float]
Line: TypeAlias = tuple[Place, Place]
Align = Literal["left", "center", "right"]
Colour = Literal[
    "ink", "quiet", "grid", "paper", "provider", "built-in", "reference", "first", "second", "third"
]
COLOURS: Final[tuple[Colour, ...]] = (
    "ink",
    "quiet",
    "grid",
    "paper",
    "provider",
    "built-in",
    "reference",
    "first",
    "second",
    "third",
)
STYLES: Final[dict[Style, tuple[str, Colour]]] = {
    "provider": ("o", "provider"),
    "built-in": ("s", "built-in"),
    "no-search": ("D", "reference"),
    "floor": ("v", "reference"),
    "ceiling": ("^", "reference"),
    "first": ("o", "first"),
    "second": ("s", "second"),
    "third": ("D", "third"),
}
"""Shape and colour of each style: nothing is told by its colour alone."""

_MARK_SIZE: Final = 9.0
_SIZES: Final = {"v": 1.25, "^": 1.25, "D": 0.9, "s": 0.95}
"""By how much a shape is drawn larger or smaller, so that all look alike in weight."""

_DPI: Final = 72  # SVG's own unit, so that a pixel is a unit of the drawing


@contextmanager
def keep_own_rules() -> Iterator[None]:
    """Draw by matplotlib's own defaults inside, whatever its user has set for other drawings."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.hashsalt": "searchlight", "font.family": "DejaVu Sans"})
        yield


def name_placeholder(colour: Colour) -> str:
    """The colour in which `colour` is drawn until it becomes a style variable."""
    return f"#0000{COLOURS.index(colour) + 1:02x}"


@dataclass(frozen=True, kw_only=True)
class Lettering:
    """How text is written; the size is in pixels, and where it `grows` the page may draw it larger."""

    colour: Colour
    size: float
    is_bold: bool = False
    grows: bool = True


@dataclass(frozen=True, kw_only=True)
class WrittenText:
    """A line of text and where its baseline begins, is centred or ends."""

    place: Place
    text: str
    letters: Lettering
    align: Align


class Sheet:
    """An empty drawing. Places are in pixels from the upper left corner.

    matplotlib draws lines and marks. Texts are kept in `texts` instead: the reader's browser sets them in its
    own font, so that measuring them here would be in vain, and it takes longer than all else.
    """

    def __init__(self, *, width: float, height: float) -> None:
        self.texts: list[WrittenText] = []
        self._height = height
        self._figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI)
        self._figure.patch.set_visible(False)

    def draw_lines(
        self,
        lines: Sequence[Line],
        *,
        colour: Colour,
        width: float = 1.0,
    ) -> None:
        """Straight lines, each between two places."""
        flipped = [[self._flip(place) for place in line] for line in lines]
        collection = LineCollection(
            flipped, colors=name_placeholder(colour), linewidths=width, transform=None
        )
        self._figure.add_artist(collection)

    def draw_marks(self, places: Sequence[Place], *, style: Style) -> None:
        """The mark of a style at each place."""
        marker, colour = STYLES[style]
        xs, ys = zip(*map(self._flip, places), strict=True)
        self._figure.add_artist(
            Line2D(
                xs,
                ys,
                marker=marker,
                markersize=_MARK_SIZE * _SIZES.get(marker, 1.0),
                markerfacecolor=name_placeholder(colour),
                markeredgecolor=name_placeholder("paper"),
                markeredgewidth=1.5,
                linestyle="none",
                transform=None,
            )
        )

    def write(self, place: Place, text: str, *, letters: Lettering, align: Align = "left") -> None:
        """A line of text, whose baseline stands a third of its size below the place."""
        baseline = place[0], place[1] + letters.size / 3
        self.texts.append(WrittenText(place=baseline, text=text, letters=letters, align=align))

    def export_svg(self) -> str:
        """All but the texts, as matplotlib writes it, without date or program."""
        out = io.StringIO()
        silent = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        self._figure.savefig(out, format="svg", metadata=silent)
        return out.getvalue()

    def _flip(self, place: Place) -> Place:
        return place[0], self._height - place[1]
