"""Examines published reports: numbers recomputed, texts rendered again, hashes, links, nothing private."""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from pytest_searchlight.catalog import find_catalogs, read_catalog
from pytest_searchlight.domain import Record
from pytest_searchlight.errors import CatalogError, ReportError
from pytest_searchlight.publishing.examined import (
    KnownCatalog,
    Surroundings,
    describe_catalog,
    read_measured,
)
from pytest_searchlight.publishing.folder_rules import check_files, check_hashes, check_links, check_texts
from pytest_searchlight.publishing.row_rules import check_measured, note_changed_catalogs
from pytest_searchlight.publishing.scanning import PrivacyScan, scan_report
from pytest_searchlight.publishing.transcription_rules import check_transcription
from pytest_searchlight.report_folder import (
    MANIFEST_FILE,
    ROWS_FILE,
    Manifest,
    find_reports,
    read_record,
    read_report,
)

_WORTH_PROCESSES: Final = 8_000_000
"""Bytes of rows from which on several processes are faster than one."""


_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d-")


class ExaminedReport(Record):
    """What was found in one report.

    Attributes:
        name: its folder's name.
        kind: whether its numbers can be recomputed; None when the report cannot be read.
        rows: how many rows its numbers were recomputed from.
        problems: what does not hold, a sentence each, with the file and the place.
        notes: what could not be held against anything, or was changed since without being wrong.
    """

    name: str
    kind: str | None
    rows: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]


def check_reports(reports: Path, *, catalogs: Path, scan: PrivacyScan) -> tuple[ExaminedReport, ...]:
    """Examine every report under `reports`, the newest first.

    Args:
        reports: the folder of report folders.
        catalogs: the folder of the catalogs that the reports may be of; it need not be there.
        scan: for what is private.

    Raises:
        ReportError: `reports` is no folder.
    """
    manifests = dict(_read_manifests(find_reports(reports)))
    folders = sorted((each for each in reports.iterdir() if _may_be_report(each)), reverse=True)
    surroundings = Surroundings(manifests=manifests, catalogs=dict(_read_catalogs(catalogs)), scan=scan)
    examine = partial(examine_report, surroundings=surroundings)
    if len(folders) < 2 or _measure_rows(folders) < _WORTH_PROCESSES:
        return tuple(map(examine, folders))
    # Forked, since a fresh process would first import for longer than it then computes.
    context = multiprocessing.get_context("fork")
    workers = min(len(folders), os.cpu_count() or 1)
    with ProcessPoolExecutor(max_workers=workers, mp_context=context) as processes:
        return tuple(processes.map(examine, folders))


def examine_report(folder: Path, *, surroundings: Surroundings) -> ExaminedReport:
    """Hold one report against every rule."""
    with _paused_collector():
        return _examine(folder, surroundings)


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Let the collector of cycles rest: rows hold none, and it would walk all of them again and again."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def _examine(folder: Path, surroundings: Surroundings) -> ExaminedReport:
    try:
        report = read_report(folder)
        measured = read_measured(report)
    except ReportError as error:
        problem = str(error).removeprefix(f"{folder}/")
        return ExaminedReport(name=folder.name, kind=None, rows=0, problems=(problem,), notes=())
    problems = chain(
        check_files(report),
        check_hashes(report),
        [] if measured is None else check_measured(measured, surroundings),
        [] if report.transcription is None else check_transcription(report.transcription),
        check_texts(report),
        check_links(report, surroundings),
        scan_report(folder, rows=() if measured is None else measured.rows, scan=surroundings.scan),
    )
    return ExaminedReport(
        name=folder.name,
        kind=report.manifest.kind,
        rows=0 if measured is None else len(measured.rows),
        problems=tuple(problems),
        notes=() if measured is None else tuple(note_changed_catalogs(measured, surroundings)),
    )


def _may_be_report(folder: Path) -> bool:
    """Whether a folder is one or is named as one, so that a lost manifest does not go unseen."""
    is_named = _DATED.match(folder.name) is not None
    return folder.is_dir() and (is_named or (folder / MANIFEST_FILE).exists())


def _measure_rows(folders: Sequence[Path]) -> int:
    files = (folder / ROWS_FILE for folder in folders)
    return sum(file.stat().st_size for file in files if file.exists())


def _read_manifests(folders: Iterable[Path]) -> Iterator[tuple[str, Manifest]]:
    """The manifests that can be read; the others are a problem of their own report."""
    for folder in folders:
        try:
            yield folder.name, read_record(folder / MANIFEST_FILE, Manifest)
        except ReportError:
            continue


def _read_catalogs(folder: Path) -> Iterator[tuple[str, KnownCatalog]]:
    """The catalogs that can be read; `sew validate` tells what is wrong with the others."""
    for path in find_catalogs(folder) if folder.is_dir() else ():
        try:
            catalog = read_catalog(path)
        except CatalogError:
            continue
        yield catalog.name, describe_catalog(catalog)
