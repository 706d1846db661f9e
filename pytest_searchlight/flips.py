"""What grading again changed: runs whose verdict flipped, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_searchlight.domain import Record, RunRecord, RunStatus
from pytest_searchlight.evidence import SessionFolder, encode_json, write_atomic
from pytest_searchlight.run_rows import read_records


class Flip(Record):
    """A run that was graded differently the second time; `reason` is the later one."""

    run_id: str
    status_before: RunStatus
    status_after: RunStatus
    passed_before: bool | None
    passed_after: bool | None
    reason: str

    def describe(self) -> str:
        """The flip as a line for people."""
        before = _name_outcome(self.status_before, passed=self.passed_before)
        after = _name_outcome(self.status_after, passed=self.passed_after)
        return f"{self.run_id}: {before} -> {after}" + (f" ({self.reason})" if self.reason else "")


def write_flips(source: SessionFolder, regraded: SessionFolder) -> tuple[Path, list[Flip]]:
    """Compare two sessions and write ``regrade.json`` into the later one. Raises EvidenceError."""
    flips = list(find_flips(read_records(source), read_records(regraded)))
    path = regraded.root / "regrade.json"
    write_atomic(path, encode_json([flip.model_dump(mode="json") for flip in flips]))
    return path, flips


def find_flips(before: Sequence[RunRecord], after: Sequence[RunRecord]) -> Iterator[Flip]:
    """Runs in both whose verdict or status differs; runs that were not graded again are no flips."""
    earlier = {record.run_id: record for record in before}
    for record in after:
        old = earlier.get(record.run_id)
        if old is None or record.status in {RunStatus.SKIPPED, RunStatus.NOT_RUN}:
            continue
        if (old.status, old.passed) != (record.status, record.passed):
            yield Flip(
                run_id=record.run_id,
                status_before=old.status,
                status_after=record.status,
                passed_before=old.passed,
                passed_after=record.passed,
                reason=record.reason,
            )


def _name_outcome(status: RunStatus, *, passed: bool | None) -> str:
    if status is not RunStatus.GRADED:
        return str(status)
    return "pass" if passed else "fail"
