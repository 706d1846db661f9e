"""The rows of a session: one record for every planned run, from the plan and the sealed bundles.

A session has ten thousand runs, so rows are read with few system calls, and kept small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ConfigDict, ValidationError

from pytest_searchlight.domain import Record, RunRecord
from pytest_searchlight.errors import EvidenceError, SummaryError
from pytest_searchlight.evidence import SEAL, SessionFolder, write_atomic

UNREADABLE: Final = "evidence_unreadable"
"""Flag of a run that has a seal, but none that can be read: it measures nothing."""

PUT_OFF: Final = "put_off"
"""Flag of a run that was skipped though it was fit: its budget was used up, or its setup was deferred."""


_MOST_NAMED: Final = 5


class PlannedRun(Record):
    """A line of the plan: the pytest item, and the record of a run that was not made yet."""

    nodeid: str
    record: RunRecord

    @property
    def place(self) -> tuple[object, ...]:
        """Which cell of the matrix the run fills, whatever its task and setup say today."""
        run = self.record
        return run.catalog, run.task, run.agent, run.model_name, run.setup, run.repetition


def read_plan(session: SessionFolder) -> Iterator[PlannedRun]:
    """The planned runs, one after the other. Raises EvidenceError when there is no readable plan."""
    try:
        with session.plan_file.open("rb") as lines:
            yield from map(PlannedRun.model_validate_json, lines)
    except (OSError, ValidationError) as error:
        raise EvidenceError(f"{session.plan_file}: not a readable plan of a session ({error})") from error


def write_plan(session: SessionFolder, runs: Iterable[PlannedRun]) -> None:
    """Add `runs` to the plan; those that are planned already stay as they are.

    A run whose task or setup was changed since takes the place of the old one, whose evidence is set aside.
    """
    if session.plan_file.exists():
        _extend_plan(session, runs)
    else:
        write_atomic(session.plan_file, more=map(_encode, runs))


def _extend_plan(session: SessionFolder, runs: Iterable[PlannedRun]) -> None:
    planned = [*read_plan(session)]
    known = {each.record.run_id for each in planned}
    added = [each for each in runs if each.record.run_id not in known]
    places = {each.place for each in added}
    for each in planned:
        if each.place in places:
            session.set_aside(each.record.run_id)
    if added:
        kept = (each for each in planned if each.place not in places)
        write_atomic(session.plan_file, more=map(_encode, [*kept, *added]))


def _encode(planned: PlannedRun) -> bytes:
    return planned.model_dump_json().encode() + b"\n"


def read_records(session: SessionFolder) -> list[RunRecord]:
    """One record for every planned run, in the plan's order: the sealed one, else `not_run`.

    A run whose seal cannot be read counts as `not_run` too, flagged `UNREADABLE`, with the reason.

    Raises:
        EvidenceError: there is no readable plan.
        SummaryError: a run has evidence and was never planned.
    """
    unplanned = set(session.list_names())
    share, records = _Sharing(), list[RunRecord]()
    for planned in read_plan(session):
        unplanned.discard(planned.record.run_id)
        records.append(share(find_record(session, planned)))
    _refuse_strays(session, unplanned)
    return records


def _refuse_strays(session: SessionFolder, names: Iterable[str]) -> None:
    strays = [name for name in names if (session.runs / name / SEAL).is_file()]
    if strays:
        raise SummaryError(
            f"{session.plan_file}: {len(strays)} run(s) have evidence but were never planned, for example "
            f"{min(strays)}; the plan and the runs folder do not belong together"
        )


class _Seal(Record):
    """What a row needs of a seal."""

    model_config = ConfigDict(extra="ignore")

    record: RunRecord


def find_record(session: SessionFolder, planned: PlannedRun) -> RunRecord:
    """The record of one planned run, as `read_records` gives it."""
    run_id = planned.record.run_id
    try:
        with open(f"{session.runs}/{run_id}/{SEAL}", "rb") as file:  # noqa: PTH123 - see above: few costs a run
            record = _Seal.model_validate_json(file.read()).record
    except FileNotFoundError:
        return planned.record
    except OSError as error:
        return _call_unreadable(planned.record, str(error.strerror))
    except ValidationError as error:
        return _call_unreadable(planned.record, error.errors(include_url=False)[0]["msg"])
    return record if record.run_id == run_id else _call_unreadable(planned.record, f"it is {record.run_id}'s")


def _call_unreadable(planned: RunRecord, why: str) -> RunRecord:
    reason = (
        f"{SEAL} cannot be read ({why}); move the run's folder away, and --searchlight-resume makes it again"
    )
    return planned.model_copy(update={"reason": reason, "flags": (UNREADABLE,)})


def describe_unreadable(records: Iterable[RunRecord]) -> str | None:
    """Which runs do not count since their evidence cannot be read, in a sentence; None when all can be."""
    names = [record.run_id for record in records if UNREADABLE in record.flags]
    if not names:
        return None
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (
        f"not measured, since {SEAL} cannot be read: {', '.join(names[:_MOST_NAMED])}{more}; move these "
        "folders out of runs/, and --searchlight-resume makes the runs again"
    )


class _Sharing:
    """Lets records that are equal in a part share it, and forget which fields were set: all are.

    A record takes a quarter of the memory then.
    """

    _REPEATED: Final = ("grading_hash", "job_hash", "usage", "cost", "verdicts", "searching", "judging")

    def __init__(self) -> None:
        self._parts: dict[tuple[str, object], object] = {}

    def __call__(self, record: RunRecord) -> RunRecord:
        parts = {name: getattr(record, name) for name in self._REPEATED}
        shared = {name: self._parts.setdefault((name, part), part) for name, part in parts.items()}
        slim = record.model_copy(update=shared)
        for part in (slim, *slim.verdicts, *shared.values()):
            if isinstance(part, Record):
                part.model_fields_set.clear()
        return slim
