"""From a session's folder to its habits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError

from pytest_searchlight.catalog import find_catalogs, looks_like_catalog, read_catalog
from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus, Task
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SEAL, SealedBundle, SessionFolder, read_bundle
from pytest_searchlight.searching.lanes import SessionHabits, summarize_habits
from pytest_searchlight.searching.runs import StudiedRun, study_run
from pytest_searchlight.summary import read_plan

Tasks = Mapping[tuple[str, str], Task]
"""Tasks by the name of their catalog and their id."""


def find_planned_catalogs(session: SessionFolder, *, project: Path) -> tuple[Path, ...]:
    """The catalogs that the plan names, as far as they still lie in `project`, where pytest was run.

    Raises:
        EvidenceError: there is no readable plan.
    """
    named = dict.fromkeys(planned.nodeid.partition("::")[0] for planned in read_plan(session))
    return tuple(project / name for name in named if looks_like_catalog(project / name))


def read_tasks(places: Iterable[Path]) -> Tasks:
    """The tasks of catalogs, each given by its file or by a folder above it. Raises CatalogError."""
    paths = (path for place in places for path in (find_catalogs(place) if place.is_dir() else [place]))
    return {(catalog.name, task.id): task for catalog in map(read_catalog, paths) for task in catalog.tasks}


def study_session(session: SessionFolder, *, tasks: Tasks) -> SessionHabits:
    """The habits of all measured runs: those that count in a pass rate, or wait for a verdict only.

    Args:
        session: the session's folder.
        tasks: what `read_tasks` found; runs on other tasks have no known source and are not scanned.

    Raises:
        EvidenceError: the plan or a bundle cannot be read.
    """
    studied: list[StudiedRun] = []
    left_out: list[RunRecord] = []
    for planned in read_plan(session):
        bundle = _find_bundle(session, planned.record.run_id)
        record = planned.record if bundle is None else _read_record(bundle)
        if bundle is None or not _is_measured(bundle, record):
            left_out.append(record)
        else:
            studied.append(_study(bundle, record, tasks))
    return summarize_habits(studied, left_out=left_out)


def _find_bundle(session: SessionFolder, run_id: str) -> SealedBundle | None:
    folder = session.runs / run_id
    return read_bundle(folder) if (folder / SEAL).is_file() else None


def _read_record(bundle: SealedBundle) -> RunRecord:
    try:
        return RunRecord.model_validate(bundle.head["record"])
    except (KeyError, ValidationError) as error:
        raise EvidenceError(f"{bundle.folder}: the seal holds no valid record ({error})") from error


def _is_measured(bundle: SealedBundle, record: RunRecord) -> bool:
    settled = STATUS_RULES[record.status].counts or record.status is RunStatus.UNGRADED
    return settled and "trace" in bundle.head


def _study(bundle: SealedBundle, record: RunRecord, tasks: Tasks) -> StudiedRun:
    try:
        return study_run(bundle, record, task=tasks.get((record.catalog, record.task)))
    except ValueError as error:  # pydantic's and json's alike
        raise EvidenceError(
            f"{bundle.folder}: its tool calls cannot be read ({error}); run this one again"
        ) from error
