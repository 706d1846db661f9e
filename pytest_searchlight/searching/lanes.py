"""The habits of a session: one row for each search setup under each agent and model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from pytest_searchlight.domain import Record, RunRecord, SetupKind
from pytest_searchlight.searching.contamination import Sign
from pytest_searchlight.searching.primary_source import Access
from pytest_searchlight.searching.queries import QueryTraits
from pytest_searchlight.searching.runs import StudiedRun
from pytest_searchlight.stats import divide
from pytest_searchlight.summary import measure_rate
from pytest_searchlight.summary_schema import Rate

Share = Annotated[float, Field(ge=0, le=1)]
Lane = tuple[str, str, str | None, str]


class QueryHabits(Record):
    """What the queries of a lane look like; shares are of all its queries, None when there is none."""

    total: NonNegativeInt
    per_run: NonNegativeFloat | None
    words_per_query: NonNegativeFloat | None
    natural_language_share: Share | None
    site_share: Share | None
    quoted_share: Share | None
    year_share: Share | None


class AccessRates(Record):
    """Pass rates of the runs on tasks that have an answer, by how they came by the primary source."""

    fetched: Rate
    surfaced: Rate
    remembered: Rate
    unknown: Rate


class ScanRates(Record):
    """The pass rate with and without flagged runs; `unscanned` runs, not wholly known, are in both."""

    flagged: NonNegativeInt
    unscanned: NonNegativeInt
    with_flagged: Rate
    without_flagged: Rate


class LaneHabits(Record):
    """How one search setup was searched with under one agent and model.

    `runs` are those whose habits were read; `left_out` were planned but not made, or ended by a fault of
    infrastructure. `shown_chars_per_run` is over the `chars_known` runs; `provider_share`, over the
    `time_known` runs, is the part of their time in which a call waited for the provider. `empty_search_share`
    is of the `told_searches`.
    """

    catalog: str
    agent: str
    model_name: str | None
    setup: str
    setup_kind: SetupKind
    runs: NonNegativeInt
    left_out: NonNegativeInt
    searching_runs: NonNegativeInt
    fetch_only_runs: NonNegativeInt
    queries: QueryHabits
    fetches_per_run: NonNegativeFloat | None
    reformulations_per_run: NonNegativeFloat | None
    told_searches: NonNegativeInt
    empty_search_share: Share | None
    refused_calls: NonNegativeInt
    chars_known: NonNegativeInt
    shown_chars_per_run: NonNegativeFloat | None
    time_known: NonNegativeInt
    provider_share: Share | None
    access: AccessRates
    scan: ScanRates


class FlaggedRun(Record):
    """A run whose tool results hold what a benchmark must not hand out."""

    run_id: str
    signs: tuple[Sign, ...]


class SessionHabits(Record):
    """How the agents of a session searched: numbers only, None where they are unknown."""

    schema_version: Literal[1] = 1
    lanes: tuple[LaneHabits, ...]
    flagged_runs: tuple[FlaggedRun, ...]


def summarize_habits(studied: Sequence[StudiedRun], *, left_out: Sequence[RunRecord]) -> SessionHabits:
    """Put the habits of single runs together.

    Args:
        studied: the measured runs, in the plan's order.
        left_out: the rows of the planned runs that were not measured.
    """
    lanes = dict.fromkeys(name_lane(record) for record in (*(run.record for run in studied), *left_out))
    flagged = (
        FlaggedRun(run_id=run.record.run_id, signs=run.habits.signs) for run in studied if run.habits.signs
    )
    rows = (
        _make_row(
            [run for run in studied if name_lane(run.record) == lane],
            left_out=[record for record in left_out if name_lane(record) == lane],
        )
        for lane in sorted(lanes, key=str)
    )
    return SessionHabits(lanes=tuple(rows), flagged_runs=tuple(flagged))


def name_lane(record: RunRecord) -> Lane:
    """Catalog, agent, model and setup of a run."""
    return record.catalog, record.agent, record.model_name, record.setup


def _make_row(studied: Sequence[StudiedRun], *, left_out: Sequence[RunRecord]) -> LaneHabits:
    first = studied[0].record if studied else left_out[0]
    habits = [run.habits for run in studied]
    told = sum(each.told_searches for each in habits)
    chars = [each.shown_chars for each in habits if each.shown_chars is not None]
    times_s = [pair for run in studied if (pair := _pair_times(run)) is not None]
    return LaneHabits(
        catalog=first.catalog,
        agent=first.agent,
        model_name=first.model_name,
        setup=first.setup,
        setup_kind=first.setup_kind,
        runs=len(studied),
        left_out=len(left_out),
        searching_runs=sum(each.searches > 0 for each in habits),
        fetch_only_runs=sum(each.is_fetch_only for each in habits),
        queries=_describe_queries([query for each in habits for query in each.queries], runs=len(studied)),
        fetches_per_run=divide(sum(each.fetches for each in habits), len(studied)),
        reformulations_per_run=divide(sum(each.reformulations for each in habits), len(studied)),
        told_searches=told,
        empty_search_share=divide(sum(each.empty_searches for each in habits), told),
        refused_calls=sum(each.refused_calls for each in habits),
        chars_known=len(chars),
        shown_chars_per_run=divide(sum(chars), len(chars)),
        time_known=len(times_s),
        provider_share=_share_time(times_s),
        access=_rate_by_access(studied),
        scan=_rate_by_scan(studied),
    )


def _describe_queries(queries: Sequence[QueryTraits], *, runs: int) -> QueryHabits:
    def share(holds: Callable[[QueryTraits], bool]) -> float | None:
        return divide(sum(map(holds, queries)), len(queries))

    return QueryHabits(
        total=len(queries),
        per_run=divide(len(queries), runs),
        words_per_query=divide(sum(query.words for query in queries), len(queries)),
        natural_language_share=share(lambda query: query.natural_language),
        site_share=share(lambda query: query.has_site),
        quoted_share=share(lambda query: query.has_quotes),
        year_share=share(lambda query: query.has_year),
    )


def _pair_times(run: StudiedRun) -> tuple[float, float] | None:
    """Seconds waited for the provider, and seconds of the whole run."""
    provider_s, duration_s = run.habits.provider_s, run.record.duration_s
    return None if provider_s is None or not duration_s else (min(provider_s, duration_s), duration_s)


def _share_time(times_s: Sequence[tuple[float, float]]) -> float | None:
    duration_s = sum(whole for _, whole in times_s)
    return sum(waited for waited, _ in times_s) / duration_s if duration_s else None


def _rate_by_access(studied: Sequence[StudiedRun]) -> AccessRates:
    answerable = [run for run in studied if not run.record.control]

    def rate(access: Access | None) -> Rate:
        return _rate(run for run in answerable if run.habits.access is access)

    return AccessRates(
        fetched=rate(Access.FETCHED),
        surfaced=rate(Access.SURFACED),
        remembered=rate(Access.REMEMBERED),
        unknown=rate(None),
    )


def _rate_by_scan(studied: Sequence[StudiedRun]) -> ScanRates:
    return ScanRates(
        flagged=sum(bool(run.habits.signs) for run in studied),
        unscanned=sum(run.habits.signs is None for run in studied),
        with_flagged=_rate(studied),
        without_flagged=_rate(run for run in studied if not run.habits.signs),
    )


def _rate(studied: Iterable[StudiedRun]) -> Rate:
    return measure_rate([run.record for run in studied])
