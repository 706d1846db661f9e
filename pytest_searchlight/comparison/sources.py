"""What a comparison is made from: the rows of a session, or no more than its summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import JsonValue, ValidationError

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.errors import ReportError
from pytest_searchlight.record_file import explain_invalid, read_record_file
from pytest_searchlight.summary_schema import Summary

SUMMARY_FILE: Final = "summary.json"
ROWS_FILE: Final = "runs.jsonl"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A session as its files tell of it; at least one of `rows` and `summary` is there."""

    name: str
    rows: tuple[RunRecord, ...] | None
    summary: Summary | None

    @property
    def facts(self) -> Mapping[str, JsonValue]:
        """What the session recorded of itself; nothing where there is no summary."""
        return {} if self.summary is None else self.summary.session


def read_measured(path: Path) -> Measured:
    """Read a session folder, a report folder, a ``summary.json`` or a ``runs.jsonl``.

    Of the two files the other one is read too when it lies beside the given one.

    Raises:
        ReportError: there is no such file, one is not readable, or the two do not belong together.
    """
    summary_file, rows_file = _locate(path)
    summary = None if summary_file is None else _read_summary(summary_file)
    rows = None if rows_file is None else _read_rows(rows_file)
    if summary is not None and rows is not None and summary.counts.planned != len(rows):
        raise ReportError(
            f"{path}: {SUMMARY_FILE} tells of {summary.counts.planned} runs and {ROWS_FILE} of {len(rows)}; "
            "they do not belong together, so name one that lies alone, or rebuild both by `sew summarize`"
        )
    return Measured(name=_name(path, summary), rows=rows, summary=summary)


def _locate(path: Path) -> tuple[Path | None, Path | None]:
    """The summary and the rows, each where it is there."""
    if path.is_dir() or path.name in {SUMMARY_FILE, ROWS_FILE}:
        folder = path if path.is_dir() else path.parent
        found = [file if file.is_file() else None for file in (folder / SUMMARY_FILE, folder / ROWS_FILE)]
    else:
        found = [None, path] if path.suffix == ".jsonl" else [path, None]
    if found == [None, None] or not path.exists():
        raise ReportError(
            f"{path}: no {SUMMARY_FILE} or {ROWS_FILE} there; name one of them, or a folder of a finished "
            "session or of a measured report"
        )
    return found[0], found[1]


def _name(path: Path, summary: Summary | None) -> str:
    """The session's own name, or that of the file or folder; never a whole path, since this is published."""
    name = None if summary is None else summary.session.get("name")
    return str(name or (path.resolve().name if path.is_dir() else path.name))


def _read_summary(file: Path) -> Summary:
    return read_record_file(
        file,
        Summary,
        complain=lambda problem: ReportError(
            f"{file}: not a readable summary ({problem}); `sew summarize` rebuilds one from a session's "
            "evidence"
        ),
    )


def _read_rows(file: Path) -> tuple[RunRecord, ...]:
    rows: list[RunRecord] = []
    try:
        with file.open("rb") as lines:
            rows.extend(map(RunRecord.model_validate_json, lines))
    except OSError as error:
        problem = error.strerror or str(error)
    except ValidationError as error:
        problem = explain_invalid(error)
    else:
        return tuple(rows)
    raise ReportError(f"{file}, line {len(rows) + 1}: not a readable row ({problem})")
