"""What a comparison says, in words that terminal and Markdown share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.comparison.records import (
    ChangeVerdict,
    LaneChange,
    LeftOut,
    SessionComparison,
    Side,
    TaskChange,
)
from pytest_searchlight.reporting.texts import UNKNOWN
from pytest_searchlight.stats.figures import Estimate, Interval

_MOST_NAMED: Final = 12
_HASH_SHOWN: Final = 12


def describe_verdict(change: LaneChange) -> str:
    """What became of the pass rate, how sure that is, and what could have been seen."""
    difference, p_value = change.difference, change.p_value_holm.value
    if difference.value is None or p_value is None:
        return f"not compared: {difference.reason or change.p_value_holm.reason}"
    if change.verdict is ChangeVerdict.NO_SIGNIFICANT_CHANGE:
        seen = f"{_format_points(difference.value)} points, {describe_interval(difference)}"
        return f"no significant change ({seen}; {describe_detectable(change)})"
    verb = "dropped" if change.verdict is ChangeVerdict.DROPPED else "rose"
    points = f"{100 * abs(difference.value):.0f} points"
    return f"{verb} by {points} ({describe_interval(difference)}, p = {p_value:.2g} Holm)"


def describe_detectable(change: LaneChange) -> str:
    """How small a change this size could show."""
    detectable = change.detectable_difference
    if detectable.value is None:
        return f"could not have detected any: {detectable.reason}"
    return f"could have detected {100 * detectable.value:.0f} points"


def _format_points(value: float) -> str:
    return f"{100 * value:+.0f}"


def describe_interval(estimate: Estimate) -> str:
    """The interval, in points or percent."""
    return "no interval" if estimate.ci95 is None else f"95 %: {format_ends(estimate.ci95)}"


def format_ends(interval: Interval) -> str:
    """The ends of an interval, in points or percent."""
    low, high = map(_format_points, interval)
    return f"{low} to {high}"


def format_rate(side: Side) -> str:
    """Passes, runs and the rate, such as ``6/22 (27 %)``."""
    share = UNKNOWN if side.pass_rate is None else f"{100 * side.pass_rate:.0f} %"
    return f"{side.passes}/{side.runs} ({share})"


def format_growth(growth: Estimate) -> str:
    """The growth of a use for each success, such as ``+17 % (95 %: +3 to +30)``."""
    if growth.value is None:
        return UNKNOWN
    return f"{_format_points(growth.value)} % ({describe_interval(growth)})"


def format_number(value: float | None, pattern: str) -> str:
    """`value` by `pattern`, a dash when it is unknown."""
    return UNKNOWN if value is None else pattern.format(value)


def describe_use(change: LaneChange) -> Iterator[tuple[str, str]]:
    """What a lane took before and after, as name and line."""
    before, after = change.before, change.after

    def tell(pattern: str, earlier: float | None, later: float | None) -> str:
        return f"{format_number(earlier, pattern)} -> {format_number(later, pattern)}"

    tokens = tell("{:,.0f}", before.tokens_per_success, after.tokens_per_success)
    cost = tell("${:.4f}", before.cost_usd_per_success, after.cost_usd_per_success)
    yield "tokens per success", tokens + _append_growth(change.tokens_growth)
    yield "cost per success", cost + _append_growth(change.cost_growth)
    yield "calls per run", tell("{:.1f}", before.calls_per_run, after.calls_per_run)
    yield "median duration", tell("{:.1f} s", before.duration_s_p50, after.duration_s_p50)


def _append_growth(growth: Estimate) -> str:
    return "" if growth.value is None else f", {format_growth(growth)}"


def list_tasks(changes: Sequence[TaskChange]) -> str:
    """Tasks with their passes before and after; of many the first ones and how many more."""
    return _list_first([_describe_task(change) for change in changes])


def _describe_task(change: TaskChange) -> str:
    before = f"{change.passes_before}/{change.runs_before}"
    return f"{change.task} {before} -> {change.passes_after}/{change.runs_after}"


def _list_first(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])])


def describe_left_out(left_out: LeftOut) -> Iterator[str]:
    """What is not compared of a lane, a sentence each."""
    if left_out.changed_tasks:
        yield _count_tasks(left_out.changed_tasks, "ask or expect something else than before")
    if left_out.tasks_only_before:
        yield _count_tasks(left_out.tasks_only_before, "only before")
    if left_out.tasks_only_after:
        yield _count_tasks(left_out.tasks_only_after, "only after")
    if left_out.unmatched_runs:
        yield f"{left_out.unmatched_runs} run(s) without a counterpart"


def _count_tasks(tasks: Sequence[str], what: str) -> str:
    return f"{len(tasks)} task(s) {what}: {_list_first(tasks)}"


def describe_exclusions(change: LaneChange) -> Iterator[str]:
    """What was planned and is in no rate, for each side on which there is any."""
    for when, side in (("before", change.before), ("after", change.after)):
        counts = [f"{count} {status}" for status, count in side.excluded.items() if count]
        if counts:
            yield f"{when} {', '.join(counts)} of {side.planned} planned"


def describe_versions(change: LaneChange) -> Iterator[str]:
    """What else differs in a lane, so that a change need not be the search's doing."""
    if change.model_name_before != change.lane.model_name:
        yield f"model {change.model_name_before or UNKNOWN} -> {change.lane.model_name or UNKNOWN}"
    before, after = (", ".join(side.agent_versions) for side in (change.before, change.after))
    if before != after and before and after:
        yield f"{change.lane.agent} {before} -> {after}"
    if change.setup_changed:
        yield f"what {change.lane.setup} offers (its server, tools or pages), or the words around its tasks"


def describe_facts(comparison: SessionComparison) -> Iterator[str]:
    """What differs between the sessions as a whole."""
    for fact in comparison.facts:
        yield f"{fact.what} {_show_fact(fact.before)} -> {_show_fact(fact.after)}"


def _show_fact(value: JsonValue) -> str:
    """The fact; hashes are cut, since only their being other ones matters."""
    if isinstance(value, dict):
        parts = (f"{name} {_show_fact(part)}" for name, part in value.items() if part is not None)
        return ", ".join(parts) or UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)[:_HASH_SHOWN]


def describe_basis(change: LaneChange) -> str:
    """What was held against what."""
    if change.paired:
        return f"{change.after.runs} pairs of runs over {change.tasks} task(s)"
    unknown = "" if change.tasks_checked else "; whether they ask and expect the same as before is not known"
    return (
        f"unpaired: {change.before.runs} and {change.after.runs} runs, by task over {change.tasks} "
        f"task(s){unknown}"
    )


def count_verdicts(comparison: SessionComparison) -> str:
    """The comparison as a headline, such as ``1 of 4 lanes dropped``."""
    total = len(comparison.lanes)
    verdicts = [change.verdict for change in comparison.lanes]
    told = [
        f"{verdicts.count(verdict)} of {total} {word}"
        for verdict, word in (
            (ChangeVerdict.DROPPED, "dropped"),
            (ChangeVerdict.ROSE, "rose"),
            (ChangeVerdict.NOT_COMPARED, "could not be compared"),
        )
        if verdict in verdicts
    ]
    return ", ".join(told) or f"no significant change in {total} lane(s)"
