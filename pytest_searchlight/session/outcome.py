"""What a session came to: made from its evidence when it has ended, and told line by line."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pydantic import JsonValue

from pytest_searchlight.calibration import Recalibration
from pytest_searchlight.comparison.session_gates import GATES_FILE, SessionGates, describe_baseline
from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.flips import Regrade, compare_gradings, write_regrade
from pytest_searchlight.report_folder.reading import ROWS_FILE, read_row_file
from pytest_searchlight.reporting.results import (
    describe_calibration,
    describe_exclusions,
    render_comparisons,
    render_table,
)
from pytest_searchlight.reporting.texts import clean_text
from pytest_searchlight.run_rows import read_records
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.summary_schema import Summary

if TYPE_CHECKING:  # it loads numpy and scipy
    from pytest_searchlight.comparison.gating import GateReport


class Line(NamedTuple):
    """A line for the terminal, and how it is meant."""

    text: str
    tone: Literal["plain", "warning", "failure"] = "plain"


@dataclass(kw_only=True)
class SessionOutcome:
    """What is known at the end; parts that were not asked for, or not reached, are None.

    Attributes:
        session: the benchmark session.
        gates: what it is held to.
        summary: the numbers.
        regrade: where grading again is recorded, and what it changed.
        calibrated: what a calibration admits.
        judged: how the session fared at its gates.
        warnings: what is to be told besides.
    """

    session: BenchmarkSession
    gates: SessionGates
    summary: Summary | None = None
    regrade: tuple[Path, Regrade] | None = None
    calibrated: Recalibration | None = None
    judged: GateReport | None = None
    warnings: list[str] = field(default_factory=list)

    def sum_up(self, extra: Mapping[str, JsonValue]) -> Summary:
        """Write summary, regrade, calibration and gates; `extra` is what extensions add to the summary.

        Raises:
            SearchlightError: a part cannot be made or written; the earlier ones stand.
        """
        from pytest_searchlight.summary import write_summary  # loads numpy

        folder, settings = self.session.folder, self.session.settings
        before = self._read_before()
        self.summary = write_summary(folder, extra=extra, warn=self.warnings.append)
        if before is not None:
            self.regrade = write_regrade(before, folder)
        if settings.calibrate:
            self.calibrated = self.session.record_calibration()
        self.judged = self.gates.judge(folder.root)
        return self.summary

    def _read_before(self) -> Sequence[RunRecord] | None:
        """The rows as they were graded first, None where nothing is graded again.

        A session that is resumed grades its stored runs again where their checks or rubric were changed.
        """
        settings, rows_file = self.session.settings, self.session.folder.root / ROWS_FILE
        if settings.regrade is not None:
            return read_records(SessionFolder(settings.regrade))
        if not settings.resume or not rows_file.is_file():
            return None
        before, now = read_row_file(rows_file), read_records(self.session.folder)
        return before if compare_gradings(before, now).flips else None

    def describe(self, show: Callable[[Path], str]) -> Iterator[Line]:
        """The outcome for the terminal; `show` writes a path as the user would."""
        if self.summary is None:
            return
        yield from map(Line, self._describe_numbers(self.summary))
        yield from map(Line, self._describe_changes(show))
        if self.judged is not None:
            yield from _describe_gates(self.judged)
            yield Line(f"written: {show(self.session.folder.root / GATES_FILE)}")
        yield from (Line(f"searchlight: warning: {text}", "warning") for text in self.warnings)
        root = show(self.session.folder.root)
        yield Line(f"written: {root}/summary.json, {root}/runs.jsonl, {root}/runs/")
        if any(self.summary.counts.excluded[status] for status in _MADE_WHEN_RESUMED):
            yield Line(f"go on with what is missing: pytest --searchlight-resume={shlex.quote(root)}")

    def _describe_numbers(self, summary: Summary) -> Iterator[str]:
        yield from render_table(summary)
        if summary.comparisons is not None:
            yield from render_comparisons(summary.comparisons)
        exclusions = describe_exclusions(summary.counts)
        if exclusions is not None:
            yield exclusions
        if summary.counts.excluded[RunStatus.UNGRADED]:
            yield "ungraded runs keep their evidence: --searchlight-regrade=DIR grades them again from it"

    def _describe_changes(self, show: Callable[[Path], str]) -> Iterator[str]:
        if self.regrade is not None:
            path, regrade = self.regrade
            yield f"{len(regrade.flips)} verdict(s) flipped: {show(path)}"
            yield from (f"  {clean_text(line)}" for line in regrade.describe())
        if self.calibrated is not None and self.calibrated.standing:
            yield from describe_calibration(self.calibrated)
            yield f"written: {show(self.session.settings.calibration_file)}"


_MADE_WHEN_RESUMED: Final = (
    RunStatus.NOT_RUN,
    *(status for status, rule in STATUS_RULES.items() if rule.retry),
)


def _describe_gates(report: GateReport) -> Iterator[Line]:
    yield from map(Line, describe_baseline(report))
    for result in report.results:
        tone: Literal["plain", "warning", "failure"] = "warning" if result.warns else "plain"
        yield Line(result.describe(), "failure" if result.fails else tone)
