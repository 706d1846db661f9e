"""Builds the site, in memory: every file by its path. The same reports and configuration give the same bytes.

Nothing asks a clock, a locale, a time zone or the order of a hash. Only drawings depend on the version of a
library, so the site records which matplotlib drew it.
"""

from __future__ import annotations

import importlib.metadata
import json
import multiprocessing
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import ReportError
from pytest_searchlight.report_folder import find_reports, read_report
from pytest_searchlight.website.house import House
from pytest_searchlight.website.leaderboard import (
    LEADERBOARD_FILE,
    Leaderboard,
    LeaderboardReport,
    describe_standing,
)
from pytest_searchlight.website.pages import (
    Entry,
    describe_entry,
    render_index,
    render_methodology_page,
    render_report_page,
    render_results,
)

DRAWN_FILE: Final = "drawn-with.json"
SHARE_FILE: Final = "share.png"
_WORTH_PROCESSES: Final = 6
"""From how many reports on several processes are faster than one, which need not be started."""

Site = Mapping[str, bytes]
"""The files of a site by their paths in it."""


@dataclass(frozen=True, kw_only=True)
class BuiltReport:
    """A report's page, and what other pages say of it; `standing` is None for a transcribed one."""

    folder: Path
    page: bytes
    entry: Entry
    standing: LeaderboardReport | None


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
    folders = [folder.resolve() for folder in find_reports(reports)]
    with _open_executor(len(folders)) as executor:
        share = executor.submit(_draw_share)
        built = list(executor.map(_build_report, folders))
        index = executor.submit(_build_index, built)
        entries = [each.entry for each in built]
        leaderboard = Leaderboard(reports=tuple(each.standing for each in built if each.standing))
        return {
            "index.html": index.result(),
            "results.html": render_results(entries),
            "methodology.html": render_methodology_page(house),
            **{f"results/{each.entry.manifest.folder_name}.html": each.page for each in built},
            LEADERBOARD_FILE: leaderboard.model_dump_json(indent=1).encode() + b"\n",
            "leaderboard.schema.json": _encode(Leaderboard.model_json_schema(mode="serialization")),
            SHARE_FILE: share.result(),
            DRAWN_FILE: _encode({"matplotlib": importlib.metadata.version("matplotlib")}),
        }


def _open_executor(reports: int) -> Executor:
    """Where pages are rendered: in a thread, or for many reports in a process for each core.

    Forking this process could copy a lock that some library's thread holds; the processes are forked from a
    clean one that has imported what they need.
    """
    if reports < _WORTH_PROCESSES:
        return ThreadPoolExecutor(max_workers=1)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "pytest_searchlight.website.charts.drawing", __name__])
    return ProcessPoolExecutor(max_workers=min(reports, os.cpu_count() or 1), mp_context=context)


def _build_report(folder: Path) -> BuiltReport:
    report = read_report(folder)
    return BuiltReport(
        folder=folder,
        page=render_report_page(report),
        entry=describe_entry(report),
        standing=describe_standing(report),
    )


def _build_index(built: Sequence[BuiltReport]) -> bytes:
    """The overview, which shows the newest measured report that no later one corrects."""
    sound = (each for each in built if each.standing and not each.entry.manifest.corrected_by)
    latest = next(sound, None)
    return render_index([each.entry for each in built], latest=read_report(latest.folder) if latest else None)


def _draw_share() -> bytes:
    from pytest_searchlight.website.share_image import draw_share_image  # loads matplotlib

    return draw_share_image()


def _encode(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()
