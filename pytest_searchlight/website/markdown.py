"""REPORT.md, methodology.md and reproduce.md: rendered from a report's records alone.

No clock, no file and no machine is asked, so the same records give the same text everywhere.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import jinja2

from pytest_searchlight.report_folder import Report
from pytest_searchlight.website.commands import list_commands
from pytest_searchlight.website.provenance import read_provenance
from pytest_searchlight.website.sections import describe_report, list_banners
from pytest_searchlight.website.sections.parts import describe_statuses
from pytest_searchlight.website.tables import Table

_SPECIAL: Final = re.compile(r"([\\`*\[\]<>|#~])|((?<![^\W_])_|_(?![^\W_]))")
_LINE_START: Final = re.compile(r"^(?=[-+=](?:[\s=-]|$))|^(\d+)(?=[.)](?:\s|$))")
_SPACE: Final = re.compile(r"\s+")


class Markdown(str):
    """Text that is Markdown already; every other text is escaped when it is put into a template."""

    __slots__ = ()


def render_report(report: Report) -> str:
    """The text of REPORT.md: limitations, then every table.

    Args:
        report: a measured or a transcribed report.
    """
    return _render(
        "report.md", report=report, sections=describe_report(report), banners=tuple(list_banners(report))
    )


def render_methodology(report: Report) -> str:
    """The text of methodology.md: how the report's runs were made, graded, counted and compared."""
    facts = report.summary and read_provenance(report.summary)
    return _render("methodology.md", report=report, facts=facts, statuses=describe_statuses())


def render_reproduce(report: Report) -> str:
    """The text of reproduce.md: how to recompute the report's numbers, and how to make such a session."""
    facts = report.summary and read_provenance(report.summary)
    return _render("reproduce.md", report=report, facts=facts, commands=facts and list_commands(facts))


def _render(template: str, **names: object) -> str:
    text = _load_templates().get_template(f"{template}.jinja").render(**names)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _load_templates() -> jinja2.Environment:
    # HTML's escaping would garble Markdown: `finalize` escapes every value for Markdown instead.
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("pytest_searchlight.website", "templates"),
        autoescape=False,  # noqa: S701 - see above
        finalize=_finalize,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["table"] = render_table
    templates.filters["code"] = show_code
    return templates


def _finalize(value: object) -> str:
    return value if isinstance(value, Markdown) else escape_text(str(value))


def escape_text(text: str) -> str:
    """`text` as it is read, in one line of Markdown; nothing in it is markup."""
    line = _SPACE.sub(" ", text).strip()
    line = _SPECIAL.sub(lambda match: f"\\{match[0]}", line)
    return _LINE_START.sub(lambda match: f"{match[1]}\\" if match[1] else "\\", line)


def show_code(text: str) -> Markdown:
    """`text` as a fenced block, whatever it holds."""
    ticks = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, ticks + 1)
    return Markdown(f"{fence}\n{text}\n{fence}")


def render_table(table: Table) -> Markdown:
    """A pipe table under its caption, with its notes as a list."""
    lines = [
        f"**{escape_text(table.caption)}**",
        "",
        _render_row([column.label for column in table.columns]),
        "|" + "|".join(" ---: " if column.is_number else " --- " for column in table.columns) + "|",
        *(_render_row([cell.text for cell in row]) for row in table.rows),
        "",
        *(f"- {escape_text(note)}" for note in table.notes),
    ]
    return Markdown("\n".join(lines))


def _render_row(cells: list[str]) -> str:
    return "| " + " | ".join(map(escape_text, cells)) + " |"
