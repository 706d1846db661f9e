"""Keeps the settled runs of a session: sealed bundles, earlier attempts, runs that were never made."""

from __future__ import annotations

import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus, TestRun
from pytest_searchlight.evidence import (
    SEAL,
    OpenBundle,
    Scrubber,
    SealedBundle,
    SessionFolder,
    open_bundle,
    read_bundle,
    seal_bundle,
)
from pytest_searchlight.grading import GradedRun, describe_files, describe_head, describe_unrun
from pytest_searchlight.run_rows import read_plan
from pytest_searchlight.runner import LASTING_FAULTS
from pytest_searchlight.session.ledger import Ledger, measure_spend

_SYNC_EVERY_S: Final = 0.5
"""Runs that end closer together share a sync: so much work, no more, can a power cut undo."""


@dataclass
class RunStore:
    """Writes bundles into the session's folder and tells the ledger what they add up to."""

    folder: SessionFolder
    scrub: Scrubber
    ledger: Ledger
    _synced_at_s: float = 0.0

    def seal(self, graded: GradedRun, bundle: OpenBundle) -> Path:
        """Store a settled run. Raises EvidenceError when the disk refuses."""
        run, record = graded.observed.run, graded.record
        folder = self._seal_graded(graded, bundle, destination=self.folder.runs / record.run_id)
        is_lasting = bool(LASTING_FAULTS & set(record.flags))
        self.ledger.record_outcome(name_lane(run), record.status, reason=record.reason, is_lasting=is_lasting)
        return folder

    def keep_attempt(self, graded: GradedRun, bundle: OpenBundle) -> None:
        """Store an attempt that will be repeated. Raises EvidenceError when the disk refuses."""
        run_id = graded.record.run_id
        places = (self.folder.attempts / f"{run_id}.{number}" for number in itertools.count(1))
        self._seal_graded(graded, bundle, destination=next(place for place in places if not place.exists()))

    def _seal_graded(self, graded: GradedRun, bundle: OpenBundle, *, destination: Path) -> Path:
        folder = seal_bundle(
            bundle,
            destination=destination,
            head=describe_head(graded),
            files=describe_files(graded),
            scrub=self.scrub,
            sync=self._is_sync_due(),
        )
        spend = measure_spend(graded.record)
        self.ledger.record_spend(graded.record.run_id, attempt=graded.observed.attempts, spend=spend)
        return folder

    def _is_sync_due(self) -> bool:
        now = time.monotonic()
        due = now - self._synced_at_s >= _SYNC_EVERY_S
        if due:
            self._synced_at_s = now
        return due

    def seal_unrun(
        self, run: TestRun, *, status: RunStatus, reason: str, flags: tuple[str, ...] = ()
    ) -> RunRecord:
        """Store that `run` was not made, and why."""
        record = describe_unrun(run, status=status, reason=reason).model_copy(update={"flags": flags})
        self._seal_record(record, open_bundle(self.folder, run.run_id))
        return record

    def seal_crashed(self, nodeid: str) -> None:
        """Store that the worker died during an item's run, with whatever evidence it left."""
        died = {
            "status": RunStatus.AGENT_ERROR,
            "reason": "the worker process died during the run",
            "attempts": 1,
        }
        for planned in read_plan(self.folder):
            if planned.nodeid == nodeid:
                run_id = planned.record.run_id
                partial = self.folder.find_partial(run_id)
                bundle = OpenBundle(partial) if partial else open_bundle(self.folder, run_id)
                self._seal_record(planned.record.model_copy(update=died), bundle)

    def _seal_record(self, record: RunRecord, bundle: OpenBundle) -> None:
        seal_bundle(
            bundle,
            destination=self.folder.runs / record.run_id,
            head={"schema_version": 1, "record": record.model_dump(mode="json")},
            files={},
            scrub=self.scrub,
        )

    def find_measured(self, run: TestRun) -> SealedBundle | None:
        """Evidence that stands in for `run`: same identity, and measured."""
        if not os.path.isfile(f"{self.folder.runs}/{run.run_id}/{SEAL}"):  # noqa: PTH113 - asked once a run
            return None
        bundle = read_bundle(self.folder.runs / run.run_id)
        record = bundle.head["record"]
        status = RunStatus(record["status"])
        measured = STATUS_RULES[status].counts or status is RunStatus.UNGRADED
        return bundle if measured and record["identity"] == run.identity else None


def name_lane(run: TestRun) -> str:
    """The setup, agent and model of a run, as the ledger and its messages name them."""
    return " with ".join(filter(None, [f"setup {run.setup.name!r}", run.agent, run.model_name]))
