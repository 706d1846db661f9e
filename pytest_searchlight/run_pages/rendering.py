"""The templates' environment: everything is escaped, and what cannot be seen is shown."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlsplit

import jinja2

from pytest_searchlight.run_pages.index_data import name_agent
from pytest_searchlight.run_pages.texts import encode_for_script, finalize_value, format_json
from pytest_searchlight.website.formats import count_things, show_count, show_percent, show_seconds, show_usd


def render_template(name: str, **values: object) -> str:
    """The page that template `name` makes of `values`."""
    return _open_environment().get_template(name).render(values)


def is_web_address(text: str) -> bool:
    """Whether `text` may be the target of a link: http or https, and nothing that could run."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


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
        count=show_count,
        json=format_json,
        percent=show_percent,
        script_json=encode_for_script,
        seconds=show_seconds,
        usd=show_usd,
    )
    environment.tests["web_address"] = is_web_address
    environment.globals["count_things"] = count_things
    return environment
