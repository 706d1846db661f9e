"""What grading again changed: both results, the runs whose verdict flipped, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import NonNegativeInt

from pytest_searchlight.domain import STATUS_RULES, Record, RunRecord, RunStatus, name_agent
from pytest_searchlight.evidence import SessionFolder, encode_json, write_atomic
from pytest_searchlight.judges import RUBRIC_KIND
from pytest_searchlight.run_rows import read_records

_Pair = tuple[RunRecord, RunRecord]
"""A run as it was graded first, and again."""


class Flip(Record):
    """A run that was graded differently the second time.

    Attributes:
        reason_before: why it was no pass the first time.
        reason: why it is none now.
        cause: what else was different: what the task is graded by, or the judge; empty when neither.
    """

    run_id: str
    status_before: RunStatus
    status_after: RunStatus
    passed_before: bool | None
    passed_after: bool | None
    reason_before: str
    reason: str
    cause: str

    def describe(self) -> str:
        """The flip as a line for people."""
        before = _name_outcome(self.status_before, passed=self.passed_before)
        after = _name_outcome(self.status_after, passed=self.passed_after)
        was = f"before: {self.reason_before}" if self.reason_before else ""
        why = "; ".join(part for part in (self.reason or was, self.cause) if part)
        return f"{self.run_id}: {before} -> {after}" + (f" ({why})" if why else "")


class RegradedLane(Record):
    """What one search setup passed under one agent and model, of the runs that were graded again.

    `graded` are the runs that count in the pass rate.
    """

    catalog: str
    agent: str
    model_name: str | None
    setup: str
    passes_before: NonNegativeInt
    graded_before: NonNegativeInt
    passes_after: NonNegativeInt
    graded_after: NonNegativeInt

    def describe(self) -> str:
        """Both results as a line for people."""
        who = f"{self.catalog}, {name_agent(self.agent, self.model_name)}"
        return (
            f"{who}: {self.setup} passed {self.passes_before}/{self.graded_before} before "
            f"and passes {self.passes_after}/{self.graded_after} now"
        )


class Regrade(Record):
    """``regrade.json``: a session held against its earlier grading."""

    lanes: tuple[RegradedLane, ...]
    flips: tuple[Flip, ...]

    def describe(self) -> Iterator[str]:
        """Both results where verdicts flipped, and the flips."""
        if self.flips:
            yield from (lane.describe() for lane in self.lanes)
        yield from (flip.describe() for flip in self.flips)


def write_regrade(before: Sequence[RunRecord], regraded: SessionFolder) -> tuple[Path, Regrade]:
    """Compare a session with the earlier grading and write its ``regrade.json``. Raises EvidenceError."""
    found = compare_gradings(before, read_records(regraded))
    path = regraded.root / "regrade.json"
    write_atomic(path, encode_json(found.model_dump(mode="json")))
    return path, found


def compare_gradings(before: Sequence[RunRecord], after: Sequence[RunRecord]) -> Regrade:
    """Both results of the runs in both; runs that were made anew, or not graded again, are left out."""
    earlier = {(record.run_id, record.started_at): record for record in before}
    pairs = [
        (earlier[place], record)
        for record in after
        if (place := (record.run_id, record.started_at)) in earlier
        and record.status not in {RunStatus.SKIPPED, RunStatus.NOT_RUN}
    ]
    flips = tuple(_describe_flip(*pair) for pair in pairs if _name_result(pair[0]) != _name_result(pair[1]))
    return Regrade(lanes=tuple(_count_lanes(pairs)), flips=flips)


def _name_result(run: RunRecord) -> tuple[RunStatus, bool | None]:
    return run.status, run.passed


def _describe_flip(old: RunRecord, new: RunRecord) -> Flip:
    return Flip(
        run_id=new.run_id,
        status_before=old.status,
        status_after=new.status,
        passed_before=old.passed,
        passed_after=new.passed,
        reason_before=old.reason,
        reason=new.reason,
        cause=_find_cause(old, new),
    )


def _find_cause(old: RunRecord, new: RunRecord) -> str:
    causes = []
    if old.grading_hash != new.grading_hash:
        causes.append("the task's checks or rubric were changed since")
    first, second = _find_judge(old), _find_judge(new)
    if first and second and first != second:
        causes.append(f"judged by {second} instead of {first}")
    return "; ".join(causes)


def _find_judge(run: RunRecord) -> str:
    return next((line.target for line in run.verdicts if line.kind == RUBRIC_KIND), "")


def _count_lanes(pairs: Sequence[_Pair]) -> Iterator[RegradedLane]:
    lanes: dict[tuple[str, str, str | None, str], list[_Pair]] = {}
    for pair in pairs:
        run = pair[1]
        lanes.setdefault((run.catalog, run.agent, run.model_name, run.setup), []).append(pair)
    for (catalog, agent, model_name, setup), members in lanes.items():
        before, after = ([*runs] for runs in zip(*members, strict=True))
        yield RegradedLane(
            catalog=catalog,
            agent=agent,
            model_name=model_name,
            setup=setup,
            passes_before=sum(run.passed is True for run in before),
            graded_before=sum(STATUS_RULES[run.status].counts for run in before),
            passes_after=sum(run.passed is True for run in after),
            graded_after=sum(STATUS_RULES[run.status].counts for run in after),
        )


def _name_outcome(status: RunStatus, *, passed: bool | None) -> str:
    if status is not RunStatus.GRADED:
        return str(status)
    return "pass" if passed else "fail"
