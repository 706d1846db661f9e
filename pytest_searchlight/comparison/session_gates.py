"""The gates of a running session: checked before anything is spent, judged when it has ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_searchlight.comparison.records import LaneName
from pytest_searchlight.comparison.sources import Measured, read_measured
from pytest_searchlight.comparison.text import render_lines
from pytest_searchlight.domain import SetupKind
from pytest_searchlight.errors import ReportError, SettingsError
from pytest_searchlight.evidence import encode_json, write_atomic
from pytest_searchlight.gates import Gate, GatedMeasure
from pytest_searchlight.reporting.texts import clean_text

if TYPE_CHECKING:  # they load numpy and scipy, which a session without gates does not pay for
    from pytest_searchlight.comparison.gating import GateReport
    from pytest_searchlight.comparison.records import SessionComparison

GATES_FILE: Final = "gates.json"


@dataclass(frozen=True, kw_only=True)
class SessionGates:
    """What a session is held to.

    Attributes:
        gates: its limits.
        baseline_path: the session or report that it is held against; None when there is none.
    """

    gates: tuple[Gate, ...]
    baseline_path: Path | None

    @cached_property
    def baseline(self) -> Measured | None:
        """What the baseline's files tell. Raises ReportError."""
        return None if self.baseline_path is None else read_measured(self.baseline_path)

    def check(self, lanes: Mapping[LaneName, SetupKind]) -> None:
        """See that every gate can be judged.

        Args:
            lanes: what the session runs, with the setup's kind, as far as that is known before collection.

        Raises:
            ReportError: the baseline cannot be read.
            SettingsError: a gate holds for nothing that is run, or has nothing to be held against.
        """
        baseline = self.baseline
        if not lanes:
            return
        for gate in self.gates:
            if not any(gate.holds_for(name.setup, kind) for name, kind in lanes.items()):
                raise SettingsError(
                    f"{gate.option}: {gate.text!r} holds for no setup of this session, which runs "
                    f"{', '.join(dict.fromkeys(name.setup for name in lanes))}; name one of these, or leave "
                    "the limit out"
                )
        if baseline is not None:
            self._check_baseline(baseline, lanes)

    def _check_baseline(self, baseline: Measured, lanes: Collection[LaneName]) -> None:
        from pytest_searchlight.comparison.lanes import collect_lanes, describe_lanes, match_lanes

        there = collect_lanes(baseline)
        shared = match_lanes(there, lanes)
        unheld = [gate for gate in self.gates if not _is_held(gate, shared)]
        if not shared or unheld:
            what = f"{unheld[0].text!r}" if unheld else "this session"
            raise SettingsError(
                f"--searchlight-baseline: {baseline.name!r} has nothing to hold {what} against: it has "
                f"{describe_lanes(there)}, and this session runs {describe_lanes(lanes)}; choose a baseline "
                "of the same catalog, agent and setup"
            )

    def judge(self, folder: Path) -> GateReport | None:
        """Hold the session in `folder` to its gates and record how it fared; None when there are none.

        Raises:
            UserError: the baseline cannot be read.
            EvidenceError: the record cannot be written.
            SummaryError: two rows stand for the same run.
        """
        if not self.gates and self.baseline is None:
            return None
        from pytest_searchlight.comparison.gating import GateReport, judge_gates

        session = read_measured(folder)
        comparison = self._compare(session)
        results = judge_gates(self.gates, session=session, comparison=comparison)
        baseline = None if self.baseline is None else self.baseline.name
        report = GateReport(results=tuple(results), baseline=baseline, comparison=comparison)
        write_atomic(folder / GATES_FILE, encode_json(report.model_dump(mode="json")))
        return report

    def _compare(self, session: Measured) -> SessionComparison | None:
        """The comparison with the baseline; None when there is no baseline, or nothing shared with it."""
        if self.baseline is None:
            return None
        from pytest_searchlight.comparison.comparing import compare_sessions

        try:
            return compare_sessions(self.baseline, session)
        except ReportError:
            return None


def _is_held(gate: Gate, shared: Iterable[LaneName]) -> bool:
    """Whether there are lanes in the baseline that the gate can be judged by, if it needs any."""
    return gate.measure is GatedMeasure.RATE or any(gate.setup in {None, name.setup} for name in shared)


def describe_baseline(report: GateReport) -> Iterator[str]:
    """The comparison with the baseline, if there is one: a line a lane."""
    if report.baseline is None:
        return
    nothing = ": nothing in common" if report.comparison is None else ":"
    yield clean_text(f"against baseline {report.baseline}{nothing}")
    if report.comparison is not None:
        yield from (f"  {line}" for line in render_lines(report.comparison))
