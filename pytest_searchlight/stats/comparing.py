"""Compares search setups from the rows of a session: every number that says one is better than another.

Each setup is held against floor, no-search and built-in, on the (task, repetition) pairs measured under both.
Questions without an answer are left out against the floor, which passes them by an honest decline; against
no-search and built-in they stay, since searching may tempt an agent to claim what is not there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from pytest_searchlight.domain import RunRecord, SetupKind
from pytest_searchlight.stats.columns import RunColumns, read_columns
from pytest_searchlight.stats.expenses import measure_expense
from pytest_searchlight.stats.figures import (
    Comparison,
    Comparisons,
    GapClosure,
    LaneComparisons,
    PairedTest,
    SetupComparisons,
)
from pytest_searchlight.stats.paired_tests import compute_paired_tests
from pytest_searchlight.stats.pairing import Arm, Pairing, pair_arms, sort_arms, tabulate_rates
from pytest_searchlight.stats.resampling import (
    TaskDraws,
    estimate_closure,
    estimate_difference,
    withhold_closure,
)
from pytest_searchlight.stats.resolution import resolve_pairs

DRAWS: Final = 10_000
_REFERENCES: Final = (SetupKind.FLOOR, SetupKind.NO_SEARCH, SetupKind.BUILT_IN)
"""From the least search to the most: each is compared with those before it, so no pair is tested twice."""

_READ_LANE: Final = attrgetter("catalog", "agent", "model_name")
_KIND_ORDER: Final = {kind: place for place, kind in enumerate(SetupKind)}


def compare_setups(
    records: Sequence[RunRecord], *, seed: int, draws: int = DRAWS, columns: RunColumns | None = None
) -> Comparisons:
    """Compare the setups of each catalog, agent and model.

    Args:
        records: rows of ``runs.jsonl``, one for every planned run.
        seed: of the resamples.
        draws: how many resamples of the tasks stand behind each interval.
        columns: those of `records`, where they were read already.

    Raises:
        SummaryError: two rows stand for the same task, setup and repetition.
    """
    lanes: defaultdict[tuple[str, str, str | None], list[int]] = defaultdict(list)
    for place, name in enumerate(map(_READ_LANE, records)):
        lanes[name].append(place)
    facts = read_columns(records) if columns is None else columns
    ordered = sorted(lanes, key=lambda lane: (*lane[:2], lane[2] or ""))
    resamples = TaskDraws(seed=seed, draws=draws)
    return Comparisons(
        seed=seed,
        draws=draws,
        lanes=tuple(
            _compare_lane([records[place] for place in lanes[name]], facts.take(lanes[name]), resamples)
            for name in ordered
        ),
    )


def _compare_lane(records: Sequence[RunRecord], columns: RunColumns, draws: TaskDraws) -> LaneComparisons:
    arms = sort_arms(records, columns)
    compared = [arm for arm in arms.values() if arm.kind not in {SetupKind.FLOOR, SetupKind.CEILING}]
    families = [_compare_family(compared, arms[name], draws) for name in _REFERENCES if name in arms]
    first = records[0]
    return LaneComparisons(
        catalog=first.catalog,
        agent=first.agent,
        model_name=first.model_name,
        setups=tuple(
            _compare_setup(arm, arms, families=families, draws=draws)
            for arm in sorted(compared, key=lambda arm: (_KIND_ORDER[arm.kind], arm.setup))
        ),
    )


def _compare_setup(
    arm: Arm, arms: Mapping[str, Arm], *, families: Sequence[Mapping[str, Comparison]], draws: TaskDraws
) -> SetupComparisons:
    no_search = arms.get(SetupKind.NO_SEARCH)
    return SetupComparisons(
        setup=arm.setup,
        setup_kind=arm.kind,
        comparisons=tuple(family[arm.setup] for family in families if arm.setup in family),
        gap_closure=_close_gap(arm, arms, draws),
        tokens=measure_expense(arm, no_search=no_search, amount=attrgetter("tokens")),
        cost_usd=measure_expense(arm, no_search=no_search, amount=attrgetter("cost_usd")),
    )


def _close_gap(arm: Arm, arms: Mapping[str, Arm], draws: TaskDraws) -> GapClosure:
    missing = [str(kind) for kind in (SetupKind.FLOOR, SetupKind.CEILING) if kind not in arms]
    if missing:
        return withhold_closure(f"nothing was run under {' and '.join(missing)}")
    compared = (arm, arms[SetupKind.FLOOR], arms[SetupKind.CEILING])
    setup, floor, ceiling = tabulate_rates(*(each.answerable for each in compared))
    return estimate_closure(setup, floor=floor, ceiling=ceiling, draws=draws)


# --- against one reference --------------------------------------------------------------------------------


def _compare_family(arms: Iterable[Arm], reference: Arm, draws: TaskDraws) -> dict[str, Comparison]:
    """The comparisons with one reference, by setup; they are one family of tests."""
    pairings = {arm.setup: _pair(arm, reference) for arm in arms if _has_more_search(arm, reference)}
    tests = compute_paired_tests({name: pairing.table for name, pairing in pairings.items()})
    return {
        name: _compare_pairs(pairing, reference=reference.setup, test=tests[name], draws=draws)
        for name, pairing in pairings.items()
    }


def _has_more_search(arm: Arm, reference: Arm) -> bool:
    order = [str(kind) for kind in _REFERENCES]
    return arm.setup not in order or order.index(arm.setup) > order.index(reference.setup)


def _pair(arm: Arm, reference: Arm) -> Pairing:
    if reference.kind is SetupKind.FLOOR:
        return pair_arms(arm.answerable, reference.answerable)
    return pair_arms(arm, reference)


def _compare_pairs(pairing: Pairing, *, reference: str, test: PairedTest, draws: TaskDraws) -> Comparison:
    table, both = pairing.table, int(pairing.table.both.sum())
    return Comparison(
        reference=reference,
        tasks=table.tasks,
        pairs=int(table.pairs.sum()),
        lost_pairs=pairing.lost,
        setup_passes=both + test.setup_only,
        reference_passes=both + test.reference_only,
        difference=estimate_difference(table, draws=draws),
        mcnemar=test,
        resolution=resolve_pairs(table, tests=max(1, test.family_size)),
    )
