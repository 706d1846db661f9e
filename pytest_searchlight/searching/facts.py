"""How one run searched: the facts for its row, and the texts by which it is flagged for its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_searchlight.domain import Access, SearchFacts, SetupKind, Sign, Task
from pytest_searchlight.extensions import ObservedRun
from pytest_searchlight.searching.calls import WebCall, list_web_calls, measure_covered_s, reads_wire
from pytest_searchlight.searching.contamination import FoundSign, scan_calls
from pytest_searchlight.searching.primary_source import find_access
from pytest_searchlight.searching.queries import count_reformulations, describe_query
from pytest_searchlight.searching.results import found_nothing


class StudiedRun(NamedTuple):
    """A run's searching in numbers, and the signs for which it is flagged, with what was found."""

    facts: SearchFacts
    signs: tuple[FoundSign, ...]


def study_run(observed: ObservedRun) -> StudiedRun:
    """How `observed` searched."""
    calls = list_web_calls(observed)
    task = observed.run.task
    made = [call for call in calls if not call.refused]
    signs = scan_calls(made, task)
    facts = SearchFacts(
        fetches=sum(call.fetches for call in made),
        **_describe_searches([call for call in made if call.searches]),
        refused_calls=len(calls) - len(made),
        shown_chars=_count_shown(made, observed),
        provider_s=_measure_provider_s(made),
        access=_find_access(made, task=task, kind=observed.run.setup.kind),
        signs=None if signs is None else tuple(Sign(kind=sign.kind, call=sign.call) for sign in signs),
    )
    return StudiedRun(facts=facts, signs=signs or ())


def _describe_searches(searches: Sequence[WebCall]) -> dict[str, int]:
    queries = [describe_query(query) for search in searches for query in search.queries]
    told = [_tell_empty(search) for search in searches]
    return {
        "searches": len(searches),
        "queries": len(queries),
        "query_words": sum(query.words for query in queries),
        "natural_language_queries": sum(query.natural_language for query in queries),
        "site_queries": sum(query.has_site for query in queries),
        "quoted_queries": sum(query.has_quotes for query in queries),
        "year_queries": sum(query.has_year for query in queries),
        "reformulations": count_reformulations([search.queries for search in searches]),
        "told_searches": sum(nothing is not None for nothing in told),
        "empty_searches": sum(nothing is True for nothing in told),
    }


def _tell_empty(call: WebCall) -> bool | None:
    """Whether a search found nothing. Some servers say that by way of an error; other errors tell nothing."""
    nothing = found_nothing(call.result_text)
    return nothing if call.succeeded or (nothing and call.result_text) else None


def _count_shown(calls: Sequence[WebCall], observed: ObservedRun) -> int | None:
    """Characters that came, less those that the agent product kept from its model where the wire was read."""
    came = [call.shown_chars for call in calls]
    total = None if None in came else sum(filter(None, came))
    if not total or not reads_wire(observed):
        return total
    kept = observed.trace.offloaded_chars
    return None if kept is None else max(total - kept, 0)


def _measure_provider_s(calls: Sequence[WebCall]) -> float | None:
    spans_s = [call.span_s for call in calls if call.span_s is not None]
    return round(measure_covered_s(spans_s), 3) if len(spans_s) == len(calls) else None


def _find_access(calls: Sequence[WebCall], *, task: Task, kind: SetupKind) -> Access | None:
    if task.reference is None or kind is SetupKind.CEILING:
        return None
    return find_access(calls, source=task.reference.source)
