"""What pytest is told about a run: junit properties, failure texts, the progress line and the final table.

One odd string can end a whole xdist session, so everything that reaches a report passes `clean_text`.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from pytest_searchlight.calibration import CalibrationRecord, Recalibration, explain_rejection
from pytest_searchlight.domain import STATUS_RULES, CheckOutcome, RunRecord, RunStatus, Score
from pytest_searchlight.stats.figures import Comparison, Comparisons, Estimate
from pytest_searchlight.summary_schema import Counts, ResultRow, Summary

_LONGEST_TEXT: Final = 4096
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
UNKNOWN: Final = "-"
_PROGRESS_EVERY_S: Final = 5.0


def clean_text(value: object) -> str:
    """Plain printable text of at most 4 kB, safe for reports, xdist and XML."""
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    text = _CONTROL.sub("�", text)
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def list_properties(record: RunRecord) -> list[tuple[str, str]]:
    """The run's facts as junit properties; what is unknown is a dash."""
    properties = {
        "setup": record.setup,
        "agent": record.agent,
        "model": record.model_name,
        "repetition": record.repetition,
        "status": record.status,
        "tokens": record.usage.total_tokens,
        "cost": record.cost.total_usd,
        "calls": record.provider_calls,
    }
    return [(name, UNKNOWN if value is None else clean_text(value)) for name, value in properties.items()]


def explain_failure(record: RunRecord, score: Score, *, evidence: str) -> str:
    """Why a run failed, for a person: status, each check that did not pass, where the evidence is."""
    lines = [f"{record.status}: {record.reason}" if record.status is not RunStatus.GRADED else "wrong answer"]
    lines += [
        f"  {verdict.outcome:<8} {verdict.kind} {verdict.target}: {verdict.reason}"
        for verdict in score.verdicts
        if verdict.outcome is not CheckOutcome.PASS
    ]
    return clean_text("\n".join([*lines, f"evidence: {evidence}"]))


# --- progress --------------------------------------------------------------------------------------------


class PhaseReport(Protocol):
    """What progress needs of pytest's report on one phase of an item."""

    nodeid: str
    user_properties: list[tuple[str, object]]

    @property
    def when(self) -> str | None:
        """``setup``, ``call`` or ``teardown``."""

    @property
    def outcome(self) -> str:
        """``passed``, ``failed`` or ``skipped``."""


@dataclass
class Progress:
    """Counts finished runs as their reports arrive; works from reports alone, so also under xdist.

    Attributes:
        planned: runs in this session, None until collection is done.
        started_s: `time.monotonic()` at the start of running.
    """

    planned: int | None = None
    started_s: float = field(default_factory=time.monotonic)
    done: int = 0
    passes: Counter[str] = field(default_factory=Counter)
    graded: Counter[str] = field(default_factory=Counter)
    cost_usd: float = 0.0
    calls: int = 0
    _called: dict[str, str] = field(default_factory=dict)
    _shown_at_s: float = field(default_factory=time.monotonic)

    def add(self, report: PhaseReport) -> bool:
        """Take in one phase's report. True when a run has ended with it."""
        if report.when == "call":
            self._called[report.nodeid] = report.outcome
        properties = {name: str(value) for name, value in report.user_properties}
        if report.when != "teardown" or "status" not in properties:
            return False
        self._count(properties, passed=self._called.pop(report.nodeid, "") == "passed")
        return True

    def _count(self, properties: Mapping[str, str], *, passed: bool) -> None:
        self.done += 1
        if STATUS_RULES[RunStatus(properties["status"])].counts:
            self.graded[properties["setup"]] += 1
            self.passes[properties["setup"]] += passed
        self.cost_usd += _read_number(properties["cost"])
        self.calls += int(_read_number(properties["calls"]))

    def is_due(self) -> bool:
        """Whether it is time for another progress line; asking starts the next interval."""
        now = time.monotonic()
        due = self.done != self.planned and now - self._shown_at_s >= _PROGRESS_EVERY_S
        if due:
            self._shown_at_s = now
        return due

    def describe(self) -> str:
        """One line: done / total, passes by setup, spend, estimated time left."""
        setups = " ".join(f"{name} {self.passes[name]}/{self.graded[name]}" for name in sorted(self.graded))
        parts = [
            f"{self.done}/{self.planned or '?'} done",
            setups,
            f"${self.cost_usd:.2f}",
            f"{self.calls} calls",
        ]
        left = self._estimate_left_s()
        if left is not None:
            parts.append(f"{format_duration(left)} left")
        return " · ".join(part for part in parts if part)

    def _estimate_left_s(self) -> float | None:
        if not self.done or not self.planned:
            return None
        return (time.monotonic() - self.started_s) / self.done * (self.planned - self.done)


def _read_number(text: str) -> float:
    return 0.0 if text == UNKNOWN else float(text)


def format_duration(seconds: float) -> str:
    """``m:ss``, or ``h:mm:ss`` from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# --- the table at the end --------------------------------------------------------------------------------

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
        f"{row.agent} {row.model_name}" if row.model_name else row.agent,
        f"{row.passes}/{row.graded}",
        UNKNOWN if interval is None else f"{100 * interval[0]:.0f}-{100 * interval[1]:.0f} %",
        f"{row.answerable.passes}/{row.answerable.graded}",
        f"{row.graded}/{row.planned}",
        _format_number(row.tokens.total, "{:,.0f}"),
        _format_number(row.cost_usd.total, "${:.2f}"),
        _format_number(row.provider_calls.total, "{:,.0f}"),
    )


def _describe_judging(row: ResultRow) -> str:
    tokens, cost_usd = row.judging.tokens, row.judging.cost_usd
    used = "an unknown number of tokens" if tokens is None else f"{tokens:,} tokens"
    cost = "at an unknown cost" if cost_usd is None else f"for ${cost_usd:.2f}"
    return (
        f"{row.catalog}, {row.agent}: judging {row.setup} (briefs: {row.judging.judged_runs}) took "
        f"{used} {cost}, which no column above holds"
    )


def _describe_flagged(row: ResultRow) -> str:
    rest = row.scan.without_flagged
    return (
        f"{row.catalog}, {row.agent}: {row.setup} has runs that were shown task texts, answers or benchmark "
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
            who = f"{lane.catalog}, {lane.agent}: {setup.setup}"
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
        place = f"{record.catalog}, {record.agent} {record.model_name or ''}".rstrip()
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
