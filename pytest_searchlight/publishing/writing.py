"""Writes report folders: whole, scanned and hashed, or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from pytest_searchlight.errors import ReportError
from pytest_searchlight.evidence import encode_json, write_atomic
from pytest_searchlight.publishing.examined import Surroundings, read_measured
from pytest_searchlight.publishing.folder_rules import MARKED_FILES
from pytest_searchlight.publishing.row_rules import check_measured
from pytest_searchlight.publishing.scanning import PrivacyScan, scan_report
from pytest_searchlight.publishing.sources import Publication
from pytest_searchlight.publishing.texts import render_texts
from pytest_searchlight.publishing.transcription_rules import check_transcription
from pytest_searchlight.report_folder import (
    MANIFEST_FILE,
    TRANSCRIPTION_FILE,
    Manifest,
    find_reports,
    hash_data,
    mark_lines,
    read_record,
    read_report,
)

_SHOWN_PROBLEMS: Final = 20
_NAME_RULE: Final = "use a-z, 0-9, '.', '_' and '-', a letter or a digit first"


@dataclass(frozen=True, kw_only=True)
class Heading:
    """What its authors say of a report.

    Attributes:
        name: its name without the date.
        title: a line for people; None makes one of the name.
        note: what stands first, as plain text.
        corrects: folder name of the earlier report that it corrects.
    """

    name: str
    title: str | None = None
    note: str = ""
    corrects: str | None = None


def write_report(publication: Publication, *, heading: Heading, reports: Path, scan: PrivacyScan) -> Path:
    """Write a new report under `reports`, mark the one that it corrects, and give the new folder.

    Raises:
        ReportError: there is a report of that name, what it corrects is not there, or the new one would not
            hold when examined, for example because something private is in it.
    """
    manifest = _make_manifest(publication, heading)
    folder = reports / manifest.folder_name
    if folder.exists():
        raise ReportError(f"{folder}: exists, and a report is never overwritten; choose another --name")
    if heading.corrects and not (reports / heading.corrects / MANIFEST_FILE).exists():
        raise ReportError(f"--corrects: {reports / heading.corrects} is no report")
    try:
        reports.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-report-", dir=reports) as scratch:
            draft = Path(scratch) / folder.name
            _write_draft(draft, manifest, publication)
            _refuse_unsound(draft, scan)
            draft.rename(folder)
    except OSError as error:
        raise ReportError(
            f"{folder}: cannot be written ({error.strerror}); choose other --reports"
        ) from error
    if heading.corrects:
        refresh_report(reports / heading.corrects)
    return folder


def refresh_report(folder: Path) -> bool:
    """Write the texts of a report anew, and by which reports it is corrected; no number changes.

    Gives whether anything changed.
    """
    manifest = read_record(folder / MANIFEST_FILE, Manifest)
    corrected_by = tuple(sorted(_find_corrections(folder)))
    if corrected_by != manifest.corrected_by:
        _write_manifest(folder, manifest.model_copy(update={"corrected_by": corrected_by}))
    return _write_texts(folder) or corrected_by != manifest.corrected_by


def _find_corrections(folder: Path) -> Iterator[str]:
    """The readable reports beside `folder` that correct it."""
    for other in find_reports(folder.parent):
        with suppress(ReportError):
            if read_record(other / MANIFEST_FILE, Manifest).corrects == folder.name:
                yield other.name


def _make_manifest(publication: Publication, heading: Heading) -> Manifest:
    words = heading.name.replace("-", " ")
    try:
        return Manifest(
            name=heading.name,
            date=publication.date,
            title=heading.title or f"{words[:1].upper()}{words[1:]}",
            kind="transcribed" if TRANSCRIPTION_FILE in publication.files else "measured",
            note=heading.note.strip(),
            corrects=heading.corrects,
            files={name: hash_data(content) for name, content in publication.files.items()},
            lines={
                name: mark_lines(content)
                for name, content in publication.files.items()
                if name in MARKED_FILES
            },
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        rule = _NAME_RULE if first["loc"] == ("name",) else first["msg"]
        raise ReportError(f"--{first['loc'][0]}: {first['input']!r}: {rule}") from error


def _write_draft(draft: Path, manifest: Manifest, publication: Publication) -> None:
    draft.mkdir()
    for name, content in publication.files.items():
        write_atomic(draft / name, content)
    _write_manifest(draft, manifest)
    _write_texts(draft)


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    write_atomic(folder / MANIFEST_FILE, encode_json(manifest.model_dump(mode="json")))


def _write_texts(folder: Path) -> bool:
    """Write the texts that are not there as rendered; whether there was any."""
    texts = {folder / name: text.encode() for name, text in render_texts(read_report(folder)).items()}
    stale = {file: text for file, text in texts.items() if not file.exists() or file.read_bytes() != text}
    for file, text in stale.items():
        write_atomic(file, text)
    return bool(stale)


def _refuse_unsound(draft: Path, scan: PrivacyScan) -> None:
    report = read_report(draft)
    measured = read_measured(report)
    surroundings = Surroundings(manifests={}, catalogs={}, scan=scan)
    problems = [
        *([] if measured is None else check_measured(measured, surroundings)),
        *([] if report.transcription is None else check_transcription(report.transcription)),
        *scan_report(draft, rows=() if measured is None else measured.rows, scan=scan),
    ]
    if problems:
        shown = "\n  ".join(problems[:_SHOWN_PROBLEMS])
        raise ReportError(
            f"{draft.name}: not written, since it would not hold or give away what is private, in "
            f"{len(problems)} places:\n  {shown}"
        )
