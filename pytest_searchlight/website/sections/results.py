"""The results of a session: what passed, what it took, what was left out, task by task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from pytest_searchlight.domain import name_agent
from pytest_searchlight.stats.figures import SetupComparisons
from pytest_searchlight.summary_schema import ResultRow, Summary, TaskRow
from pytest_searchlight.website.formats import (
    DASH,
    count_things,
    show_count,
    show_percent,
    show_percent_interval,
    show_ratio,
    show_seconds,
    show_usd,
)
from pytest_searchlight.website.sections.comparing import tell_detectable
from pytest_searchlight.website.sections.parts import (
    Section,
    index_comparisons,
    locate_lane,
    place_setup,
    split_by_catalog,
)
from pytest_searchlight.website.sections.pictures import chart_rates
from pytest_searchlight.website.tables import Cell, Table, illustrate, make_table, number

_RATES: Final = (
    "Passes are of the graded runs; the interval is Wilson's at 95 %. Where intervals overlap, the order "
    "of two setups may be chance, so rows stand by kind of setup and name. “With an answer” leaves out the "
    "questions that have none, coverage is graded of planned runs, and what a success took includes the "
    "failed runs."
)
_MATRIX: Final = (
    "Passes of graded runs. A plus sign gives the planned runs that were not graded; controls are "
    "questions without an answer, which an honest decline passes."
)
_MOST_CELLS: Final = 6_000
"""At some 25 bytes a cell, more would make a page of over 300 kB with everything else on it."""

_RESULT_LABELS: Final = (
    "Setup",
    "Agent",
    "Passes",
    "Pass rate",
    "95 % interval",
    "With an answer",
    "Coverage",
    "Tokens per success",
    "$ per success",
    "Provider calls",
    "Gap closure",
)


def describe_results(summary: Summary) -> Section:
    """A row for each setup under each agent and model; ordered by kind of setup and name, never by rate."""
    compared = index_comparisons(summary.comparisons)
    return Section(
        id="results",
        title="Results",
        paragraphs=(_RATES,),
        tables=tuple(
            illustrate(
                make_table(
                    f"Results on the catalog {catalog}",
                    labels=_RESULT_LABELS,
                    rows=[_make_result(row, compared.get(locate_lane(row))) for row in rows],
                    texts=2,
                ),
                chart=chart_rates(rows, detectable=tell_detectable(summary.comparisons)),
            )
            for catalog, rows in split_by_catalog(summary.results)
        ),
    )


def _make_result(row: ResultRow, compared: SetupComparisons | None) -> list[Cell | str]:
    closure = compared.gap_closure.value if compared else None
    answerable = row.answerable
    low = None if row.pass_rate_ci95 is None else row.pass_rate_ci95[0]
    return [
        row.setup,
        name_agent(row.agent, row.model_name),
        number(row.passes if row.graded else None, show_ratio(row.passes, row.graded)),
        number(row.pass_rate, show_percent(row.pass_rate)),
        number(low, show_percent_interval(row.pass_rate_ci95)),
        number(answerable.pass_rate, show_ratio(answerable.passes, answerable.graded)),
        number(row.coverage, f"{row.graded}/{row.planned}"),
        number(row.tokens.per_success, show_count(row.tokens.per_success)),
        number(row.cost_usd.per_success, show_usd(row.cost_usd.per_success)),
        number(row.provider_calls.total, show_count(row.provider_calls.total)),
        number(closure, DASH if closure is None else f"{closure:.2f}"),
    ]


def describe_exclusions(summary: Summary) -> Section:
    """What was planned and is in no rate, and what counts as failed without having given a wrong answer."""
    statuses = [name for name, count in summary.counts.excluded.items() if count]
    failures = [name for name, count in summary.counts.failed_as.items() if count and name != "graded"]
    counts = summary.counts
    text = (
        f"Of {count_things(counts.planned, 'planned run')} {counts.graded:,} were graded: {counts.passes:,} "
        f"passed, {counts.failures:,} failed. Faults of the infrastructure never count as failed answers; "
        "they are left out of every rate and counted here."
    )
    tables = (_make_exclusions(summary, statuses, failures),) if statuses or failures else ()
    return Section(id="exclusions", title="What was left out", paragraphs=(text,), tables=tables)


def _make_exclusions(summary: Summary, statuses: Sequence[str], failures: Sequence[str]) -> Table:
    return make_table(
        "Runs by what became of them, besides right and wrong answers",
        labels=(
            "Setup",
            "Agent",
            "Catalog",
            "Planned",
            *(f"Left out: {name.replace('_', ' ')}" for name in statuses),
            *(f"Failed: {name.replace('_', ' ')}" for name in failures),
        ),
        rows=[
            [
                row.setup,
                name_agent(row.agent, row.model_name),
                row.catalog,
                number(row.planned, show_count(row.planned)),
                *(number(row.excluded.get(name), show_count(row.excluded.get(name))) for name in statuses),
                *(number(row.failed_as.get(name), show_count(row.failed_as.get(name))) for name in failures),
            ]
            for row in summary.results
        ],
        texts=3,
    )


def describe_tasks(summary: Summary) -> Section:
    """Passes of every task under every setup, a table for each catalog, agent and model."""
    if len(summary.tasks) > _MOST_CELLS:
        text = f"{len(summary.tasks):,} cells are too many for a page; runs.jsonl has a row for every run."
        return Section(id="tasks", title="Task by task", paragraphs=(text,))
    return Section(
        id="tasks",
        title="Task by task",
        paragraphs=(_MATRIX,),
        tables=tuple(_make_matrix(list(rows)) for rows in _split_by_lane(summary.tasks)),
    )


def _split_by_lane(rows: Sequence[TaskRow]) -> Iterator[list[TaskRow]]:
    def key(row: TaskRow) -> tuple[str, str, str]:
        return row.catalog, row.agent, row.model_name or ""

    for _, group in groupby(sorted(rows, key=key), key=key):
        yield list(group)


def _make_matrix(rows: Sequence[TaskRow]) -> Table:
    ordered = sorted(rows, key=lambda row: place_setup(row.setup_kind, row.setup))
    setups = list(dict.fromkeys(row.setup for row in ordered))
    cells = {(row.task, row.setup): row for row in rows}
    tasks = {row.task: row for row in rows}
    first = rows[0]
    return make_table(
        f"Passes by task on the catalog {first.catalog}, {name_agent(first.agent, first.model_name)}",
        labels=("Task", "Family", *setups),
        rows=[
            [
                f"{task} (control)" if row.control else task,
                row.family,
                *(_make_task_cell(cells.get((task, setup))) for setup in setups),
            ]
            for task, row in tasks.items()
        ],
        texts=2,
    )


def _make_task_cell(row: TaskRow | None) -> Cell:
    if row is None:
        return Cell(text=DASH)
    missing = row.planned - row.graded
    text = show_ratio(row.passes, row.graded) + (f" +{missing}" if missing else "")
    return Cell(text=text, sort_key=row.pass_rate)


def describe_times(summary: Summary) -> Section:
    """How long graded runs took, and how long a call to the provider did."""
    return Section(
        id="times",
        title="Time",
        tables=(
            make_table(
                "Duration of graded runs, and latency of single provider calls",
                labels=(
                    "Setup",
                    "Agent",
                    "Catalog",
                    "Run, median",
                    "Run, 90 %",
                    "Call, median",
                    "Call, 90 %",
                    "Call, 99 %",
                ),
                rows=[_make_time(row) for row in summary.results],
                texts=3,
            ),
        ),
    )


def _make_time(row: ResultRow) -> list[Cell | str]:
    run, call = row.duration_s, row.provider_latency_s
    values = (run.p50, run.p90, call.p50, call.p90, call.p99)
    return [
        row.setup,
        name_agent(row.agent, row.model_name),
        row.catalog,
        *(number(value, show_seconds(value)) for value in values),
    ]
