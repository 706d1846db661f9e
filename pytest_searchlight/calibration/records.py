"""What is known of each task: reference runs, and whether they admit it. Stored as ``calibration.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

from pydantic import NonNegativeInt, PositiveInt, model_validator

from pytest_searchlight.domain import Record
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.evidence import encode_json, write_atomic
from pytest_searchlight.record_file import read_record_file
from pytest_searchlight.settings import CALIBRATION_RUNS

Place = tuple[str, str, str, str]
"""Catalog, task, agent and model, the latter empty for the agent's default."""


class Thresholds(Record):
    """How often each reference setup is run on a task, and how many passes admit it."""

    runs: PositiveInt = CALIBRATION_RUNS
    most_floor_passes: NonNegativeInt = 1
    fewest_ceiling_passes: NonNegativeInt = 4


DEFAULT_THRESHOLDS: Final = Thresholds()


class ReferenceRuns(Record):
    """The runs of a task under the floor or the ceiling, and what they were made with.

    `graded` of the runs named by `run_ids` were measured. `agent_versions` has more than one entry when the
    agent was updated in between, and none when it tells no version.
    """

    model_name: str | None
    agent_versions: tuple[str, ...]
    graded: NonNegativeInt
    passes: NonNegativeInt
    run_ids: tuple[str, ...]

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        if not self.passes <= self.graded <= len(self.run_ids):
            raise ValueError(f"{self.passes} passes of {self.graded} graded of {len(self.run_ids)} runs")
        return self


class JudgeName(Record):
    """Who judges briefs: a judge, and the model that it is pinned to, None without one."""

    name: str
    model_name: str | None

    def __str__(self) -> str:
        """The judge as sentences name it."""
        return f"{self.name} with {self.model_name}" if self.model_name else self.name


class CalibrationRecord(Record):
    """Whether a task counts for one agent and model. Controls have none: their floor means nothing.

    Runs that were not measured speak against admission: as passes of the floor, as failures of the ceiling.
    `ceiling.model_name` differs from `model_name` where an earlier model's ceiling was taken over. `judge`
    read the briefs; None where the task has no rubric. `prompt_hash` is that of the prompts, the words around
    the task included; early records lack it.
    """

    catalog: str
    catalog_hash: str
    task: str
    task_hash: str
    prompt_hash: str | None = None
    agent: str
    model_name: str | None
    judge: JudgeName | None = None
    thresholds: Thresholds
    floor: ReferenceRuns
    ceiling: ReferenceRuns
    admitted: bool

    @model_validator(mode="after")
    def _check_admitted(self) -> Self:
        if self.admitted != is_admitted(self.floor, self.ceiling, self.thresholds):
            raise ValueError(
                f"task {self.task!r}: admitted is {self.admitted}, which the counted passes contradict"
            )
        return self

    @property
    def place(self) -> Place:
        """What a calibration holds one record for."""
        return self.catalog, self.task, self.agent, self.model_name or ""

    @property
    def subject(self) -> tuple[object, ...]:
        """What was measured, whoever did it: the task, the words around it, and who judged its briefs."""
        return self.task_hash, self.prompt_hash, self.judge

    @property
    def is_complete(self) -> bool:
        """Whether every run was measured; not so where a session was interrupted or a model was out."""
        return min(self.floor.graded, self.ceiling.graded) >= self.thresholds.runs

    def yields_to(self, later: CalibrationRecord) -> bool:
        """Whether `later`, of the same place, replaces it: not when that one measured the same, but less."""
        if later.is_complete or not self.is_complete:
            return True
        if later.subject != self.subject:
            return True
        return bool(set(later.floor.agent_versions) - set(self.floor.agent_versions))


class Calibration(Record):
    """``calibration.json``: one record for each catalog, task, agent and model, in that order."""

    schema_version: Literal[1] = 1
    records: tuple[CalibrationRecord, ...] = ()

    @cached_property
    def _by_place(self) -> Mapping[Place, CalibrationRecord]:
        return {record.place: record for record in self.records}

    def find(self, place: Place) -> CalibrationRecord | None:
        """The record of a task for an agent and model, stale or not."""
        return self._by_place.get(place)

    def update(self, records: Iterable[CalibrationRecord]) -> Calibration:
        """The calibration with `records` added, in place of those older ones that yield to them."""
        merged = dict(self._by_place)
        for record in records:
            old = merged.get(record.place)
            if old is None or old.yields_to(record):
                merged[record.place] = record
        return Calibration(records=tuple(merged[place] for place in sorted(merged)))


class Recalibration(NamedTuple):
    """What a session's calibration came to.

    `standing` are the records that hold now for what it ran; `kept` are those of them that stood before.
    """

    standing: tuple[CalibrationRecord, ...]
    kept: tuple[CalibrationRecord, ...]

    @classmethod
    def compare(cls, made: Iterable[CalibrationRecord], updated: Calibration) -> Self:
        """Find out which records that were `made` stand in `updated`."""
        pairs = [(record, updated.find(record.place) or record) for record in made]
        return cls(
            standing=tuple(standing for _, standing in pairs),
            kept=tuple(standing for record, standing in pairs if standing != record),
        )


def is_admitted(floor: ReferenceRuns, ceiling: ReferenceRuns, thresholds: Thresholds) -> bool:
    """Whether these runs admit a task, also if every unmeasured one turned out badly."""
    unmeasured = thresholds.runs - floor.graded
    return (
        floor.passes + unmeasured <= thresholds.most_floor_passes
        and ceiling.passes >= thresholds.fewest_ceiling_passes
    )


def read_calibration(path: Path) -> Calibration:
    """The calibration in `path`. Raises SettingsError when it cannot be read or contradicts itself."""
    return read_record_file(
        path,
        Calibration,
        complain=lambda problem: SettingsError(
            f"{path}: not a readable calibration ({problem}); remove it, and --searchlight-calibrate "
            "makes a new one"
        ),
    )


def write_calibration(calibration: Calibration, *, path: Path) -> None:
    """Store `calibration`, in one step. Raises DiskError when the disk refuses."""
    # Sessions may be kept elsewhere, so the project's state folder need not be there yet.
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, encode_json(calibration.model_dump(mode="json")))
