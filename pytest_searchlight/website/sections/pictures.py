"""Which charts a report's numbers allow. A chart is left out where it would show nothing known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from pytest_searchlight.domain import SetupKind, name_agent
from pytest_searchlight.judges.agreement import JudgeAgreement
from pytest_searchlight.report_folder import TranscribedBattery, TranscribedRow
from pytest_searchlight.stats.figures import SetupComparisons
from pytest_searchlight.summary_schema import ResultRow
from pytest_searchlight.website.charts import Axis, DotChart, DotRow, Mark, ScatterChart, Spot, Style
from pytest_searchlight.website.charts.axes import make_axis, make_share_axis
from pytest_searchlight.website.formats import (
    DASH,
    count_things,
    show_count,
    show_decimal,
    show_percent,
    show_usd,
)
from pytest_searchlight.website.sections.parts import name_row

_STYLES: Final[dict[SetupKind, Style]] = {
    SetupKind.PROVIDER: "provider",
    SetupKind.BUILT_IN: "built-in",
    SetupKind.NO_SEARCH: "no-search",
    SetupKind.FLOOR: "floor",
    SetupKind.CEILING: "ceiling",
}
_OVERLAP: Final = "Where intervals overlap, the order may be chance."


def chart_rates(rows: Sequence[ResultRow], *, detectable: str | None) -> DotChart | None:
    """Pass rates with their intervals, under a heading for each agent and model.

    Args:
        rows: of one catalog.
        detectable: what difference could have been found, in a sentence.
    """
    if not any(row.graded for row in rows):
        return None
    found = f" {detectable}" if detectable else ""
    return DotChart(
        title=f"Pass rates on the catalog {rows[0].catalog}",
        caption=f"Dots are pass rates, lines their 95 % intervals, of graded/planned runs. {_OVERLAP}{found}",
        groups=tuple(
            (name_agent(*agent), tuple(_make_rate_row(row) for row in lanes))
            for agent, lanes in groupby(rows, key=lambda row: (row.agent, row.model_name))
        ),
        axis=make_share_axis("pass rate"),
    )


def _make_rate_row(row: ResultRow) -> DotRow:
    if row.pass_rate is None:
        return DotRow(label=row.setup, marks=(), text=f"{DASH} of {row.graded}/{row.planned}")
    mark = Mark(value=row.pass_rate, ends=row.pass_rate_ci95, style=_STYLES[row.setup_kind])
    text = f"{show_percent(row.pass_rate)} of {row.graded}/{row.planned}"
    return DotRow(label=row.setup, marks=(mark,), text=text)


def chart_closures(setups: Sequence[SetupComparisons], *, where: str) -> DotChart | None:
    """Gap closures between the floor's 0 and the ceiling's 1."""
    rows = [
        _make_closure_row(
            setup.setup,
            setup.setup_kind,
            value=closure.value,
            ends=closure.ci95,
            size=f", {count_things(closure.tasks, 'task')}",
        )
        for setup in setups
        if (closure := setup.gap_closure).value is not None
    ]
    return _make_closure_chart(rows, where=where)


def _make_closure_row(
    label: str, kind: SetupKind, *, value: float, ends: tuple[float, float] | None, size: str = ""
) -> DotRow:
    return DotRow(
        label=label,
        marks=(Mark(value=value, ends=ends, style=_STYLES[kind]),),
        text=show_decimal(value, digits=2) + size,
    )


def _make_closure_chart(rows: Sequence[DotRow], *, where: str) -> DotChart | None:
    if not rows:
        return None
    marks = [mark for row in rows for mark in row.marks]
    ends = [end for mark in marks for end in (mark.value, *(mark.ends or ()))]
    return DotChart(
        title=f"Gap closure {where}",
        caption=(
            "How much of the gap between floor (0) and ceiling (1) a setup closes; lines are 95 % "
            f"intervals over whole tasks, and a dot without a line has none. {_OVERLAP}"
        ),
        groups=(("", tuple(rows)),),
        axis=make_axis("gap closure", values=[1.0, *ends], show="{:g}".format),
        references=((0.0, "floor"), (1.0, "ceiling")),
    )


def chart_costs(rows: Sequence[ResultRow]) -> ScatterChart | None:
    """Success against what a run takes: dollars where they are known and not nothing, else tokens."""
    measures = (
        ("US dollars per graded run (mean)", [row.cost_usd for row in rows], show_usd),
        ("tokens per graded run (mean)", [row.tokens for row in rows], show_count),
    )
    for label, uses, show in measures:
        known = [
            (row, use.mean, row.pass_rate)
            for row, use in zip(rows, uses, strict=True)
            if use.total is not None and use.mean is not None and row.pass_rate is not None
        ]
        if any(mean for _, mean, _ in known):
            return _make_cost_chart(known, make_axis(label, values=[mean for _, mean, _ in known], show=show))
    return None


def _make_cost_chart(known: Sequence[tuple[ResultRow, float, float]], axis: Axis) -> ScatterChart:
    agents = {(row.agent, row.model_name) for row, _, _ in known}
    return ScatterChart(
        title=f"{axis.label} against pass rate on the catalog {known[0][0].catalog}",
        caption=(
            "Further left takes less, higher passes more; lines are 95 % intervals of the pass rate. "
            "Setups of which any graded run's use is not known are missing."
        ),
        spots=tuple(
            Spot(
                label=row.setup if len(agents) == 1 else f"{row.setup} ({row.agent})",
                x=mean,
                y=pass_rate,
                ends=row.pass_rate_ci95,
                style=_STYLES[row.setup_kind],
            )
            for row, mean, pass_rate in known
        ),
        x_axis=axis,
        y_axis=make_share_axis("pass rate"),
    )


def chart_habits(rows: Sequence[ResultRow]) -> DotChart | None:
    """Queries and fetches of an average run."""
    known = [row for row in rows if row.searching.runs]
    if not known:
        return None
    values = [mark.value for row in known for mark in _mark_habits(row)]
    several = len({(row.agent, row.model_name, row.catalog) for row in known}) > 1
    return DotChart(
        title="How agents searched",
        caption="Queries and page fetches of a run, on average over the runs whose searching is known.",
        groups=tuple(
            (
                f"{name_agent(agent, model)} on {catalog}" if several else "",
                tuple(_make_habit_row(row) for row in lanes),
            )
            for (catalog, agent, model), lanes in groupby(
                known, key=lambda row: (row.catalog, row.agent, row.model_name)
            )
        ),
        axis=make_axis("per run", values=values, show="{:g}".format),
        legend=(("first", "queries"), ("second", "fetches")),
    )


def _mark_habits(row: ResultRow) -> tuple[Mark, ...]:
    queries, fetches = row.searching.queries.per_run, row.searching.fetches_per_run
    series: tuple[tuple[Style, float | None], ...] = (("first", queries), ("second", fetches))
    return tuple(Mark(value=value, style=style) for style, value in series if value is not None)


def _make_habit_row(row: ResultRow) -> DotRow:
    queries, fetches = row.searching.queries.per_run, row.searching.fetches_per_run
    text = f"{show_decimal(queries)} and {show_decimal(fetches)}"
    return DotRow(label=row.setup, marks=_mark_habits(row), text=text)


def chart_agreement(agreements: Sequence[JudgeAgreement]) -> DotChart | None:
    """Shares of labels on which two judges agree."""
    groups = [
        (f"{found.second} beside {found.primary}", rows)
        for found in agreements
        if (rows := _make_agreement_rows(found))
    ]
    if not groups:
        return None
    return DotChart(
        title="Agreement of judges",
        caption="Shares of labels that both judges gave alike; kappa (κ) takes off what chance explains.",
        groups=tuple(groups),
        axis=make_share_axis("labelled alike"),
    )


def _make_agreement_rows(found: JudgeAgreement) -> tuple[DotRow, ...]:
    kinds = (("verdicts", found.verdicts), ("key facts", found.facts), ("claims", found.claims))
    return tuple(
        DotRow(
            label=label,
            marks=(Mark(value=counted.agreed / counted.pairs, style="first"),),
            text=f"{counted.agreed}/{counted.pairs}, κ {show_decimal(counted.kappa, digits=2)}",
        )
        for label, counted in kinds
        if counted.pairs
    )


# --- transcribed -----------------------------------------------------------------------------------------


def chart_printed_rates(battery: TranscribedBattery) -> DotChart:
    """Pass rates with the intervals that were printed."""
    return DotChart(
        title=f"Pass rates as printed: {battery.title}",
        caption=f"Transcribed, not recomputable. {_tell_printed_intervals(battery.rows)}",
        groups=(
            (name_agent(battery.agent, battery.model_name), tuple(map(_make_printed_row, battery.rows))),
        ),
        axis=make_share_axis("pass rate"),
    )


def _tell_printed_intervals(rows: Sequence[TranscribedRow]) -> str:
    printed = [row.pass_rate_percent_ci95 is not None for row in rows]
    if not any(printed):
        return "No intervals were printed, so the order may be chance."
    missing = "" if all(printed) else "; a dot without a line had none"
    return f"Lines are the printed 95 % intervals{missing}. {_OVERLAP}"


def _make_printed_row(row: TranscribedRow) -> DotRow:
    printed = row.pass_rate_percent_ci95
    ends = None if printed is None else (printed[0] / 100, printed[1] / 100)
    mark = Mark(value=row.passes / row.runs, ends=ends, style=_STYLES[row.setup_kind])
    return DotRow(label=name_row(row), marks=(mark,), text=f"{show_percent(mark.value)} of {row.runs}")


def chart_printed_closures(battery: TranscribedBattery) -> DotChart | None:
    """The printed gap closures."""
    rows = [
        _make_closure_row(name_row(row), row.setup_kind, value=row.gap_closure, ends=row.gap_closure_ci95)
        for row in battery.rows
        if row.gap_closure is not None and row.setup_kind.gives_tools
    ]
    return _make_closure_chart(rows, where=f"as printed: {battery.title}")
