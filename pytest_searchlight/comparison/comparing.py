"""Compares two sessions lane by lane: every number that says something got better or worse.

A lane's test holds its tasks fixed: did these very tasks change, beyond what repeating them does by chance?
Its interval resamples the tasks: how much would tasks like these change? A change is called one when both
agree. All lanes of a comparison are one family of tests, adjusted together by Holm's method.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.comparison.facts import find_unchanged_catalogs, list_fact_changes
from pytest_searchlight.comparison.lanes import Lanes, collect_lanes, describe_lanes, match_lanes
from pytest_searchlight.comparison.matching import ComparedSide, MatchedLane, match_lane
from pytest_searchlight.comparison.records import (
    ChangeVerdict,
    LaneChange,
    LaneName,
    SessionComparison,
    Side,
    TaskChange,
)
from pytest_searchlight.comparison.sources import Measured
from pytest_searchlight.comparison.tallies import Amount, divide_use, tabulate_tallies, tabulate_use
from pytest_searchlight.errors import ReportError
from pytest_searchlight.stats import divide, wilson_interval
from pytest_searchlight.stats.changes import (
    compute_exact_p,
    estimate_change,
    estimate_growth,
    find_detectable_by_pairs,
    find_detectable_change,
)
from pytest_searchlight.stats.comparing import DRAWS
from pytest_searchlight.stats.figures import Estimate, Figure
from pytest_searchlight.stats.paired_tests import adjust_holm, compute_mcnemar_p
from pytest_searchlight.stats.resampling import TaskDraws, estimate_difference
from pytest_searchlight.stats.resolution import LEVEL

_NOTHING_SHARED: Final = "no task was measured on both sides"


def compare_sessions(
    before: Measured, after: Measured, *, setups: Collection[str] = (), seed: int = 0, draws: int = DRAWS
) -> SessionComparison:
    """Compare the lanes that two sessions share.

    Args:
        before: the session that is held up as the standard.
        after: the session that is held against it.
        setups: the search setups to compare; all when empty.
        seed: of the resamples.
        draws: how many resamples of the tasks stand behind each interval.

    Raises:
        ReportError: they share no lane.
        SummaryError: two rows of a session stand for the same run.
    """
    lanes_before, lanes_after = (_select_lanes(each, setups) for each in (before, after))
    names = match_lanes(lanes_before, lanes_after)
    if not names:
        raise ReportError(
            f"{before.name} and {after.name} share no catalog, agent, model and setup: the former has "
            f"{describe_lanes(lanes_before)}, the latter {describe_lanes(lanes_after)}"
        )
    matched = [
        match_lane(name, name_before=other, before=lanes_before[other], after=lanes_after[name])
        for name, other in names.items()
    ]
    family = _open_family(matched, draws=TaskDraws(seed=seed, draws=draws))
    same = find_unchanged_catalogs(before.facts, after.facts)
    return SessionComparison(
        name_before=before.name,
        name_after=after.name,
        seed=seed,
        draws=draws,
        lanes=tuple(
            _describe_change(lane, family, same_catalog=lane.name.catalog in same) for lane in matched
        ),
        only_before=tuple(name for name in lanes_before if name not in names.values()),
        only_after=tuple(name for name in lanes_after if name not in names),
        facts=tuple(list_fact_changes(before.facts, after.facts)),
    )


def _select_lanes(measured: Measured, setups: Collection[str]) -> Lanes:
    lanes = collect_lanes(measured)
    chosen = {name: side for name, side in lanes.items() if not setups or name.setup in setups}
    if not chosen:
        has = describe_lanes(lanes)
        raise ReportError(f"{measured.name}: no runs of {' or '.join(setups) or 'any setup'}; it has {has}")
    return chosen


@dataclass(frozen=True, kw_only=True)
class _Family:
    """What the lanes of a comparison share: p-values adjusted for each other, and resamples of tasks."""

    p_values: Mapping[LaneName, float]
    adjusted: Mapping[LaneName, float]
    draws: TaskDraws

    @property
    def tests(self) -> int:
        """How many tests are made at once."""
        return max(1, len(self.p_values))


def _open_family(lanes: Sequence[MatchedLane], *, draws: TaskDraws) -> _Family:
    p_values = {lane.name: _compute_p(lane) for lane in lanes if lane.tasks}
    adjusted = dict(zip(p_values, adjust_holm(list(p_values.values())), strict=True))
    return _Family(p_values=p_values, adjusted=adjusted, draws=draws)


def _compute_p(lane: MatchedLane) -> float:
    if lane.pairs is None:
        before, after = (tabulate_tallies(side.tallies) for side in (lane.before, lane.after))
        return compute_exact_p(after, before=before)
    return compute_mcnemar_p(
        setup_only=int(lane.pairs.setup_only.sum()), reference_only=int(lane.pairs.reference_only.sum())
    )


def _describe_change(lane: MatchedLane, family: _Family, *, same_catalog: bool) -> LaneChange:
    difference = _estimate_difference(lane, family.draws)
    p_value_holm = _make_figure(family.adjusted.get(lane.name))
    changes = sorted(_list_task_changes(lane), key=_measure_shift)
    return LaneChange(
        lane=lane.name,
        model_name_before=lane.model_name_before,
        paired=lane.pairs is not None,
        tasks=lane.tasks,
        tasks_checked=lane.pairs is not None or same_catalog,
        before=_describe_side(lane.before),
        after=_describe_side(lane.after),
        left_out=lane.left_out,
        difference=difference,
        p_value=_make_figure(family.p_values.get(lane.name)),
        p_value_holm=p_value_holm,
        detectable_difference=_find_detectable(lane, family.tests),
        tokens_growth=_estimate_growth(lane, family, lambda tally: tally.tokens),
        cost_growth=_estimate_growth(lane, family, lambda tally: tally.cost_usd),
        worse=tuple(change for change in changes if _measure_shift(change) < 0),
        better=tuple(change for change in reversed(changes) if _measure_shift(change) > 0),
        setup_changed=lane.setup_changed,
        verdict=_decide_verdict(difference, p_value_holm),
    )


def _make_figure(p_value: float | None) -> Figure:
    return Figure(value=p_value, reason=_NOTHING_SHARED if p_value is None else None)


# --- the pass rate ----------------------------------------------------------------------------------------


def _estimate_difference(lane: MatchedLane, draws: TaskDraws) -> Estimate:
    if not lane.tasks:
        return Estimate(value=None, ci95=None, reason=_NOTHING_SHARED)
    if lane.pairs is not None:
        return estimate_difference(lane.pairs, draws=draws)
    before, after = (tabulate_tallies(side.tallies) for side in (lane.before, lane.after))
    return estimate_change(after, before=before, draws=draws)


def _find_detectable(lane: MatchedLane, tests: int) -> Figure:
    if lane.pairs is not None:
        return find_detectable_by_pairs(lane.pairs, tests=tests)
    before, after = (tabulate_tallies(side.tallies) for side in (lane.before, lane.after))
    return find_detectable_change(after, before=before, tests=tests)


def _decide_verdict(difference: Estimate, p_value_holm: Figure) -> ChangeVerdict:
    if difference.value is None or p_value_holm.value is None:
        return ChangeVerdict.NOT_COMPARED
    holds_zero = difference.ci95 is not None and difference.ci95[0] <= 0 <= difference.ci95[1]
    if p_value_holm.value >= LEVEL or holds_zero or difference.value == 0:
        return ChangeVerdict.NO_SIGNIFICANT_CHANGE
    return ChangeVerdict.DROPPED if difference.value < 0 else ChangeVerdict.ROSE


def _list_task_changes(lane: MatchedLane) -> Iterator[TaskChange]:
    for before, after in zip(lane.before.tallies, lane.after.tallies, strict=True):
        yield TaskChange(
            task=after.task,
            passes_before=before.passes,
            runs_before=before.runs,
            passes_after=after.passes,
            runs_after=after.runs,
        )


def _measure_shift(change: TaskChange) -> float:
    """The task's pass rate after minus before."""
    return change.passes_after / change.runs_after - change.passes_before / change.runs_before


