"""A run on its way through one pytest item: reused, regraded or made, then graded and sealed once."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from pytest_searchlight.domain import CheckOutcome, RunRecord, RunStatus, TestRun, Verdict
from pytest_searchlight.evidence import (
    SEAL,
    OpenBundle,
    SealedBundle,
    SessionFolder,
    open_bundle,
    read_bundle,
)
from pytest_searchlight.grading import GradedRun, conclude, read_graded, read_observed
from pytest_searchlight.grading.scoring import sum_up
from pytest_searchlight.run_rows import PUT_OFF
from pytest_searchlight.runner import MeteringProxy, OpenWorkspace
from pytest_searchlight.session.benchmark import BenchmarkSession


@dataclass
class LiveRun:
    """The state of one run within its item.

    Attributes:
        session: the process's session.
        run: which run.
        asserted: whether the checks are a Python test's own assertions, known only after its call phase.
        graded: what came of it so far; None before the agent ran.
        folder: the sealed bundle; None until sealed.
    """

    session: BenchmarkSession
    run: TestRun
    asserted: bool
    graded: GradedRun | None = None
    folder: Path | None = None
    _bundle: OpenBundle | None = field(default=None, repr=False)

    def reuse(self) -> bool:
        """Take over this session's own evidence of the same run; grade it again when the checks changed."""
        stored = self.session.store.find_measured(self.run)
        if stored is None:
            return False
        record = stored.head["record"]
        unchanged = record["grading_hash"] == self.run.task.grading_hash
        if unchanged and record["status"] != RunStatus.UNGRADED and not self.asserted:
            self.graded, self.folder = read_graded(stored, self.run), stored.folder
        else:
            self._grade_again(stored)
        return True

    def _grade_again(self, stored: SealedBundle) -> None:
        self._bundle = _copy_raw_files(stored, open_bundle(self.session.folder, self.run.run_id))
        observed = read_observed(stored, self.run)
        self.graded = self.session.grade(observed, record=self._bundle.judge_folder)

    def make(self, *, open_workspace: OpenWorkspace, proxy: MeteringProxy | None) -> None:
        """Let the agent do the job, with retries for faults of infrastructure, and grade the result."""
        observed, self._bundle = self.session.settle(self.run, open_workspace=open_workspace, proxy=proxy)
        self.graded = self.session.grade(observed, record=self._bundle.judge_folder)

    def regrade(self, source: SessionFolder) -> str | None:
        """Grade what another session stored of this run. Gives the reason when there is nothing to grade."""
        folder = source.runs / self.run.run_id
        if not (folder / SEAL).is_file():
            return f"{source.root.name} holds no evidence of this run; was its task or setup changed since?"
        stored = read_bundle(folder)
        if "trace" not in stored.head:
            return str(stored.head["record"]["reason"])
        self._grade_again(stored)
        return None

    def seal(self) -> RunRecord:
        """Store the graded run, unless its evidence is stored already, and give its record."""
        assert self.graded is not None
        if self.folder is None and self._bundle is not None:
            self.folder = self.session.store.seal(self.graded, self._bundle)
        return self.graded.record

    def skip(self, reason: str) -> RunRecord:
        """Store that the run was not made, and why."""
        flags = (PUT_OFF,) if self.session.explain_unfit(self.run) is None else ()
        return self.session.store.seal_unrun(self.run, status=RunStatus.SKIPPED, reason=reason, flags=flags)

    def add_assertions(self, outcome: CheckOutcome, reason: str) -> None:
        """Count the test's own assertions as a verdict beside the deliverable's schema."""
        assert self.graded is not None
        if self.graded.observed.trace.status is not RunStatus.GRADED:
            return
        verdict = Verdict(kind="assertions", outcome=outcome, reason=reason)
        self.graded = conclude(
            self.graded.observed,
            findings=self.graded.findings,
            answer=self.graded.answer,
            score=sum_up((*self.graded.score.verdicts, verdict)),
            price=self.session.price,
            assessment=self.graded.assessment,
        )


def _copy_raw_files(stored: SealedBundle, bundle: OpenBundle) -> OpenBundle:
    for folder in (bundle.agent_folder, bundle.wire_folder):
        source = stored.folder / folder.name
        if source.is_dir():
            shutil.copytree(source, folder, symlinks=True)
    return bundle
