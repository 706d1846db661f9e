"""A transcribed report: figures as somebody printed them, and what of them came out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_searchlight.domain import name_agent
from pytest_searchlight.report_folder import (
    TranscribedBattery,
    TranscribedMeasure,
    TranscribedRow,
    TranscribedTable,
    TranscribedTest,
    Transcription,
)
from pytest_searchlight.website.formats import (
    DASH,
    count_things,
    show_count,
    show_decimal,
    show_decimal_interval,
    show_percent,
    show_ratio,
    show_usd,
)
from pytest_searchlight.website.sections.parts import Section, name_row, place_setup
from pytest_searchlight.website.sections.pictures import chart_printed_closures, chart_printed_rates
from pytest_searchlight.website.tables import (
    Cell,
    Table,
    illustrate,
    leave_out_empty_columns,
    make_table,
    number,
)

_LABELS: Final = (
    "Setup",
    "Passes",
    "Pass rate",
    "95 % interval",
    "Tokens per run",
    "Tokens per success",
    "$ per success",
    "Provider calls",
    "Passes, other judge",
)


def describe_transcription(transcription: Transcription) -> Iterator[Section]:
    """Source, what repeated itself, then every battery."""
    yield Section(
        id="source",
        title="Source",
        paragraphs=(f"{transcription.source} Read on {transcription.read_on.isoformat()}.",),
    )
    if transcription.replicated:
        yield Section(id="replicated", title="What came out again", points=transcription.replicated)
    if transcription.not_replicated:
        yield Section(id="not-replicated", title="What did not", points=transcription.not_replicated)
    for place, battery in enumerate(transcription.batteries, start=1):
        yield _describe_battery(_order_rows(battery), id_=f"battery-{place}")
    for place, table in enumerate(transcription.tables, start=1):
        yield _describe_table(table, id_=f"table-{place}")


def _order_rows(battery: TranscribedBattery) -> TranscribedBattery:
    """The battery with its rows in the order of all tables, where a publication may have put them by rate."""
    rows = sorted(battery.rows, key=lambda row: (*place_setup(row.setup_kind, row.setup), row.label or ""))
    return battery.model_copy(update={"rows": tuple(rows)})


def _describe_battery(battery: TranscribedBattery, *, id_: str) -> Section:
    size = f"{count_things(battery.tasks, 'task')} x {battery.repetitions}"
    text = f"{battery.date.isoformat()}, {name_agent(battery.agent, battery.model_name)}, {size}."
    tables = [_make_results(battery)]
    if any(row.gap_closure is not None for row in battery.rows):
        tables.append(_make_closures(battery))
    if battery.tests:
        tables.append(_make_tests(battery))
    if battery.passes_by_task:
        tables.append(_make_matrix(battery))
    kappa = battery.agreement_kappa
    agreement = () if kappa is None else (f"Agreement of the two judges: Cohen's kappa {kappa:.2f}.",)
    return Section(
        id=id_,
        title=battery.title,
        paragraphs=(text,),
        points=(*battery.remarks, *agreement),
        tables=tuple(tables),
    )


def _make_results(battery: TranscribedBattery) -> Table:
    table = make_table(
        f"Printed results: {battery.title}",
        labels=_LABELS,
        rows=[_make_row(row) for row in battery.rows],
        notes=[f"{name_row(row)}: {row.remark}" for row in battery.rows if row.remark],
    )
    return illustrate(leave_out_empty_columns(table), chart=chart_printed_rates(battery))


def _make_closures(battery: TranscribedBattery) -> Table:
    table = make_table(
        f"Printed gap closure: {battery.title}",
        labels=("Setup", "Gap closure", "95 % interval"),
        rows=[
            [
                name_row(row),
                number(row.gap_closure, show_decimal(row.gap_closure, digits=2)),
                number(
                    row.gap_closure_ci95 and row.gap_closure_ci95[0],
                    show_decimal_interval(row.gap_closure_ci95),
                ),
            ]
            for row in battery.rows
        ],
    )
    return illustrate(table, chart=chart_printed_closures(battery))


def _make_row(row: TranscribedRow) -> list[Cell | str]:
    interval, cost = row.pass_rate_percent_ci95, row.cost_per_success_usd
    bound = "≥ " if row.cost_is_lower_bound and cost is not None else ""
    rate = row.passes / row.runs
    return [
        name_row(row),
        number(row.passes, show_ratio(row.passes, row.runs)),
        number(rate, show_percent(rate)),
        number(interval and interval[0], DASH if interval is None else f"{interval[0]} to {interval[1]} %"),
        number(row.tokens_per_run, show_count(row.tokens_per_run)),
        number(row.tokens_per_success, show_count(row.tokens_per_success)),
        number(cost, bound + show_usd(cost)),
        number(row.provider_calls, show_count(row.provider_calls)),
        number(row.other_judge_passes, show_count(row.other_judge_passes)),
    ]


def _make_tests(battery: TranscribedBattery) -> Table:
    return make_table(
        f"Printed p-values: {battery.title}",
        labels=("Setup", "Against", "p"),
        rows=[
            [_name_test(test), test.reference, number(test.p_value, _show_bound(test))]
            for test in battery.tests
        ],
        texts=2,
    )


def _name_test(test: TranscribedTest) -> str:
    return f"{test.setup} ({test.label})" if test.label else test.setup


def _show_bound(test: TranscribedTest) -> str:
    return f"< {test.p_value:g}" if test.is_bound else f"{test.p_value:g}"


def _make_matrix(battery: TranscribedBattery) -> Table:
    setups = list(dict.fromkeys(setup for passes in battery.passes_by_task.values() for setup in passes))
    return make_table(
        f"Printed passes by task, of {battery.repetitions}: {battery.title}",
        labels=("Task", *setups),
        rows=[
            [task, *(number(passes.get(setup), show_count(passes.get(setup))) for setup in setups)]
            for task, passes in battery.passes_by_task.items()
        ],
    )


def _describe_table(table: TranscribedTable, *, id_: str) -> Section:
    return Section(
        id=id_,
        title=table.title,
        paragraphs=(f"{table.date.isoformat()}.",),
        points=table.remarks,
        tables=(
            make_table(
                f"Printed figures: {table.title}",
                labels=("Measure", *table.columns),
                rows=[_make_measure(measure, table.columns) for measure in table.measures],
            ),
        ),
    )


def _make_measure(measure: TranscribedMeasure, columns: tuple[str, ...]) -> list[Cell | str]:
    label = f"{measure.label} ({measure.unit})" if measure.unit else measure.label
    values = [measure.values.get(column) for column in columns]
    return [label, *(number(value, _show_figure(value, of=measure.of)) for value in values)]


def _show_figure(value: float | None, *, of: int | None) -> str:
    if value is None:
        return DASH
    return f"{value:,}" if of is None else f"{value:,} of {of:,}"
