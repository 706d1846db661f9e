"""Compares two sessions lane by lane: every number that says something got better or worse.

A lane's test holds its tasks fixed: did these very tasks change, beyond what repeating them does by chance?
Its interval resamples the tasks: how much would tasks like these change? A change is called one when both
agree. All lanes of a comparison are one family of tests, adjusted together by Holm's method.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from pytest_searchlight.comparison.facts import list_fact_changes
from pytest_searchlight.comparison.lanes import Lanes, collect_lanes, match_lanes
from pytest_searchlight.comparison.matching import ComparedSide, MatchedLane, match_lane
from pytest_searchlight.comparison.records import (
    LaneChange,
    SessionComparison,
    Side,
    TaskChange,
    Verdict,
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
        raise ReportError(_explain_nothing_shared(lanes_before, lanes_after, setups=setups))
    matched = [
        match_lane(name, name_before=other, before=lanes_before[other], after=lanes_after[name])
        for name, other in names.items()
    ]
    return SessionComparison(
        name_before=before.name,
        name_after=after.name,
        seed=seed,
        draws=draws,
        lanes=tuple(_compare_family(matched, TaskDraws(seed=seed, draws=draws))),
        only_before=tuple(name for name in lanes_before if name not in names.values()),
        only_after=tuple(name for name in lanes_after if name not in names),
        facts=tuple(list_fact_changes(before.facts, after.facts)),
    )


def _select_lanes(measured: Measured, setups: Collection[str]) -> Lanes:
    lanes = collect_lanes(measured)
    return {name: side for name, side in lanes.items() if not setups or name.setup in setups}


def _explain_nothing_shared(before: Lanes, after: Lanes, *, setups: Collection[str]) -> str:
    wanted = f" with {' or '.join(setups)}" if setups else ""
    there, here = ("; ".join(name.describe() for name in lanes) or "none" for lanes in (before, after))
    return (
        f"the two sessions share no catalog, agent, model and setup{wanted}. Before: {there}. After: {here}"
    )


def _compare_family(lanes: Sequence[MatchedLane], draws: TaskDraws) -> Iterator[LaneChange]:
    p_values = {lane.name: _compute_p(lane) for lane in lanes if lane.tasks}
    adjusted = dict(zip(p_values, adjust_holm(list(p_values.values())), strict=True))
    for lane in lanes:
        p_value, p_value_holm = (_make_figure(each.get(lane.name)) for each in (p_values, adjusted))
        yield _describe_change(
            lane, p_value=p_value, p_value_holm=p_value_holm, tests=max(1, len(p_values)), draws=draws
        )


def _make_figure(p_value: float | None) -> Figure:
    return Figure(value=p_value, reason=_NOTHING_SHARED if p_value is None else None)


def _compute_p(lane: MatchedLane) -> float:
    if lane.pairs is None:
        before, after = (tabulate_tallies(side.tallies) for side in (lane.before, lane.after))
        return compute_exact_p(after, before=before)
    return compute_mcnemar_p(
        setup_only=int(lane.pairs.setup_only.sum()), reference_only=int(lane.pairs.reference_only.sum())
    )


def _describe_change(
    lane: MatchedLane, *, p_value: Figure, p_value_holm: Figure, tests: int, draws: TaskDraws
) -> LaneChange:
    difference = _estimate_difference(lane, draws)
    changes = list(_list_task_changes(lane))
    return LaneChange(
        lane=lane.name,
        model_name_before=lane.model_name_before,
        paired=lane.pairs is not None,
        tasks=lane.tasks,
        before=_describe_side(lane.before),
        after=_describe_side(lane.after),
        left_out=lane.left_out,
        difference=difference,
        p_value=p_value,
        p_value_holm=p_value_holm,
        detectable_difference=_find_detectable(lane, tests),
        tokens_growth=_estimate_growth(lane, lambda tally: tally.tokens, tests=tests, draws=draws),
        cost_growth=_estimate_growth(lane, lambda tally: tally.cost_usd, tests=tests, draws=draws),
        newly_failing=tuple(change for change in changes if _measure_shift(change) < 0),
        newly_passing=tuple(change for change in changes if _measure_shift(change) > 0),
        setup_changed=lane.setup_changed,
        verdict=_decide_verdict(difference, p_value_holm),
    )


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


def _decide_verdict(difference: Estimate, p_value_holm: Figure) -> Verdict:
    if difference.value is None or p_value_holm.value is None:
        return Verdict.NOT_COMPARED
    holds_zero = difference.ci95 is not None and difference.ci95[0] <= 0 <= difference.ci95[1]
    if p_value_holm.value >= LEVEL or holds_zero or difference.value == 0:
        return Verdict.NO_SIGNIFICANT_CHANGE
    return Verdict.DROPPED if difference.value < 0 else Verdict.ROSE


def _list_task_changes(lane: MatchedLane) -> Iterator[TaskChange]:
    for before, after in zip(lane.before.tallies, lane.after.tallies, strict=True):
        yield TaskChange(
            task=after.task,
            passes_before=before.passes,
            runs_before=before.runs,
            passes_after=after.passes,
            runs_after=after.runs,
        )


def _measure_shift(change: TaskChange) -> int:
    """Above 0 when a larger share of the task's runs passes than before, below 0 when a smaller one does."""
    return change.passes_after * change.runs_before - change.passes_before * change.runs_after


# --- what it took -----------------------------------------------------------------------------------------


def _estimate_growth(lane: MatchedLane, amount: Amount, *, tests: int, draws: TaskDraws) -> Estimate:
    before, after = (tabulate_use(side.tallies, amount) for side in (lane.before, lane.after))
    if not lane.tasks or before is None or after is None:
        reason = "unknown for some of the runs" if lane.tasks else _NOTHING_SHARED
        return Estimate(value=None, ci95=None, reason=reason)
    return estimate_growth(after, before=before, draws=draws, level=LEVEL / tests)


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
