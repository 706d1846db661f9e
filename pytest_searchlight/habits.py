"""The search habits of a group of runs, from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus, SearchFacts
from pytest_searchlight.stats import divide
from pytest_searchlight.summary_schema import QueryHabits, SearchHabits


def select_measured(runs: Iterable[RunRecord]) -> list[RunRecord]:
    """The runs that count in pass rates, or wait for a verdict only: their searching means something."""
    return [run for run in runs if STATUS_RULES[run.status].counts or run.status is RunStatus.UNGRADED]


def measure_habits(runs: Iterable[RunRecord]) -> SearchHabits:
    """How the measured ones of `runs` searched; those of which that is not known are left out."""
    studied = [(run, run.searching) for run in select_measured(runs) if run.searching is not None]
    facts = [each for _, each in studied]
    told = sum(each.told_searches for each in facts)
    chars = [each.shown_chars for each in facts if each.shown_chars is not None]
    times_s = [pair for run, each in studied if (pair := _pair_times(run, each)) is not None]
    return SearchHabits(
        runs=len(facts),
        searching_runs=sum(each.searches > 0 for each in facts),
        fetch_only_runs=sum(each.is_fetch_only for each in facts),
        queries=_describe_queries(facts),
        fetches_per_run=divide(sum(each.fetches for each in facts), len(facts)),
        reformulations_per_run=divide(sum(each.reformulations for each in facts), len(facts)),
        told_searches=told,
        empty_search_share=divide(sum(each.empty_searches for each in facts), told),
        refused_calls=sum(each.refused_calls for each in facts),
        chars_known=len(chars),
        shown_chars_per_run=divide(sum(chars), len(chars)),
        time_known=len(times_s),
        provider_share=_share_time(times_s),
    )


def _describe_queries(facts: Sequence[SearchFacts]) -> QueryHabits:
    total = sum(each.queries for each in facts)
    return QueryHabits(
        total=total,
        per_run=divide(total, len(facts)),
        words_per_query=divide(sum(each.query_words for each in facts), total),
        natural_language_share=divide(sum(each.natural_language_queries for each in facts), total),
        site_share=divide(sum(each.site_queries for each in facts), total),
        quoted_share=divide(sum(each.quoted_queries for each in facts), total),
        year_share=divide(sum(each.year_queries for each in facts), total),
    )


def _pair_times(run: RunRecord, facts: SearchFacts) -> tuple[float, float] | None:
    """Seconds waited for the provider, and seconds of the whole run."""
    if facts.provider_s is None or not run.duration_s:
        return None
    return min(facts.provider_s, run.duration_s), run.duration_s


def _share_time(times_s: Sequence[tuple[float, float]]) -> float | None:
    whole_s = sum(whole for _, whole in times_s)
    return sum(waited for waited, _ in times_s) / whole_s if whole_s else None
