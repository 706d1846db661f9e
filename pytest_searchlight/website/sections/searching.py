"""How the agents searched, how they came by the primary source, and what flags a run."""

from __future__ import annotations

from typing import Final

from pytest_searchlight.domain import name_agent
from pytest_searchlight.summary_schema import AccessRates, Rate, ResultRow, Summary
from pytest_searchlight.website.formats import show_count, show_decimal, show_percent, show_ratio
from pytest_searchlight.website.sections.parts import Section
from pytest_searchlight.website.sections.pictures import chart_habits
from pytest_searchlight.website.tables import Cell, Table, illustrate, make_table, number

_ACCESS: Final = (
    "Passes of the runs on tasks that have an answer, by how the run came by the task's primary source: it "
    "opened the page itself, a result showed it, it answered without (from memory or from other pages), or "
    "that is not known."
)


def describe_searching(summary: Summary) -> Section:
    """The habits of every lane that could search."""
    lanes = [row for row in summary.results if row.setup_kind.gives_tools]
    if not lanes:
        text = "No setup of this session gave an agent anything to search with."
        return Section(id="searching", title="How agents searched", paragraphs=(text,))
    text = (
        "From the recorded calls of the runs whose searching is known. Shares of queries are of all "
        "queries of the row; “found nothing” is of the searches whose result tells."
    )
    tables = (_make_habits(lanes), _make_queries(lanes))
    return Section(id="searching", title="How agents searched", paragraphs=(text,), tables=tables)


def _make_habits(lanes: list[ResultRow]) -> Table:
    table = make_table(
        "Searching, per run",
        labels=(
            "Setup",
            "Agent",
            "Catalog",
            "Runs",
            "Searched",
            "Only fetched",
            "Queries",
            "Fetches",
            "Reformulations",
            "Found nothing",
            "Refused calls",
            "Characters shown",
            "Time waiting",
        ),
        rows=[_make_habit(row) for row in lanes],
        texts=3,
    )
    return illustrate(table, chart=chart_habits(lanes))


def _name(row: ResultRow) -> list[Cell | str]:
    return [row.setup, name_agent(row.agent, row.model_name), row.catalog]


def _make_habit(row: ResultRow) -> list[Cell | str]:
    habits = row.searching
    return [
        *_name(row),
        number(habits.runs, show_count(habits.runs)),
        number(habits.searching_runs, show_count(habits.searching_runs)),
        number(habits.fetch_only_runs, show_count(habits.fetch_only_runs)),
        number(habits.queries.per_run, show_decimal(habits.queries.per_run)),
        number(habits.fetches_per_run, show_decimal(habits.fetches_per_run)),
        number(habits.reformulations_per_run, show_decimal(habits.reformulations_per_run)),
        number(habits.empty_search_share, show_percent(habits.empty_search_share)),
        number(habits.refused_calls, show_count(habits.refused_calls)),
        number(habits.shown_chars_per_run, show_count(habits.shown_chars_per_run)),
        number(habits.provider_share, show_percent(habits.provider_share)),
    ]


def _make_queries(lanes: list[ResultRow]) -> Table:
    return make_table(
        "What the queries look like",
        labels=(
            "Setup",
            "Agent",
            "Catalog",
            "Queries",
            "Words each",
            "Natural language",
            "site:",
            "Quotes",
            "A year",
        ),
        rows=[_make_query(row) for row in lanes],
        texts=3,
    )


def _make_query(row: ResultRow) -> list[Cell | str]:
    queries = row.searching.queries
    shares = (queries.natural_language_share, queries.site_share, queries.quoted_share, queries.year_share)
    return [
        *_name(row),
        number(queries.total, show_count(queries.total)),
        number(queries.words_per_query, show_decimal(queries.words_per_query)),
        *(number(share, show_percent(share)) for share in shares),
    ]


def describe_access(summary: Summary) -> Section:
    """Pass rates by how a run came by the primary source."""
    table = make_table(
        "Passes by access to the primary source",
        labels=("Setup", "Agent", "Catalog", "Fetched", "Surfaced", "Remembered", "Unknown"),
        rows=[[*_name(row), *_show_access(row.by_access)] for row in summary.results],
        texts=3,
    )
    return Section(id="access", title="Access to the primary source", paragraphs=(_ACCESS,), tables=(table,))


def _show_access(rates: AccessRates) -> list[Cell]:
    return [_show_rate(rate) for rate in (rates.fetched, rates.surfaced, rates.remembered, rates.unknown)]


def _show_rate(rate: Rate) -> Cell:
    return number(rate.pass_rate, show_ratio(rate.passes, rate.graded))


def describe_contamination(summary: Summary) -> Section:
    """Runs outside their contract, and runs that were shown what a benchmark must not hand out."""
    text = (
        "A run that called anything outside its setup's contract is contaminated and counts as failed. A "
        "run is flagged when a tool result showed it a task's text, its reference answer or an address "
        "where benchmarks are kept; the last column is the pass rate without those."
    )
    table = make_table(
        "Contaminated and flagged runs",
        labels=(
            "Setup",
            "Agent",
            "Catalog",
            "Contaminated",
            "Flagged",
            "Not scanned",
            "Passes",
            "Passes without flagged",
        ),
        rows=[_make_scan(row) for row in summary.results],
        texts=3,
    )
    return Section(id="contamination", title="Contamination", paragraphs=(text,), tables=(table,))


def _make_scan(row: ResultRow) -> list[Cell | str]:
    counts = (row.contaminated, row.scan.flagged, row.scan.unscanned)
    return [
        *_name(row),
        *(number(count, show_count(count)) for count in counts),
        number(row.pass_rate, show_ratio(row.passes, row.graded)),
        _show_rate(row.scan.without_flagged),
    ]
