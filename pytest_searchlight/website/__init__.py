"""Reports as pages: REPORT.md and the static site, rendered from numbers alone."""

from pytest_searchlight.website.markdown import render_methodology, render_report, render_reproduce

__all__ = ["render_methodology", "render_report", "render_reproduce"]
