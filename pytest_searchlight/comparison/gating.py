"""What a session is failed for: a regression that is significant and beyond its limit, or too low a rate.

A gate never passes for want of a measurement: what could not be measured fails it, and what a session of this
size could not have shown is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, Literal

from pytest_searchlight.comparison.lanes import name_lane
from pytest_searchlight.comparison.records import ChangeVerdict, LaneChange, LaneName, SessionComparison
from pytest_searchlight.comparison.sources import Measured
from pytest_searchlight.comparison.wording import describe_verdict, format_growth
from pytest_searchlight.domain import Record, RunStatus
from pytest_searchlight.gates import Gate, GatedMeasure
from pytest_searchlight.reporting.texts import clean_text
from pytest_searchlight.run_rows import PUT_OFF
from pytest_searchlight.stats.figures import Estimate
from pytest_searchlight.stats.resampling import TASKS_AGREE
from pytest_searchlight.summary_schema import ResultRow


class GateOutcome(StrEnum):
    """How a lane fared at a gate; `WARNED` lets it pass and says what that leaves open."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"
    UNMEASURED = "unmeasured"


_SPOKEN: Final = {
    GateOutcome.PASSED: "passed",
    GateOutcome.WARNED: "passed, with a blind spot",
    GateOutcome.FAILED: "FAILED",
    GateOutcome.UNMEASURED: "FAILED for want of a measurement",
}


class GateResult(Record):
    """A gate and one lane that was held to it; `lane` is None when there was none to hold."""

    gate: str
    lane: LaneName | None
    outcome: GateOutcome
    reason: str

    @property
    def fails(self) -> bool:
        """Whether it fails the session."""
        return self.outcome in {GateOutcome.FAILED, GateOutcome.UNMEASURED}

    @property
    def warns(self) -> bool:
        """Whether it lets the session pass and leaves something open."""
        return self.outcome is GateOutcome.WARNED

    def describe(self) -> str:
        """The result as a line for people."""
        lane = "" if self.lane is None else f" ({self.lane.describe()})"
        return clean_text(f"gate {self.gate!r}{lane} {_SPOKEN[self.outcome]}: {self.reason}")


class GateReport(Record):
    """``gates.json``: what a session was held to, and the comparison with its baseline if it had one.

    `baseline` is the name of the baseline; with one, `comparison` is None where the two share nothing.
    """

    schema_version: Literal[1] = 1
    results: tuple[GateResult, ...]
    baseline: str | None
    comparison: SessionComparison | None

    @property
    def fails(self) -> bool:
        """Whether the session fails."""
        return any(result.fails for result in self.results)


def judge_gates(
    gates: Iterable[Gate], *, session: Measured, comparison: SessionComparison | None
) -> Iterator[GateResult]:
    """Hold a session to `gates`.

    Args:
        gates: the limits.
        session: its rows and its summary.
        comparison: of the session with its baseline; None when they share nothing.
    """
    put_off = Counter(name_lane(row) for row in session.rows or () if PUT_OFF in row.flags)
    lanes = () if session.summary is None else session.summary.results
    for gate in gates:
        if gate.measure is GatedMeasure.RATE:
            results = list(_judge_rates(gate, lanes, put_off=put_off))
        else:
            results = list(_judge_changes(gate, comparison)) if comparison is not None else []
        missing = f"nothing was measured that it holds for: {gate.setup or 'any search setup'}"
        yield from results or [_make_result(gate, None, GateOutcome.UNMEASURED, missing)]


def _make_result(gate: Gate, lane: LaneName | None, outcome: GateOutcome, reason: str) -> GateResult:
    return GateResult(gate=gate.text, lane=lane, outcome=outcome, reason=reason)


# --- regressions ------------------------------------------------------------------------------------------


def _judge_changes(gate: Gate, comparison: SessionComparison) -> Iterator[GateResult]:
    held = [change for change in comparison.lanes if gate.setup in {None, change.lane.setup}]
    for change in held:
        judge = _judge_drop if gate.measure is GatedMeasure.DROP else _judge_rise
        outcome, reason = judge(change, gate)
        yield _make_result(gate, change.lane, outcome, reason)
    new = (name for name in comparison.only_after if gate.setup in {None, name.setup})
    for name in new if held else ():
        yield _make_result(gate, name, GateOutcome.WARNED, "the baseline has no such runs to hold it against")


