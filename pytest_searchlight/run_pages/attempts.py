"""What is left of a run's earlier attempts, of ones that were cut off, and of runs whose place it took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SessionFolder, read_bundle


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """An earlier attempt; `record` is None when `problem` tells why it cannot be read."""

    folder: Path
    record: RunRecord | None
    problem: str = ""


def find_attempt_folders(session: SessionFolder, *, run_ids: Collection[str]) -> dict[str, tuple[Path, ...]]:
    """The folders of earlier attempts by run id, in the order in which they were made."""
    found: defaultdict[str, list[Path]] = defaultdict(list)
    folders = session.attempts.iterdir() if session.attempts.is_dir() else ()
    for folder in sorted(folders, key=lambda each: (len(each.name), each.name)):
        owner = _find_owner(folder.name, run_ids)
        if owner is not None:
            found[owner].append(folder)
    return {run_id: tuple(made) for run_id, made in found.items()}


def read_attempt(folder: Path) -> Attempt:
    """The attempt in `folder`."""
    try:
        return Attempt(folder=folder, record=RunRecord.model_validate(read_bundle(folder).head["record"]))
    except (EvidenceError, LookupError, TypeError, ValidationError) as error:
        return Attempt(folder=folder, record=None, problem=str(error))


def _find_owner(name: str, run_ids: Collection[str]) -> str | None:
    """The run that a folder belongs to: its name begins with the run's id, and a dot follows."""
    while "." in name:
        name = name.rpartition(".")[0]
        if name in run_ids:
            return name
    return None
