"""Setups held against each other and against the references, with what could have been shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_searchlight.domain import name_agent
from pytest_searchlight.stats.figures import (
    Comparison,
    Comparisons,
    LaneComparisons,
    SetupComparisons,
)
from pytest_searchlight.website.formats import (
    show_count,
    show_decimal,
    show_decimal_interval,
    show_p_value,
    show_points,
    show_points_interval,
    show_ratio,
)
from pytest_searchlight.website.sections.parts import Section
from pytest_searchlight.website.sections.pictures import chart_closures
from pytest_searchlight.website.tables import Cell, Table, gather_reasons, illustrate, make_table, number

_DIFFERENCE_LABELS: Final = (
    "Setup",
    "Against",
    "Pairs",
    "Lost pairs",
    "Passes",
    "Reference passes",
    "Difference, points",
    "95 % interval",
    "p (exact)",
    "p (Holm)",
    "Detectable, points",
)


def describe_comparisons(comparisons: Comparisons | None) -> Section:
    """Differences of pass rates over the pairs that were measured under both setups."""
    if comparisons is None:
        text = "No two setups were run by the same agent, so there is nothing to compare."
        return Section(id="comparisons", title="Comparisons", paragraphs=(text,))
    text = (
        "Over (task, repetition) pairs that were graded under both setups: McNemar's exact test, adjusted "
        "by Holm within each agent's family against one reference; intervals by a paired bootstrap over "
        f"whole tasks ({comparisons.draws:,} draws, seed {comparisons.seed}). The test takes pairs for "
        "independent, which repetitions of one task are not, so a small p counts only beside an interval "
        "that leaves out 0. “Detectable” is the smallest true difference that a session of this size would "
        "find in four of five cases, at the level that the first of a family must reach: 5 % divided by the "
        "number of comparisons in it. A smaller one cannot be ruled out here. No provider is compared with "
        "another."
    )
    tables = tuple(_make_differences(lane) for lane in comparisons.lanes if _list_comparisons(lane))
    return Section(id="comparisons", title="Comparisons", paragraphs=(text,), tables=tables)


def _list_comparisons(lane: LaneComparisons) -> list[tuple[SetupComparisons, Comparison]]:
    return [(setup, comparison) for setup in lane.setups for comparison in setup.comparisons]


def _make_differences(lane: LaneComparisons) -> Table:
    pairs = _list_comparisons(lane)
    return make_table(
        f"Differences on the catalog {lane.catalog}, {name_agent(lane.agent, lane.model_name)}",
        labels=_DIFFERENCE_LABELS,
        rows=[_make_difference(setup, comparison) for setup, comparison in pairs],
        notes=gather_reasons(
            pair for setup, comparison in pairs for pair in _explain_dashes(setup, comparison)
        ),
        texts=2,
    )


def _make_difference(setup: SetupComparisons, comparison: Comparison) -> list[Cell | str]:
    difference, test = comparison.difference, comparison.mcnemar
    detectable = comparison.resolution.detectable_difference.value
    low = None if difference.ci95 is None else difference.ci95[0]
    return [
        setup.setup,
        comparison.reference,
        number(comparison.pairs, show_count(comparison.pairs)),
        number(comparison.lost_pairs, show_count(comparison.lost_pairs)),
        number(comparison.setup_passes, show_ratio(comparison.setup_passes, comparison.pairs)),
        number(comparison.reference_passes, show_ratio(comparison.reference_passes, comparison.pairs)),
        number(difference.value, show_points(difference.value)),
        number(low, show_points_interval(difference.ci95)),
        number(test.p_value.value, show_p_value(test.p_value.value)),
        number(test.p_value_holm.value, show_p_value(test.p_value_holm.value)),
        number(detectable, show_decimal(None if detectable is None else 100 * detectable, digits=0)),
    ]


def _explain_dashes(setup: SetupComparisons, comparison: Comparison) -> Iterator[tuple[str, str | None]]:
    name = f"{setup.setup} against {comparison.reference}"
    yield name, comparison.difference.reason
    yield name, comparison.mcnemar.p_value_holm.reason
    yield name, comparison.resolution.detectable_difference.reason


def tell_detectable(comparisons: Comparisons | None) -> str | None:
    """What difference the comparisons could have found, in a sentence; a range where they vary."""
    found = [
        100 * value
        for lane in (comparisons.lanes if comparisons else ())
        for _, comparison in _list_comparisons(lane)
        if (value := comparison.resolution.detectable_difference.value) is not None
    ]
    ends = dict.fromkeys(show_decimal(end, digits=0) for end in (min(found), max(found))) if found else {}
    if not ends:
        return None
    return f"The smallest difference of pass rates that could have been found is {' to '.join(ends)} points."


def describe_closures(comparisons: Comparisons | None) -> Section | None:
    """How much of the gap between floor and ceiling each setup closes; None where neither was run."""
    lanes = [(lane, _list_closable(lane)) for lane in (comparisons.lanes if comparisons else ())]
    tables = tuple(_make_closures(lane, setups) for lane, setups in lanes if setups)
    if not tables:
        return None
    text = (
        "Gap closure is (setup - floor) / (ceiling - floor) of the pass rates, over the tasks that were "
        "measured under all three: 0 is what the agent does without search, 1 what it does with the source "
        "in its prompt. Resamples in which the ceiling passes no more than the floor are counted; too many "
        "withhold the interval."
    )
    return Section(id="gap-closure", title="Gap closure", paragraphs=(text,), tables=tables)


def _list_closable(lane: LaneComparisons) -> list[SetupComparisons]:
    """The setups of which there are tasks that were measured under floor and ceiling too."""
    return [setup for setup in lane.setups if setup.gap_closure.tasks]


def _make_closures(lane: LaneComparisons, setups: list[SetupComparisons]) -> Table:
    where = f"on the catalog {lane.catalog}, {name_agent(lane.agent, lane.model_name)}"
    table = make_table(
        f"Gap closure {where}",
        labels=("Setup", "Tasks", "Gap closure", "95 % interval", "Undefined draws"),
        rows=[_make_closure(setup) for setup in setups],
        notes=gather_reasons((setup.setup, setup.gap_closure.reason) for setup in setups),
    )
    return illustrate(table, chart=chart_closures(setups, where=where))


def _make_closure(setup: SetupComparisons) -> list[Cell | str]:
    closure = setup.gap_closure
    low = None if closure.ci95 is None else closure.ci95[0]
    return [
        setup.setup,
        number(closure.tasks, show_count(closure.tasks)),
        number(closure.value, show_decimal(closure.value, digits=2)),
        number(low, show_decimal_interval(closure.ci95)),
        number(closure.undefined_draws, show_count(closure.undefined_draws)),
    ]
