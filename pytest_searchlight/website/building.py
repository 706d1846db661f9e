"""Builds the site, in memory: every file by its path. The same reports and configuration give the same bytes.

Nothing asks a clock, a locale, a time zone or the order of a hash. Only drawings depend on the version of a
library, so the site records which matplotlib drew it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import matplotlib as mpl

from pytest_searchlight.errors import ReportError
from pytest_searchlight.report_folder import Report, find_reports, read_report
from pytest_searchlight.website.house import House
from pytest_searchlight.website.leaderboard import LEADERBOARD_FILE, Leaderboard, list_measured
from pytest_searchlight.website.pages import (
    describe_entry,
    render_index,
    render_methodology_page,
    render_report_page,
    render_results,
)
from pytest_searchlight.website.share_image import draw_share_image

DRAWN_FILE: Final = "drawn-with.json"

Site = Mapping[str, bytes]
"""The files of a site by their paths in it."""


def build_site(reports: Path, *, house: House) -> Site:
    """Every file of the site.

    Args:
        reports: the folder of report folders.
        house: what the methodology page tells of.

    Raises:
        ReportError: there is no such folder, or a report cannot be read.
    """
    if not reports.is_dir():
        raise ReportError(f"{reports}: no such folder; `sew report` publishes a session into one")
    read = [read_report(folder) for folder in find_reports(reports)]
    entries = [describe_entry(report) for report in read]
    return {
        "index.html": render_index(entries, latest=_find_latest(read)),
        "results.html": render_results(entries),
        "methodology.html": render_methodology_page(house),
        **{f"results/{report.manifest.folder_name}.html": render_report_page(report) for report in read},
        LEADERBOARD_FILE: list_measured(read).model_dump_json(indent=1).encode() + b"\n",
        "leaderboard.schema.json": _encode(Leaderboard.model_json_schema(mode="serialization")),
        "share.png": draw_share_image(),
        DRAWN_FILE: _encode({"matplotlib": mpl.__version__}),
    }


def _find_latest(reports: list[Report]) -> Report | None:
    """The newest measured report that no later one corrects."""
    measured = (report for report in reports if report.summary and not report.manifest.corrected_by)
    return next(measured, None)


def _encode(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()