def _judge_drop(change: LaneChange, gate: Gate) -> tuple[GateOutcome, str]:
    told, drop = describe_verdict(change), -(change.difference.value or 0.0)
    if change.verdict is ChangeVerdict.NOT_COMPARED:
        return GateOutcome.UNMEASURED, told
    if change.verdict is ChangeVerdict.DROPPED and drop > gate.limit:
        return GateOutcome.FAILED, told
    blind_spots = list(_list_blind_spots(change, gate))
    if blind_spots:
        return GateOutcome.WARNED, "; ".join(blind_spots)
    return GateOutcome.PASSED, told


def _list_blind_spots(change: LaneChange, gate: Gate) -> Iterator[str]:
    """What keeps a lane that passes from being known to be well."""
    drop, detectable = -(change.difference.value or 0.0), change.detectable_difference
    if drop > gate.limit:
        yield f"{100 * drop:.0f} points fewer passed, which is not significant"
    if detectable.value is None:
        yield f"this size can show no drop: {detectable.reason}"
    elif detectable.value > gate.limit:
        yield f"this size can only show drops of {100 * detectable.value:.0f} points or more"
    if not change.tasks_checked:
        yield "whether its tasks are the same as before is not known"


def _judge_rise(change: LaneChange, gate: Gate) -> tuple[GateOutcome, str]:
    is_tokens = gate.measure is GatedMeasure.TOKEN_RISE
    growth = change.tokens_growth if is_tokens else change.cost_growth
    what = f"{'tokens' if is_tokens else 'cost'} for each success"
    if growth.value is None:
        return GateOutcome.UNMEASURED, f"{what}: {growth.reason}"
    told = f"{what} {format_growth(growth)}"
    if growth.value > gate.limit and _is_surely_above_zero(growth):
        return GateOutcome.FAILED, told
    if growth.ci95 is None:
        outcome = GateOutcome.PASSED if growth.reason == TASKS_AGREE else GateOutcome.WARNED
        return outcome, f"{told}: {growth.reason}"
    smallest = growth.value - growth.ci95[0]
    if smallest > gate.limit:
        return GateOutcome.WARNED, f"{told}; this size can only show rises of {100 * smallest:.0f} % or more"
    return GateOutcome.PASSED, told


def _is_surely_above_zero(growth: Estimate) -> bool:
    """Whether the interval lies above 0, or has no width because every task grew alike."""
    return growth.reason == TASKS_AGREE if growth.ci95 is None else growth.ci95[0] > 0


# --- pass rates -------------------------------------------------------------------------------------------


def _judge_rates(
    gate: Gate, rows: Iterable[ResultRow], *, put_off: Mapping[LaneName, int]
) -> Iterator[GateResult]:
    for row in rows:
        if gate.holds_for(row.setup, row.setup_kind):
            lane = name_lane(row)
            unfit = row.excluded[RunStatus.SKIPPED] - put_off.get(lane, 0)
            outcome, reason = _judge_rate(row, unfit=unfit, limit=gate.limit)
            yield _make_result(gate, lane, outcome, reason)


def _judge_rate(row: ResultRow, *, unfit: int, limit: float) -> tuple[GateOutcome, str]:
    """A rate passes when it would also pass had every run failed that could not be made or measured.

    `unfit` runs are not among these: their tasks are not meant to be run so, or not any more.
    """
    told = f"{row.passes}/{row.graded} passed, of {row.planned} planned"
    if row.pass_rate is None:
        return GateOutcome.UNMEASURED, told
    if row.pass_rate < limit:
        return GateOutcome.FAILED, f"{told}: {100 * row.pass_rate:.0f} % is below {100 * limit:g} %"
    lost = row.planned - row.graded - unfit
    if row.passes < limit * (row.graded + lost):
        return GateOutcome.UNMEASURED, f"{told}; had the {lost} lost run(s) failed, it would be too few"
    if unfit:
        return GateOutcome.WARNED, f"{told}; {unfit} run(s) were skipped, whose tasks do not count here"
    return GateOutcome.PASSED, told
