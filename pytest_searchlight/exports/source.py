"""What an export is made of: the rows of a session, or of a measured report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.errors import UserError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.report_folder import read_report, read_rows
from pytest_searchlight.report_folder.reading import MANIFEST_FILE
from pytest_searchlight.run_rows import read_plan, read_records


@dataclass(frozen=True, kw_only=True)
class RowSource:
    """Rows, and what stands behind them.

    Attributes:
        name: of the session or of the report's folder.
        records: one for every planned run, in the plan's order.
        session: where the evidence is; None for a report, which holds none.
        node_ids: how pytest calls each run, by run id; empty for a report.
    """

    name: str
    records: tuple[RunRecord, ...]
    session: SessionFolder | None = None
    node_ids: Mapping[str, str] = field(default_factory=dict)


def open_source(folder: Path) -> RowSource:
    """The rows of the session or measured report in `folder`.

    Raises:
        UserError: the folder is neither, or a report without rows.
        EvidenceError: the session's plan or seals cannot be read.
    """
    if (folder / "session.json").is_file():
        return _open_session(SessionFolder(folder))
    if (folder / MANIFEST_FILE).is_file():
        return _open_report(folder)
    raise UserError(
        f"{folder}: neither a session nor a report (no session.json, no {MANIFEST_FILE} in it); name "
        "one, for example .searchlight/20260131-120000-1a2b"
    )


def _open_session(session: SessionFolder) -> RowSource:
    return RowSource(
        name=session.root.resolve().name,
        records=tuple(read_records(session)),
        session=session,
        node_ids={planned.record.run_id: planned.nodeid for planned in read_plan(session)},
    )


def _open_report(folder: Path) -> RowSource:
    report = read_report(folder.resolve())
    if report.manifest.kind != "measured":
        raise UserError(f"{folder}: a transcribed report has no rows to export; name a measured one")
    return RowSource(name=folder.resolve().name, records=tuple(read_rows(report)))
