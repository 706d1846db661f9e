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


class _Facts(NamedTuple):
    """How runs searched, a fact a column; see `SearchFacts`."""

    searches: Sequence[int]
    fetches: Sequence[int]
    queries: Sequence[int]
    query_words: Sequence[int]
    natural_language_queries: Sequence[int]
    site_queries: Sequence[int]
    quoted_queries: Sequence[int]
    year_queries: Sequence[int]
    reformulations: Sequence[int]
    told_searches: Sequence[int]
    empty_searches: Sequence[int]
    refused_calls: Sequence[int]
    shown_chars: Sequence[int | None]
    provider_s: Sequence[float | None]


_READ: Final = attrgetter(*_Facts._fields)
_NO_FACTS: Final = _Facts(*[()] * len(_Facts._fields))


def measure_habits(studied: Iterable[RunRecord]) -> SearchHabits:
    """How the measured runs `studied` searched; those of which that is not known are left out."""
    known = [(run.duration_s, run.searching) for run in studied if run.searching is not None]
    facts = _read_facts([each for _, each in known])
    told = sum(facts.told_searches)
    chars = [each for each in facts.shown_chars if each is not None]
    times_s = _pair_times(facts.provider_s, [duration_s for duration_s, _ in known])
    return SearchHabits(
        runs=len(known),
        searching_runs=sum(map(bool, facts.searches)),
        fetch_only_runs=sum(
            fetches > 0 and not searches
            for searches, fetches in zip(facts.searches, facts.fetches, strict=True)
        ),
        queries=_describe_queries(facts, runs=len(known)),
        fetches_per_run=divide(sum(facts.fetches), len(known)),
        reformulations_per_run=divide(sum(facts.reformulations), len(known)),
        told_searches=told,
        empty_search_share=divide(sum(facts.empty_searches), told),
        refused_calls=sum(facts.refused_calls),
        chars_known=len(chars),
        shown_chars_per_run=divide(sum(chars), len(chars)),
        time_known=len(times_s),
        provider_share=_share_time(times_s),
    )


def _read_facts(facts: Sequence[SearchFacts]) -> _Facts:
    return _Facts(*zip(*map(_READ, facts), strict=True)) if facts else _NO_FACTS


def _describe_queries(facts: _Facts, *, runs: int) -> QueryHabits:
    total = sum(facts.queries)
    return QueryHabits(
        total=total,
        per_run=divide(total, runs),
        words_per_query=divide(sum(facts.query_words), total),
        natural_language_share=divide(sum(facts.natural_language_queries), total),
        site_share=divide(sum(facts.site_queries), total),
        quoted_share=divide(sum(facts.quoted_queries), total),
        year_share=divide(sum(facts.year_queries), total),
    )


def _pair_times(
    provider_s: Iterable[float | None], durations_s: Iterable[float | None]
) -> list[tuple[float, float]]:
    """For each run with both: seconds waited for the provider, and seconds of the whole run."""
    pairs = zip(provider_s, durations_s, strict=True)
    return [(min(waited, whole), whole) for waited, whole in pairs if waited is not None and whole]


def _share_time(times_s: Sequence[tuple[float, float]]) -> float | None:
    whole_s = math.fsum(whole for _, whole in times_s)
    return math.fsum(waited for waited, _ in times_s) / whole_s if whole_s else None