# --- what it took -----------------------------------------------------------------------------------------


def _estimate_growth(lane: MatchedLane, family: _Family, amount: Amount) -> Estimate:
    before, after = (tabulate_use(side.tallies, amount) for side in (lane.before, lane.after))
    if not lane.tasks or before is None or after is None:
        reason = "unknown for some of the runs" if lane.tasks else _NOTHING_SHARED
        return Estimate(value=None, ci95=None, reason=reason)
    return estimate_growth(after, before=before, draws=family.draws, level=LEVEL / family.tests)


def _describe_side(side: ComparedSide) -> Side:
    runs, passes = (sum(getattr(tally, name) for tally in side.tallies) for name in ("runs", "passes"))
    return Side(
        planned=side.counts.planned,
        excluded=side.counts.excluded,
        runs=runs,
        passes=passes,
        pass_rate=divide(passes, runs),
        pass_rate_ci95=wilson_interval(passes, runs),
        tokens_per_success=divide_use(
            side.tallies, lambda tally: tally.tokens, by=lambda tally: tally.passes
        ),
        cost_usd_per_success=divide_use(
            side.tallies, lambda tally: tally.cost_usd, by=lambda tally: tally.passes
        ),
        calls_per_run=divide_use(side.tallies, lambda tally: tally.calls, by=lambda tally: tally.runs),
        duration_s_p50=side.duration_s_p50,
        agent_versions=side.agent_versions,
    )
