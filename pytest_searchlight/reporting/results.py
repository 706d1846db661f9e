"""What is told when a session has ended: the table, comparisons, calibration, exclusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_searchlight.calibration import CalibrationRecord, Recalibration, explain_rejection
from pytest_searchlight.domain import name_agent
from pytest_searchlight.reporting.texts import UNKNOWN, format_usd
from pytest_searchlight.stats.figures import Comparison, Comparisons, Estimate
from pytest_searchlight.summary_schema import Counts, ResultRow, Summary

_HEADERS: Final = (
    "setup",
    "agent",
    "passes",
    "95 % interval",
    "with answer",
    "coverage",
    "tokens",
    "cost",
    "calls",
)


def render_table(summary: Summary) -> Iterator[str]:
    """The results by catalog, agent and setup as aligned lines; dashes stand for what is not known."""
    for catalog in dict.fromkeys(row.catalog for row in summary.results):
        rows = [_render_row(row) for row in summary.results if row.catalog == catalog]
        yield from _align([(f"{catalog}: setup", *_HEADERS[1:]), *rows])
    yield from (_describe_flagged(row) for row in summary.results if row.scan.flagged)
    yield from (_describe_judging(row) for row in summary.results if row.judging.tokens != 0)
    options = summary.session.get("options")
    if isinstance(options, dict) and options.get("uncalibrated"):
        yield "--searchlight-uncalibrated: tasks count here whether or not a calibration admits them"


def _render_row(row: ResultRow) -> tuple[str, ...]:
    interval = row.pass_rate_ci95
    return (
        row.setup,
        name_agent(row.agent, row.model_name),
        f"{row.passes}/{row.graded}",
        UNKNOWN if interval is None else f"{100 * interval[0]:.0f}-{100 * interval[1]:.0f} %",
        f"{row.answerable.passes}/{row.answerable.graded}",
        f"{row.graded}/{row.planned}",
        _format_number(row.tokens.total, "{:,.0f}"),
        UNKNOWN if row.cost_usd.total is None else format_usd(row.cost_usd.total),
        _format_number(row.provider_calls.total, "{:,.0f}"),
    )


def _describe_judging(row: ResultRow) -> str:
    tokens, cost_usd = row.judging.tokens, row.judging.cost_usd
    used = "an unknown number of tokens" if tokens is None else f"{tokens:,} tokens"
    cost = "at an unknown cost" if cost_usd is None else f"for {format_usd(cost_usd)}"
    who = f"{row.catalog}, {name_agent(row.agent, row.model_name)}"
    return (
        f"{who}: judging {row.setup} (briefs: {row.judging.judged_runs}) took "
        f"{used} {cost}, which no column above holds"
    )


def _describe_flagged(row: ResultRow) -> str:
    who, rest = f"{row.catalog}, {name_agent(row.agent, row.model_name)}", row.scan.without_flagged
    return (
        f"{who}: {row.setup} has runs that were shown task texts, answers or benchmark "
        f"pages: {row.scan.flagged} (sew habits lists them); without them {rest.passes}/{rest.graded} pass"
    )


def _format_number(value: float | None, pattern: str) -> str:
    return UNKNOWN if value is None else pattern.format(value)


def _align(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        first, *rest = (
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([first, *rest]).rstrip()


def render_comparisons(comparisons: Comparisons) -> Iterator[str]:
    """A line for each comparison that means something: difference, interval, test, what could be shown."""
    for lane in comparisons.lanes:
        for setup in lane.setups:
            who = f"{lane.catalog}, {name_agent(lane.agent, lane.model_name)}: {setup.setup}"
            closure = setup.gap_closure
            if closure.value is not None:
                yield f"{who} closes {closure.value:.2f} of the gap{_format_interval(closure)}"
            for comparison in setup.comparisons:
                yield f"{who} against {comparison.reference}: {_describe_comparison(comparison)}"


def _describe_comparison(comparison: Comparison) -> str:
    if comparison.difference.value is None:
        return f"{UNKNOWN} ({comparison.difference.reason})"
    difference = f"{100 * comparison.difference.value:+.0f} points"
    parts = [difference + _format_interval(comparison.difference, scale=100)]
    p_value, detectable = comparison.mcnemar.p_value_holm, comparison.resolution.detectable_difference
    if p_value.value is not None:
        parts.append(f"p = {p_value.value:.2g} (Holm)")
    if detectable.value is not None:
        parts.append(f"{100 * detectable.value:.0f} points could be detected")
    return ", ".join(parts)


def _format_interval(estimate: Estimate, *, scale: float = 1.0) -> str:
    if estimate.ci95 is None:
        return " (no interval)"
    low, high = (f"{scale * end:+.0f}" if scale > 1 else f"{end:.2f}" for end in estimate.ci95)
    return f" (95 %: {low} to {high})"


def describe_calibration(calibrated: Recalibration) -> Iterator[str]:
    """How many tasks of each catalog are admitted for each agent and model, and why others are not."""
    places: dict[str, list[CalibrationRecord]] = {}
    for record in calibrated.standing:
        place = f"{record.catalog}, {name_agent(record.agent, record.model_name)}"
        places.setdefault(place, []).append(record)
    for place, tasks in places.items():
        yield f"{place}: {sum(task.admitted for task in tasks)} of {len(tasks)} tasks admitted"
        yield from (f"  {reason}" for task in tasks if (reason := explain_rejection(task)))
        for task in tasks:
            if task in calibrated.kept:
                yield f"  task {task.task!r}: too few runs were measured now; its earlier calibration stays"


def describe_exclusions(counts: Counts) -> str | None:
    """What was planned and does not count, by status, or None when everything counts."""
    excluded = [f"{count} {status}" for status, count in counts.excluded.items() if count]
    return f"not counted: {', '.join(excluded)} (of {counts.planned} planned)" if excluded else None
