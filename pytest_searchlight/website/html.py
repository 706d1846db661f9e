"""The templates of the pages: everything is escaped, and a policy lets nothing run but our own script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import jinja2
from markupsafe import Markup

from pytest_searchlight.website.charts import Chart
from pytest_searchlight.website.formats import DASH
from pytest_searchlight.website.tables import Cell

_RATIO: Final = re.compile(r"(\d+)/(\d+)")
_TEMPLATES: Final = files("pytest_searchlight.website") / "templates"


def render_page(template: str, *, here: str, up: str = "", **names: object) -> bytes:
    """A page of the site.

    Args:
        template: its name without ending.
        here: the page's own address in the site.
        up: the way from the page to the site's folder.
        names: what the template shows.
    """
    page = _load_templates().get_template(f"{template}.html.jinja")
    return page.render(here=here, up=up, **names).encode()


@cache
def _load_templates() -> jinja2.Environment:
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("pytest_searchlight.website", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, theme = read_style(), read_theme_script()
    script = _TEMPLATES.joinpath("site.js").read_text("utf-8")
    own = {"style": Markup(style), "theme": Markup(theme), "script": Markup(script)}  # noqa: S704 - our own files
    templates.globals.update(own, policy=write_policy(style=style, scripts=(theme, script)))
    templates.filters.update(draw=_draw, sort_attribute=_write_sort_attribute)
    return templates


def read_style() -> str:
    """The site's style sheet, for all pages that look alike."""
    return _TEMPLATES.joinpath("site.css").read_text("utf-8")


def read_theme_script() -> str:
    """What sets a page's theme; it stands in the head, so that no page is drawn in another theme first."""
    return _TEMPLATES.joinpath("theme.js").read_text("utf-8")


def write_policy(*, style: str, scripts: Sequence[str]) -> str:
    """The policy of a page on which this style and these scripts take effect, and nothing else does."""
    # By hash, as pages opened from a disk have no origin that 'self' could mean in every browser.
    allowed = " ".join(f"'{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src {allowed}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _draw(chart: Chart, id_: str) -> Markup:
    from pytest_searchlight.website.charts.drawing import draw_chart  # loads matplotlib

    return Markup(draw_chart(chart, id_=id_))  # noqa: S704 - an XML library wrote and escaped it


def _write_sort_attribute(cell: Cell) -> Markup:
    """What a numeric cell is sorted by, where the page's script cannot read it from a dash or ``2/3``."""
    if cell.sort_key is None:
        return Markup() if cell.text == DASH else Markup(' data-sort=""')
    key = f"{cell.sort_key:.6g}" if isinstance(cell.sort_key, int | float) else cell.sort_key
    ratio = _RATIO.match(cell.text)
    if ratio and key == f"{int(ratio[1]) / int(ratio[2]):.6g}":
        return Markup()
    return Markup(' data-sort="{}"').format(key)
