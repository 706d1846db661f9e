"""Report folders, found and read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from pytest_searchlight.agreements import AGREEMENT_FILE, SecondOpinions
from pytest_searchlight.calibration.records import Calibration
from pytest_searchlight.domain import Record, RunRecord
from pytest_searchlight.errors import ReportError
from pytest_searchlight.record_file import explain_invalid, read_record_file
from pytest_searchlight.report_folder.manifest import Manifest
from pytest_searchlight.report_folder.transcription import Transcription
from pytest_searchlight.summary_schema import Summary

MANIFEST_FILE: Final = "report.json"
SUMMARY_FILE: Final = "summary.json"
ROWS_FILE: Final = "runs.jsonl"
CALIBRATION_FILE: Final = "calibration.json"
TRANSCRIPTION_FILE: Final = "transcribed.json"
_RecordT = TypeVar("_RecordT", bound=Record)


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report's records. A measured one has a `summary`, a transcribed one a `transcription`."""

    folder: Path
    manifest: Manifest
    summary: Summary | None
    transcription: Transcription | None
    calibration: Calibration | None
    agreement: SecondOpinions | None = None

    @property
    def rows_file(self) -> Path:
        """A row a run, one JSON object a line; only in measured reports."""
        return self.folder / ROWS_FILE

    @cached_property
    def rows_content(self) -> bytes:
        """What is in `rows_file`, read once. Raises ReportError."""
        return read_bytes(self.rows_file)


def find_reports(reports: Path) -> list[Path]:
    """The report folders in `reports`, newest first; what holds no ``report.json`` is none.

    Raises:
        ReportError: `reports` is no folder.
    """
    if not reports.is_dir():
        raise ReportError(f"{reports}: no such folder of reports; name one with --reports")
    return sorted((file.parent for file in reports.glob(f"*/{MANIFEST_FILE}")), reverse=True)


def read_report(folder: Path) -> Report:
    """The report in `folder`.

    Raises:
        ReportError: a file is missing, unreadable or not of its kind, or the folder is not named as it must.
    """
    manifest = read_record(folder / MANIFEST_FILE, Manifest)
    if folder.name != manifest.folder_name:
        raise ReportError(
            f"{folder}: its {MANIFEST_FILE} says {manifest.folder_name!r}; a report's folder is named "
            "<date>-<name>"
        )
    measured = manifest.kind == "measured"
    return Report(
        folder=folder,
        manifest=manifest,
        summary=read_record(folder / SUMMARY_FILE, Summary) if measured else None,
        transcription=None if measured else read_record(folder / TRANSCRIPTION_FILE, Transcription),
        calibration=_read_optional(folder / CALIBRATION_FILE, Calibration),
        agreement=_read_optional(folder / AGREEMENT_FILE, SecondOpinions),
    )


def read_rows(report: Report) -> list[RunRecord]:
    """The rows of a measured report. Raises ReportError, naming the line."""
    return read_row_file(report.rows_file)


def read_row_file(file: Path) -> list[RunRecord]:
    """The rows in `file`, one JSON object a line. Raises ReportError, naming the line."""
    lines = read_bytes(file).removesuffix(b"\n").split(b"\n")
    try:
        return _ROWS.validate_json(b"[" + b",".join(lines) + b"]")
    except ValidationError:
        return [_read_row(line, place=f"{file}, line {number}") for number, line in enumerate(lines, 1)]


def read_bytes(file: Path) -> bytes:
    """The content of `file`. Raises ReportError."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise ReportError(f"{file}: cannot be read ({error.strerror})") from error


_ROWS: Final = TypeAdapter(list[RunRecord], config=ConfigDict(defer_build=True))
"""All rows of a file at once take three quarters of the time of one after the other."""


def _read_row(line: bytes, *, place: str) -> RunRecord:
    try:
        return RunRecord.model_validate_json(line)
    except ValidationError as error:
        raise ReportError(f"{place}: not a readable row ({explain_invalid(error)})") from error


def read_record(file: Path, kind: type[_RecordT]) -> _RecordT:
    """The record in a JSON file. Raises ReportError, naming the field."""
    return read_record_file(
        file,
        kind,
        complain=lambda problem: ReportError(f"{file}: not a readable {kind.__name__.lower()} ({problem})"),
    )


def _read_optional(file: Path, kind: type[_RecordT]) -> _RecordT | None:
    return read_record(file, kind) if file.exists() else None
