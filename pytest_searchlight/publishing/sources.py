"""What a report is made of: a finished session, read and held against itself, or a transcription."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.agreements import AGREEMENT_FILE
from pytest_searchlight.calibration import Calibration
from pytest_searchlight.domain import RunRecord
from pytest_searchlight.errors import ReportError, SummaryError
from pytest_searchlight.evidence import encode_json, encode_json_lines
from pytest_searchlight.publishing.differences import compare_summaries
from pytest_searchlight.publishing.stripping import strip_facts, strip_row
from pytest_searchlight.report_folder import (
    CALIBRATION_FILE,
    ROWS_FILE,
    SUMMARY_FILE,
    TRANSCRIPTION_FILE,
    Transcription,
    read_record,
    read_row_file,
)
from pytest_searchlight.summary import summarize
from pytest_searchlight.summary_schema import Summary

_SHOWN_DIFFERENCES: Final = 3


@dataclass(frozen=True, kw_only=True)
class Publication:
    """The data files of a report that is to be written, by name, and the day that it is of."""

    date: dt.date
    files: dict[str, bytes]


def prepare_session(session: Path, *, calibration: Calibration) -> Publication:
    """The data files of a report on the session in the folder `session`, stripped of what is private.

    Args:
        session: holds ``summary.json`` and ``runs.jsonl``.
        calibration: the project's; the records of the session's tasks, agents and models are published.

    Raises:
        ReportError: the session was not finished, measured nothing, or its summary is not what its rows give.
    """
    summary, rows = _read_session(session)
    if not summary.counts.graded:
        raise ReportError(
            f"{session}: none of {len(rows)} planned runs was measured; there is nothing to report"
        )
    published_rows = [strip_row(row) for row in rows]
    published = _recompute(summary, published_rows, session=session)
    files = {
        SUMMARY_FILE: encode_json(published.model_dump(mode="json")),
        ROWS_FILE: encode_json_lines(row.model_dump(mode="json") for row in published_rows).encode(),
    }
    if records := select_records(calibration, rows).records:
        files[CALIBRATION_FILE] = encode_json(Calibration(records=records).model_dump(mode="json"))
    if (session / AGREEMENT_FILE).exists():
        files[AGREEMENT_FILE] = (session / AGREEMENT_FILE).read_bytes()
    return Publication(date=_find_day(published, session=session), files=files)


def prepare_transcription(file: Path) -> Publication:
    """The data file of a report on figures that somebody else published; its day is the latest of theirs.

    Raises:
        ReportError: `file` is not a readable transcription.
    """
    transcription = read_record(file, Transcription)
    content = encode_json(transcription.model_dump(mode="json"))
    return Publication(date=transcription.date, files={TRANSCRIPTION_FILE: content})


def select_records(calibration: Calibration, rows: Sequence[RunRecord]) -> Calibration:
    """The records of the tasks, agents and models that `rows` are of."""
    places = {(row.catalog, row.task, row.agent, row.model_name or "") for row in rows}
    return Calibration(records=tuple(each for each in calibration.records if each.place in places))


def _find_day(summary: Summary, *, session: Path) -> dt.date:
    started_at = summary.session.get("started_at")
    try:
        return dt.datetime.fromisoformat(str(started_at)).date()
    except ValueError as error:
        raise ReportError(
            f"{session}: summary.json has the session started at {started_at!r}, which is no time; `sew "
            f"summarize {session}` takes it from session.json again"
        ) from error


def _read_session(session: Path) -> tuple[Summary, list[RunRecord]]:
    try:
        return read_record(session / SUMMARY_FILE, Summary), read_row_file(session / ROWS_FILE)
    except ReportError as error:
        raise ReportError(
            f"{error}; `sew summarize {session}` rebuilds the numbers of a session from its evidence"
        ) from error


def _recompute(summary: Summary, rows: Sequence[RunRecord], *, session: Path) -> Summary:
    """The summary that is published; refused unless it is the session's own but for the session's facts."""
    facts = strip_facts(summary.session)
    try:
        published = summarize(rows, facts=facts, extra=summary.extra)
    except SummaryError as error:
        raise ReportError(f"{session}: {error}") from error
    differing = tuple(compare_summaries(summary, published))
    if differing:
        shown = "; ".join(map(str, differing[:_SHOWN_DIFFERENCES]))
        raise ReportError(
            f"{session}: summary.json is not what runs.jsonl gives, in {len(differing)} places ({shown}); "
            f"`sew summarize {session}` rebuilds both from the evidence"
        )
    return published
