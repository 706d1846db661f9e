"""The search habits of a group of runs, from their rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus, SearchFacts
from pytest_searchlight.stats import divide
from pytest_searchlight.summary_schema import QueryHabits, SearchHabits


def select_measured(runs: Iterable[RunRecord]) -> list[RunRecord]:
    """The runs that count in pass rates, or wait for a verdict only: their searching means something."""
    return [run for run in runs if STATUS_RULES[run.status].counts or run.status is RunStatus.UNGRADED]


class _Totals(NamedTuple):
    """What the runs add up to, by the names that one run has it under."""

    queries: int
    query_words: int
    natural_language_queries: int
    site_queries: int
    quoted_queries: int
    year_queries: int
    fetches: int
    reformulations: int
    told_searches: int
    empty_searches: int
    refused_calls: int


_READ_COUNTS: Final = attrgetter(*_Totals._fields)


def measure_habits(runs: Iterable[RunRecord]) -> SearchHabits:
    """How the measured ones of `runs` searched; those of which that is not known are left out."""
    studied = [(run, run.searching) for run in select_measured(runs) if run.searching is not None]
    facts = [each for _, each in studied]
    total = _add_up(facts)
    chars = [each.shown_chars for each in facts if each.shown_chars is not None]
    times_s = [pair for run, each in studied if (pair := _pair_times(run, each)) is not None]
    return SearchHabits(
        runs=len(facts),
        searching_runs=sum(each.searches > 0 for each in facts),
        fetch_only_runs=sum(each.is_fetch_only for each in facts),
        queries=_describe_queries(total, runs=len(facts)),
        fetches_per_run=divide(total.fetches, len(facts)),
        reformulations_per_run=divide(total.reformulations, len(facts)),
        told_searches=total.told_searches,
        empty_search_share=divide(total.empty_searches, total.told_searches),
        refused_calls=total.refused_calls,
        chars_known=len(chars),
        shown_chars_per_run=divide(sum(chars), len(chars)),
        time_known=len(times_s),
        provider_share=_share_time(times_s),
    )


def _add_up(facts: Sequence[SearchFacts]) -> _Totals:
    columns = zip(*map(_READ_COUNTS, facts), strict=True) if facts else [()] * len(_Totals._fields)
    return _Totals(*map(sum, columns))


def _describe_queries(total: _Totals, *, runs: int) -> QueryHabits:
    return QueryHabits(
        total=total.queries,
        per_run=divide(total.queries, runs),
        words_per_query=divide(total.query_words, total.queries),
        natural_language_share=divide(total.natural_language_queries, total.queries),
        site_share=divide(total.site_queries, total.queries),
        quoted_share=divide(total.quoted_queries, total.queries),
        year_share=divide(total.year_queries, total.queries),
    )


def _pair_times(run: RunRecord, facts: SearchFacts) -> tuple[float, float] | None:
    """Seconds waited for the provider, and seconds of the whole run."""
    if facts.provider_s is None or not run.duration_s:
        return None
    return min(facts.provider_s, run.duration_s), run.duration_s


def _share_time(times_s: Sequence[tuple[float, float]]) -> float | None:
    whole_s = math.fsum(whole for _, whole in times_s)
    return math.fsum(waited for waited, _ in times_s) / whole_s if whole_s else None
