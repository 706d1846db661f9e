"""Habits as lines for people; a dash stands for what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_searchlight.searching.lanes import LaneHabits, SessionHabits
from pytest_searchlight.summary_schema import Rate

_UNKNOWN: Final = "-"


def describe_habits(habits: SessionHabits) -> Iterator[str]:
    """A paragraph a lane, then a line for each flagged run."""
    for lane in habits.lanes:
        agent = f"{lane.agent} {lane.model_name}" if lane.model_name else lane.agent
        yield f"{lane.catalog}: {lane.setup} with {agent} (runs: {lane.runs}, left out: {lane.left_out})"
        yield from (f"  {line}" for line in _describe_lane(lane))
    for run in habits.flagged_runs:
        for sign in run.signs:
            yield f"flagged: {run.run_id}: call {sign.call} holds {sign.kind}: {sign.found}"


def _describe_lane(lane: LaneHabits) -> Iterator[str]:
    queries, access, scan = lane.queries, lane.access, lane.scan
    yield (
        f"queries: {_show(queries.per_run)} a run, {_show(queries.words_per_query)} words each; "
        f"natural language {_show_share(queries.natural_language_share)}, "
        f"site: {_show_share(queries.site_share)}, "
        f"quotes {_show_share(queries.quoted_share)}, year {_show_share(queries.year_share)}"
    )
    yield (
        f"runs: {lane.searching_runs} searched, {lane.fetch_only_runs} fetched only; "
        f"{_show(lane.fetches_per_run)} fetches and {_show(lane.reformulations_per_run)} reformulations "
        f"a run, {lane.refused_calls} refused calls"
    )
    yield (
        f"results: {_show_share(lane.empty_search_share)} of {lane.told_searches} searches found nothing; "
        f"{_show(lane.shown_chars_per_run)} characters shown a run, "
        f"{_show_share(lane.provider_share)} of the time spent waiting for the provider"
    )
    yield (
        f"passes by primary source: fetched {_show_rate(access.fetched)}, "
        f"surfaced {_show_rate(access.surfaced)}, remembered {_show_rate(access.remembered)}, "
        f"unknown {_show_rate(access.unknown)}"
    )
    yield (
        f"passes: {_show_rate(scan.with_flagged)}, without {scan.flagged} flagged runs "
        f"{_show_rate(scan.without_flagged)} ({scan.unscanned} runs not scanned)"
    )


def _show(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:,.1f}"


def _show_share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{100 * value:.0f} %"


def _show_rate(rate: Rate) -> str:
    return f"{rate.passes}/{rate.graded}"
