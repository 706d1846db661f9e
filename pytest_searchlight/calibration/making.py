"""Makes calibration records from the rows of a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pytest_searchlight.calibration.records import (
    DEFAULT_THRESHOLDS,
    Calibration,
    CalibrationRecord,
    JudgeName,
    Place,
    ReferenceRuns,
    Thresholds,
    is_admitted,
)
from pytest_searchlight.catalog import Catalog
from pytest_searchlight.domain import STATUS_RULES, RunRecord, SetupKind, Task
from pytest_searchlight.prompting import hash_prompts

_REFERENCES: Final = frozenset({SetupKind.FLOOR, SetupKind.CEILING})


def calibrate(
    rows: Iterable[RunRecord],
    *,
    catalogs: Iterable[Catalog],
    judges: Mapping[str, JudgeName],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    earlier: Calibration | None = None,
) -> tuple[CalibrationRecord, ...]:
    """One record for each task, agent and model that has floor runs among `rows`.

    Where no ceiling was run, that of an earlier record on the same task and agent, read by the same judge, is
    taken over, so that after a change of model only the floors need to run again; the record shows which
    model it came from.

    Args:
        rows: rows of a session; those of other setups, of controls and of unknown tasks are left out.
        catalogs: the catalogs as they were run.
        judges: who judges the briefs of each catalog, by its name.
        thresholds: what admits a task; repetitions beyond its number of runs are left out.
        earlier: where to look for ceilings.
    """
    known = {(catalog.name, task.id): (catalog, task) for catalog in catalogs for task in catalog.tasks}
    places: dict[Place, list[RunRecord]] = {}
    for row in rows:
        if row.setup_kind in _REFERENCES and not row.control and row.repetition <= thresholds.runs:
            places.setdefault(_name_place(row), []).append(row)
    made = (
        _make_record(places[place], *known[place[:2]], judge=judges.get(place[0]), thresholds=thresholds)
        for place in sorted(places)
        if place[:2] in known and any(row.setup_kind is SetupKind.FLOOR for row in places[place])
    )
    return tuple(record if earlier is None else _take_ceiling(record, earlier) for record in made)


def _make_record(
    rows: Sequence[RunRecord],
    catalog: Catalog,
    task: Task,
    *,
    judge: JudgeName | None,
    thresholds: Thresholds,
) -> CalibrationRecord:
    floor, ceiling = (
        _count_runs([row for row in rows if row.setup_kind is kind])
        for kind in (SetupKind.FLOOR, SetupKind.CEILING)
    )
    return CalibrationRecord(
        catalog=catalog.name,
        catalog_hash=catalog.content_hash,
        task=task.id,
        task_hash=task.content_hash,
        prompt_hash=hash_prompts(task),
        agent=rows[0].agent,
        model_name=rows[0].model_name,
        judge=None if task.rubric is None else judge,
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


def _take_ceiling(record: CalibrationRecord, earlier: Calibration) -> CalibrationRecord:
    """`record`, where it has no ceiling with an earlier one's: the same model's, else another's."""
    fitting = [
        other
        for other in earlier.records
        if other.place[:3] == record.place[:3] and other.subject == record.subject
    ]
    if record.ceiling.run_ids or not fitting:
        return record
    ceiling = min(fitting, key=lambda other: other.ceiling.model_name != record.model_name).ceiling
    admitted = is_admitted(record.floor, ceiling, record.thresholds)
    return record.model_copy(update={"ceiling": ceiling, "admitted": admitted})


def _name_place(run: RunRecord) -> Place:
    return run.catalog, run.task, run.agent, run.model_name or ""
