"""Makes calibration records from the rows of a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pytest_searchlight.calibration.records import (
    DEFAULT_THRESHOLDS,
    Calibration,
    CalibrationRecord,
    Place,
    ReferenceRuns,
    Thresholds,
    is_admitted,
)
from pytest_searchlight.catalog import Catalog
from pytest_searchlight.domain import STATUS_RULES, RunRecord, SetupKind, Task

_REFERENCES: Final = frozenset({SetupKind.FLOOR, SetupKind.CEILING})


def calibrate(
    rows: Iterable[RunRecord],
    *,
    catalogs: Iterable[Catalog],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    earlier: Calibration | None = None,
) -> tuple[CalibrationRecord, ...]:
    """One record for each task, agent and model that has floor runs among `rows`.

    Where no ceiling was run, that of an earlier record on the same task and agent is taken over, so that
    after a change of model only the floors need to run again; the record shows which model it came from.

    Args:
        rows: rows of a session; those of other setups, of controls and of unknown tasks are left out.
        catalogs: the catalogs as they were run.
        thresholds: what admits a task; repetitions beyond its number of runs are left out.
        earlier: where to look for ceilings.
    """
    known = {(catalog.name, task.id): (catalog, task) for catalog in catalogs for task in catalog.tasks}
    places: dict[Place, list[RunRecord]] = {}
    for row in rows:
        if row.setup_kind in _REFERENCES and not row.control and row.repetition <= thresholds.runs:
            places.setdefault(_name_place(row), []).append(row)
    return tuple(
        _make_record(places[place], *known[place[:2]], thresholds=thresholds, earlier=earlier)
        for place in sorted(places)
        if place[:2] in known and any(row.setup_kind is SetupKind.FLOOR for row in places[place])
    )


def _make_record(
    rows: Sequence[RunRecord],
    catalog: Catalog,
    task: Task,
    *,
    thresholds: Thresholds,
    earlier: Calibration | None,
) -> CalibrationRecord:
    first = rows[0]
    floor = _count_runs([row for row in rows if row.setup_kind is SetupKind.FLOOR])
    own = [row for row in rows if row.setup_kind is SetupKind.CEILING]
    taken = None if own or earlier is None else _find_ceiling(earlier, first, task)
    ceiling = taken or _count_runs(own)
    return CalibrationRecord(
        catalog=catalog.name,
        catalog_hash=catalog.content_hash,
        task=task.id,
        task_hash=task.content_hash,
        agent=first.agent,
        model_name=first.model_name,
        thresholds=thresholds,
        floor=floor,
        ceiling=ceiling,
        admitted=is_admitted(floor, ceiling, thresholds),
    )


def _count_runs(rows: Sequence[RunRecord]) -> ReferenceRuns:
    return ReferenceRuns(
        model_name=rows[0].model_name if rows else None,
        agent_versions=tuple(sorted({row.agent_version for row in rows if row.agent_version is not None})),
        graded=sum(STATUS_RULES[row.status].counts for row in rows),
        passes=sum(row.passed is True for row in rows),
        run_ids=tuple(row.run_id for row in rows),
    )


def _find_ceiling(earlier: Calibration, row: RunRecord, task: Task) -> ReferenceRuns | None:
    """The ceiling of an earlier record on the same task and agent: the same model's, else another's."""
    fitting = [
        record
        for record in earlier.records
        if record.place[:3] == _name_place(row)[:3] and record.task_hash == task.content_hash
    ]
    fitting.sort(key=lambda record: record.ceiling.model_name != row.model_name)
    return fitting[0].ceiling if fitting else None


def _name_place(run: RunRecord) -> Place:
    return run.catalog, run.task, run.agent, run.model_name or ""
