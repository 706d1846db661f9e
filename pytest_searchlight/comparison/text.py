"""A comparison for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_searchlight.comparison.records import LaneChange, SessionComparison
from pytest_searchlight.comparison.wording import (
    count_verdicts,
    describe_basis,
    describe_exclusions,
    describe_facts,
    describe_left_out,
    describe_use,
    describe_verdict,
    describe_versions,
    format_rate,
    list_tasks,
)
from pytest_searchlight.reporting.texts import clean_text


def render_text(comparison: SessionComparison) -> Iterator[str]:
    """The comparison, a line after the other, without line ends."""
    yield from map(clean_text, _list_lines(comparison))


def _list_lines(comparison: SessionComparison) -> Iterator[str]:
    yield f"{comparison.name_before} -> {comparison.name_after}: {count_verdicts(comparison)}"
    for change in comparison.lanes:
        yield ""
        yield change.lane.describe()
        yield from (f"  {name:<16} {line}" for name, line in _describe_lane(change))
    yield from _describe_rest(comparison)


def _describe_lane(change: LaneChange) -> Iterator[tuple[str, str]]:
    rates = f"{format_rate(change.before)} -> {format_rate(change.after)}"
    yield "passes", f"{rates}: {describe_verdict(change)}"
    yield "compared", describe_basis(change)
    yield from (("left out", line) for line in describe_left_out(change.left_out))
    yield from (("not counted", line) for line in describe_exclusions(change))
    if change.worse:
        yield "worse", list_tasks(change.worse)
    if change.better:
        yield "better", list_tasks(change.better)
    if change.tasks:
        yield from ((name.replace(" per ", "/"), line) for name, line in describe_use(change))
    yield from (("differs", line) for line in describe_versions(change))


def _describe_rest(comparison: SessionComparison) -> Iterator[str]:
    rest = [
        *(f"differs: {line}" for line in describe_facts(comparison)),
        *(f"only before: {name.describe()}" for name in comparison.only_before),
        *(f"only after: {name.describe()}" for name in comparison.only_after),
    ]
    yield from ["", *rest] if rest else []


def render_lines(comparison: SessionComparison) -> Iterator[str]:
    """A line a lane, for the end of a session."""
    for change in comparison.lanes:
        rates = f"{format_rate(change.before)} -> {format_rate(change.after)}"
        yield clean_text(f"{change.lane.describe()}: {rates}, {describe_verdict(change)}")
    yield from (clean_text(f"differs: {line}") for line in describe_facts(comparison))
