"""The texts of a report, which say nothing that its records do not hold."""

from __future__ import annotations

from typing import Final

from pytest_searchlight.report_folder import Report
from pytest_searchlight.website import render_methodology, render_report, render_reproduce

_RENDERERS: Final = {
    "REPORT.md": render_report,
    "methodology.md": render_methodology,
    "reproduce.md": render_reproduce,
}
TEXT_FILES: Final = tuple(_RENDERERS)


def render_texts(report: Report) -> dict[str, str]:
    """The text of each of a report's Markdown files, by its name."""
    return {name: render(report) for name, render in _RENDERERS.items()}
