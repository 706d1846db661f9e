"""What holds between the records of a measured report. One rule, one function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Final

from pytest_searchlight.agreements import AGREEMENT_FILE, recompute_agreement
from pytest_searchlight.calibration import DEFAULT_THRESHOLDS, CalibrationRecord, explain_rejection
from pytest_searchlight.domain import STATUS_RULES, RunRecord, SetupKind
from pytest_searchlight.errors import SummaryError
from pytest_searchlight.publishing.differences import ROUNDING, compare_summaries, find_differences
from pytest_searchlight.publishing.examined import KnownCatalog, MeasuredReport, Surroundings
from pytest_searchlight.report_folder import CALIBRATION_FILE, ROWS_FILE, SUMMARY_FILE, hash_data
from pytest_searchlight.summary import summarize

_READ_GRADING: Final = attrgetter("catalog", "task", "grading_hash")
_REFERENCES: Final = frozenset({SetupKind.FLOOR, SetupKind.CEILING})


def check_measured(measured: MeasuredReport, surroundings: Surroundings) -> Iterator[str]:
    """Every rule of this module."""
    yield from check_summary(measured)
    yield from check_rows(measured)
    yield from check_catalogs(measured, surroundings)
    yield from check_calibration(measured, surroundings)
    yield from check_agreement(measured)


def check_summary(measured: MeasuredReport) -> Iterator[str]:
    """Every number of the summary is the one that the rows give."""
    try:
        recomputed = summarize(measured.rows, facts=measured.summary.session, extra=measured.summary.extra)
    except SummaryError as error:
        yield f"{ROWS_FILE}: {error}"
        return
    except ValueError as error:
        yield f"{SUMMARY_FILE}: session: {error}"
        return
    # A file that was changed is compared to the last digit, so that the changed one is named.
    rounding = ROUNDING if _is_untouched(measured, SUMMARY_FILE) else 0.0
    for difference in compare_summaries(measured.summary, recomputed, rounding=rounding):
        yield f"{SUMMARY_FILE}: {difference}"


def _is_untouched(measured: MeasuredReport, name: str) -> bool:
    content = (measured.report.folder / name).read_bytes()
    return measured.report.manifest.files.get(name) == hash_data(content)


def check_rows(measured: MeasuredReport) -> Iterator[str]:
    """Each row's name is made of its parts, no two rows share it, and none holds a free text."""
    seen: set[str] = set()
    for number, row in enumerate(measured.rows, start=1):
        if row.run_id in seen:
            yield f"{ROWS_FILE}, line {number}: a second row for {row.run_id}"
        seen.add(row.run_id)
        if not row.run_id.endswith(f".r{row.repetition}.{row.identity[:10]}"):
            yield f"{ROWS_FILE}, line {number}: run_id does not end in its repetition and identity"
        if row.reason or row.cost.unpriced or (row.judging and row.judging.unpriced):
            yield f"{ROWS_FILE}, line {number}: gives a reason, which may quote an answer, a page or a tool"


# --- catalogs --------------------------------------------------------------------------------------------


def check_catalogs(measured: MeasuredReport, surroundings: Surroundings) -> Iterator[str]:
    """The session names the hash of each catalog, and all rows of a task were graded by the same checks."""
    seen = set(map(_READ_GRADING, measured.rows))
    gradings = {(catalog, task): grading for catalog, task, grading in sorted(seen)}
    if len(gradings) < len(seen):
        yield from _find_other_gradings(measured.rows)
    for name in sorted({catalog for catalog, _ in gradings}):
        known = surroundings.catalogs.get(name)
        if name not in measured.catalog_hashes:
            yield f"{SUMMARY_FILE}: session.catalogs does not name {name}, which the rows are of"
        elif known is not None and known.content_hash == measured.catalog_hashes[name]:
            yield from _check_gradings(name, known, gradings)


def _find_other_gradings(rows: Iterable[RunRecord]) -> Iterator[str]:
    first: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows, start=1):
        if first.setdefault((row.catalog, row.task), row.grading_hash) != row.grading_hash:
            yield f"{ROWS_FILE}, line {number}: grading_hash is not that of earlier rows of {row.task}"


