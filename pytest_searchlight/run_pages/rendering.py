"""The templates' environment: everything is escaped, and what cannot be seen is shown."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, Literal
from urllib.parse import quote, urlsplit

import jinja2
from markupsafe import Markup

from pytest_searchlight.run_pages.index_data import name_agent
from pytest_searchlight.run_pages.texts import encode_for_script, finalize_value, format_json
from pytest_searchlight.website.formats import (
    DASH,
    count_things,
    show_count,
    show_moment,
    show_seconds,
    show_usd,
)
from pytest_searchlight.website.html import read_style, read_theme_script, write_policy

_TEMPLATES: Final = files("pytest_searchlight.run_pages") / "templates"


def render_template(name: Literal["session", "run"], **values: object) -> str:
    """The page that template `name` makes of `values`; style and scripts stand in the page itself."""
    style, theme = read_style() + _read_asset("run_pages.css"), read_theme_script()
    script = _read_asset(f"{name}.js")
    policy = write_policy(style=style, scripts=(theme, script)) + "; require-trusted-types-for 'script'"
    own = {"style": Markup(style), "theme": Markup(theme), "script": Markup(script)}  # noqa: S704 - our own files
    return _open_environment().get_template(f"{name}.html").render(values, **own, policy=policy)


def is_web_address(text: str) -> bool:
    """Whether `text` may be the target of a link: http or https, and nothing that could run."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


def _count_known(number: int | None, thing: str) -> str:
    """``1 byte``, ``2 bytes``; a dash for what is not known."""
    return DASH if number is None else count_things(number, thing)


@cache
def _read_asset(name: str) -> str:
    return _TEMPLATES.joinpath(name).read_text("utf-8")


@cache
def _open_environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pytest_searchlight.run_pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize_value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        agent=name_agent,
        attempt_address=lambda name: f"../attempts/{quote(name)}.html",
        count=show_count,
        count_of=_count_known,
        json=format_json,
        moment=show_moment,
        run_address=lambda run_id: f"../runs/{quote(run_id)}.html",
        script_json=encode_for_script,
        seconds=show_seconds,
        usd=show_usd,
    )
    environment.tests["web_address"] = is_web_address
    environment.globals["count_things"] = count_things
    return environment
