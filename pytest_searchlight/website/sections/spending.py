"""What runs and successes took, in tokens and dollars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pytest_searchlight.domain import SetupKind, name_agent
from pytest_searchlight.stats.figures import SetupComparisons
from pytest_searchlight.summary_schema import ResultRow, Summary, Use
from pytest_searchlight.website.formats import count_things, show_count, show_percent, show_usd
from pytest_searchlight.website.sections.parts import (
    LaneKey,
    Section,
    index_comparisons,
    locate_lane,
    split_by_catalog,
)
from pytest_searchlight.website.sections.pictures import chart_costs
from pytest_searchlight.website.tables import Cell, Table, gather_reasons, illustrate, make_table, number

_EXPENSES: Final = (
    "Means are of the graded runs. A success is charged with everything that graded runs "
    "used, failed ones included. “Each more” is what was used beyond no-search over the passes beyond "
    "no-search: negative where less was used and more passed."
)
_NO_COSTS: Final = "No picture of cost against success: what runs took is not known, or it was nothing."


def describe_expenses(summary: Summary) -> Section:
    """What each run and each success took, and each success more than without search."""
    compared = index_comparisons(summary.comparisons)
    tables = tuple(
        illustrate(_make_expenses(catalog, rows, compared), chart=chart_costs(rows))
        for catalog, rows in split_by_catalog(summary.results)
    )
    missing = () if all(table.chart for table in tables) else (_NO_COSTS,)
    return Section(
        id="expenses", title="What a success took", paragraphs=(_EXPENSES, *missing), tables=tables
    )


def _make_expenses(
    catalog: str, rows: list[ResultRow], compared: Mapping[LaneKey, SetupComparisons]
) -> Table:
    found = [(row, compared.get(locate_lane(row))) for row in rows]
    return make_table(
        f"What runs and successes took on the catalog {catalog}",
        labels=(
            "Setup",
            "Agent",
            "Pass rate",
            "Tokens a run",
            "$ a run",
            "Tokens a success",
            "$ a success",
            "Tokens each more",
            "$ each more",
        ),
        rows=[_make_expense(row, setup) for row, setup in found],
        notes=gather_reasons(pair for row, setup in found for pair in _explain_expenses(row, setup)),
        texts=2,
    )


def _make_expense(row: ResultRow, compared: SetupComparisons | None) -> list[Cell | str]:
    tokens, usd = row.tokens, row.cost_usd
    more_tokens = compared.tokens.per_extra_success.value if compared else None
    more_usd = compared.cost_usd.per_extra_success.value if compared else None
    return [
        row.setup,
        name_agent(row.agent, row.model_name),
        number(row.pass_rate, show_percent(row.pass_rate)),
        _show_mean(tokens, show_count(tokens.mean), graded=row.graded),
        _show_mean(usd, show_usd(usd.mean), graded=row.graded),
        number(tokens.per_success, show_count(tokens.per_success)),
        number(usd.per_success, show_usd(usd.per_success)),
        number(more_tokens, show_count(more_tokens)),
        number(more_usd, show_usd(more_usd)),
    ]


def _show_mean(use: Use, text: str, *, graded: int) -> Cell:
    """A mean, with how many runs it is over where that is not all that were graded."""
    is_partial = 0 < use.known_runs < graded
    return number(use.mean, f"{text} ({count_things(use.known_runs, 'run')})" if is_partial else text)


def _explain_expenses(row: ResultRow, compared: SetupComparisons | None) -> Iterator[tuple[str, str | None]]:
    if row.setup_kind in {SetupKind.FLOOR, SetupKind.CEILING}:
        yield row.setup, "a reference, of which nothing is held against no-search"
    for expense in (compared.tokens, compared.cost_usd) if compared else ():
        yield row.setup, expense.per_success.reason
        yield row.setup, expense.per_extra_success.reason