def _check_gradings(name: str, known: KnownCatalog, gradings: dict[tuple[str, str], str]) -> Iterator[str]:
    for (catalog, task), grading in gradings.items():
        if catalog == name and known.grading_hashes.get(task) != grading:
            yield f"{ROWS_FILE}: grading_hash of {task} is not that of {name}, whose hash is unchanged"


def note_changed_catalogs(measured: MeasuredReport, surroundings: Surroundings) -> Iterator[str]:
    """The catalogs that are another today than when they were run, or that are not in this repository."""
    for name, was in measured.catalog_hashes.items():
        known = surroundings.catalogs.get(name)
        if known is None:
            yield f"catalog {name} is not in this repository, so its hash was not proven"
        elif known.content_hash != was:
            yield f"catalog {name} was changed since: {str(was)[:12]} then, {known.content_hash[:12]} now"


# --- calibration -----------------------------------------------------------------------------------------


def check_calibration(measured: MeasuredReport, surroundings: Surroundings) -> Iterator[str]:
    """Calibrations keep to the thresholds and name their tasks; a task counts only where it was admitted."""
    records = () if measured.report.calibration is None else measured.report.calibration.records
    for record in records:
        yield from _check_record(record, surroundings.catalogs.get(record.catalog))
    if not (measured.options.get("calibrate") or measured.options.get("uncalibrated")):
        yield from _check_admissions(measured, records)


def _check_record(record: CalibrationRecord, known: KnownCatalog | None) -> Iterator[str]:
    if record.thresholds != DEFAULT_THRESHOLDS:
        yield f"{CALIBRATION_FILE}: the thresholds of {record.task} are not those of the methodology"
    if known is None or known.content_hash != record.catalog_hash:
        return
    if known.task_hashes.get(record.task) != record.task_hash:
        task, catalog = record.task, record.catalog
        yield f"{CALIBRATION_FILE}: task_hash of {task} is not that of {catalog}, whose hash is unchanged"


def _check_admissions(measured: MeasuredReport, records: tuple[CalibrationRecord, ...]) -> Iterator[str]:
    needing = measured.facts.get("needs_calibration")
    if not isinstance(needing, list) or not needing:
        return
    by_place = {record.place: record for record in records}
    counted = {
        (row.catalog, row.task, row.agent, row.model_name or "")
        for row in measured.rows
        if STATUS_RULES[row.status].counts and not row.control and row.setup_kind not in _REFERENCES
    }
    for place in sorted(counted):
        if place[0] not in needing:
            continue
        record = by_place.get(place)
        problem = "it has no record" if record is None else explain_rejection(record)
        if problem is not None:
            yield f"{CALIBRATION_FILE}: runs of {place[1]} count for {place[2]}, but {problem}"


# --- second judges ---------------------------------------------------------------------------------------


def check_agreement(measured: MeasuredReport) -> Iterator[str]:
    """Every figure on second judges is what the paired labels give, and they are of the report's runs."""
    if measured.report.agreement is None:
        return
    rows = {row.run_id: row for row in measured.rows}
    for opinion in measured.report.agreement.opinions:
        for agreement in opinion.agreements:
            pair = (each.model_dump(mode="json") for each in (agreement, recompute_agreement(agreement)))
            for path, found, expected in find_differences(*pair, rounding=ROUNDING):
                yield f"{AGREEMENT_FILE}: {opinion.second}: {path} is {found}, and its runs give {expected}"
            for run in agreement.runs:
                yield from _check_judged(run.run_id, run.agent, rows)


def _check_judged(run_id: str, agent: str, rows: dict[str, RunRecord]) -> Iterator[str]:
    row = rows.get(run_id)
    if row is None:
        yield f"{AGREEMENT_FILE}: {run_id} is no run of this report"
    elif row.agent != agent:
        yield f"{AGREEMENT_FILE}: {run_id} is said to be of {agent}, and its row of {row.agent}"
