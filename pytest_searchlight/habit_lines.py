"""How the agents of a session searched, for people: from its rows, and from the evidence of flagged runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import ValidationError

from pytest_searchlight.domain import Record, name_agent
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SealedBundle, SessionFolder, read_bundle
from pytest_searchlight.grading import SIGNS_FILE
from pytest_searchlight.run_rows import read_records
from pytest_searchlight.searching import FoundSign
from pytest_searchlight.summary import measure_lanes
from pytest_searchlight.summary_schema import Rate, ResultRow

_UNKNOWN: Final = "-"


class FlaggedRun(Record):
    """A run whose tool results hold what a benchmark must not hand out."""

    run_id: str
    signs: tuple[FoundSign, ...]


class SessionHabits(Record):
    """The result rows of a session, which tell how it searched, and what flagged runs were shown."""

    schema_version: Literal[1] = 1
    lanes: tuple[ResultRow, ...]
    flagged_runs: tuple[FlaggedRun, ...]


def read_habits(session: SessionFolder) -> SessionHabits:
    """The habits of a session. Raises EvidenceError when its plan or a bundle cannot be read."""
    records = read_records(session)
    flagged = (record.run_id for record in records if record.signs)
    return SessionHabits(
        lanes=measure_lanes(records),
        flagged_runs=tuple(
            FlaggedRun(run_id=run_id, signs=_read_signs(read_bundle(session.runs / run_id)))
            for run_id in flagged
        ),
    )


def _read_signs(bundle: SealedBundle) -> tuple[FoundSign, ...]:
    try:
        return tuple(map(FoundSign.model_validate, bundle.read_json_lines(SIGNS_FILE)))
    except ValidationError as error:
        raise EvidenceError(f"{bundle.folder}/{SIGNS_FILE}: cannot be read ({error})") from error


def describe_habits(habits: SessionHabits) -> Iterator[str]:
    """A paragraph a lane, then a line for each sign of a flagged run."""
    for lane in habits.lanes:
        agent = name_agent(lane.agent, lane.model_name)
        left_out = lane.planned - lane.searching.runs
        yield f"{lane.catalog}: {lane.setup} with {agent} (runs: {lane.searching.runs}, left out: {left_out})"
        yield from (f"  {line}" for line in _describe_lane(lane))
    for run in habits.flagged_runs:
        for sign in run.signs:
            yield f"flagged: {run.run_id}: call {sign.call} holds {sign.kind}: {sign.found}"


def _describe_lane(lane: ResultRow) -> Iterator[str]:
    habits, access, scan = lane.searching, lane.by_access, lane.scan
    queries = habits.queries
    yield (
        f"queries: {_show(queries.per_run)} a run, {_show(queries.words_per_query)} words each; "
        f"natural language {_show_share(queries.natural_language_share)}, "
        f"site: {_show_share(queries.site_share)}, "
        f"quotes {_show_share(queries.quoted_share)}, year {_show_share(queries.year_share)}"
    )
    yield (
        f"runs: {habits.searching_runs} searched, {habits.fetch_only_runs} fetched only; "
        f"{_show(habits.fetches_per_run)} fetches and {_show(habits.reformulations_per_run)} reformulations "
        f"a run, {habits.refused_calls} refused calls"
    )
    yield (
        f"results: {_show_share(habits.empty_search_share)} of {habits.told_searches} searches found "
        f"nothing; {_show(habits.shown_chars_per_run)} characters shown a run, "
        f"{_show_share(habits.provider_share)} of the time spent waiting for the provider"
    )
    yield (
        f"passes by primary source: fetched {_show_rate(access.fetched)}, "
        f"surfaced {_show_rate(access.surfaced)}, remembered {_show_rate(access.remembered)}, "
        f"unknown {_show_rate(access.unknown)}"
    )
    yield (
        f"passes: {lane.passes}/{lane.graded}, without {scan.flagged} flagged runs "
        f"{_show_rate(scan.without_flagged)} ({scan.unscanned} runs not scanned)"
    )


def _show(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:,.1f}"


def _show_share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{100 * value:.0f} %"


def _show_rate(rate: Rate) -> str:
    return f"{rate.passes}/{rate.graded}"
