"""Which runs are compared with which: rows sorted into setups, and pairs counted by task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pytest_searchlight.domain import STATUS_RULES, RunRecord, SetupKind
from pytest_searchlight.errors import SummaryError
from pytest_searchlight.stats.columns import Counts, Mask, RunColumns

Cell = tuple[str, int]
"""A task and a repetition."""


_READ_CELL: Final = attrgetter("task", "repetition")


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """The cells of one catalog, agent and model, by task and repetition; each of its arms fills some of them.

    Attributes:
        places: the place of each cell, from 0, in order.
        tasks: for each place the number of its task, from 0.
    """

    places: Mapping[Cell, int]
    tasks: NDArray[np.intp]

    def count(self, chosen: Mask) -> Counts:
        """How many of the chosen cells each task has."""
        return np.bincount(self.tasks[chosen], minlength=int(self.tasks[-1]) + 1).astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Arm:
    """The runs of one setup on a board; the arrays have an entry for each of its cells.

    Attributes:
        setup: its name.
        kind: what sort of search it gives.
        board: where the runs stand.
        planned: all runs by cell.
        is_planned: which cells the setup fills.
        is_control: of those, whose question has no answer.
        is_graded: of those, which count in pass rates.
        is_passed: of those, which passed.
        tokens: what each run used; not a number where that is unknown.
        cost_usd: the same in US dollars.
    """

    setup: str
    kind: SetupKind
    board: Board
    planned: Mapping[Cell, RunRecord]
    is_planned: Mask
    is_control: Mask
    is_graded: Mask
    is_passed: Mask
    tokens: Counts
    cost_usd: Counts

    @cached_property
    def graded(self) -> Mapping[Cell, RunRecord]:
        """The runs that count in pass rates, by cell."""
        return {cell: run for cell, run in self.planned.items() if STATUS_RULES[run.status].counts}

    @cached_property
    def answerable(self) -> Arm:
        """The same without the questions that have no answer."""
        if not self.is_control.any():
            return self
        kept = ~self.is_control
        return replace(
            self,
            planned={cell: run for cell, run in self.planned.items() if not run.control},
            is_planned=self.is_planned & kept,
            is_control=self.is_control & kept,
            is_graded=self.is_graded & kept,
            is_passed=self.is_passed & kept,
        )


def sort_arms(records: Sequence[RunRecord], columns: RunColumns) -> dict[str, Arm]:
    """The arms of one catalog, agent and model, by the setup's name.

    Args:
        records: all runs.
        columns: those of `records`.

    Raises:
        SummaryError: two rows stand for the same run.
    """
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row, run in enumerate(records):
        rows_of[run.setup].append(row)
    planned = {setup: _place([records[row] for row in rows]) for setup, rows in rows_of.items()}
    board = _lay_board(set().union(*planned.values()))
    return {
        setup: _fill_arm(setup, board, planned[setup], columns.take(rows)) for setup, rows in rows_of.items()
    }


def _place(runs: Sequence[RunRecord]) -> dict[Cell, RunRecord]:
    """The runs of one setup by their cells. Raises SummaryError when two fill the same."""
    placed = dict(zip(map(_READ_CELL, runs), runs, strict=True))
    if len(placed) == len(runs):
        return placed
    (cell, _), *_ = Counter(map(_READ_CELL, runs)).most_common(1)
    first, second, *_ = (run.run_id for run in runs if _READ_CELL(run) == cell)
    raise SummaryError(
        f"{first} and {second}: two rows for one task, setup and repetition; a comparison needs one, "
        "so leave one out"
    )


def _lay_board(cells: Collection[Cell]) -> Board:
    ordered = sorted(cells)
    numbers = {task: number for number, task in enumerate(dict.fromkeys(task for task, _ in ordered))}
    return Board(
        places={cell: place for place, cell in enumerate(ordered)},
        tasks=np.array([numbers[task] for task, _ in ordered], dtype=np.intp),
    )


def _fill_arm(setup: str, board: Board, planned: Mapping[Cell, RunRecord], columns: RunColumns) -> Arm:
    places = [board.places[cell] for cell in planned]

    def mark(chosen: Mask) -> Mask:
        mask = np.zeros(len(board.places), dtype=np.bool_)
        mask[places] = chosen
        return mask

    def lay(used: Counts) -> Counts:
        amounts = np.full(len(board.places), np.nan)
        amounts[places] = used
        return amounts

    return Arm(
        setup=setup,
        kind=next(iter(planned.values())).setup_kind,
        board=board,
        planned=planned,
        is_planned=mark(np.ones(len(places), dtype=np.bool_)),
        is_control=mark(columns.is_control),
        is_graded=mark(columns.is_graded),
        is_passed=mark(columns.is_graded & columns.is_passed),
        tokens=lay(columns.tokens),
        cost_usd=lay(columns.cost_usd),
    )


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """The pairs of two arms: graded runs of the same cell. `lost` cells make no pair."""

    table: PairTable
    lost: int


def pair_arms(setup: Arm, reference: Arm) -> Pairing:
    """Pair the runs of a setup with those of a reference on the same board."""
    paired = setup.is_graded & reference.is_graded
    pairs = setup.board.count(paired)
    has_pair = pairs > 0
    passed, other = setup.is_passed & paired, reference.is_passed & paired
    both, setup_only, reference_only = (
        setup.board.count(chosen)[has_pair] for chosen in (passed & other, passed & ~other, other & ~passed)
    )
    return Pairing(
        table=PairTable(
            pairs=pairs[has_pair], both=both, setup_only=setup_only, reference_only=reference_only
        ),
        lost=int((setup.is_planned | reference.is_planned).sum() - paired.sum()),
    )


@dataclass(frozen=True, kw_only=True)
class PairTable:
    """Pairs by task, as arrays of one length.

    `pairs` counts all of a task's pairs, at least 1; `setup_only` and `reference_only` those that only one
    passed; `both` those that both passed.
    """

    pairs: Counts
    both: Counts
    setup_only: Counts
    reference_only: Counts

    @property
    def tasks(self) -> int:
        """How many tasks have a pair."""
        return len(self.pairs)

    @property
    def differences(self) -> Counts:
        """Passes of the setup minus passes of the reference."""
        return self.setup_only - self.reference_only

    @property
    def discordant(self) -> Counts:
        """Pairs that only one of the two passed."""
        return self.setup_only + self.reference_only


def tabulate_pairs(pairs: Collection[tuple[RunRecord, RunRecord]]) -> PairTable:
    """Count `pairs`, each of a setup's run and the reference's run, by task."""
    seen = Counter((one.task, one.passed is True, other.passed is True) for one, other in pairs)
    tasks = sorted({task for task, _, _ in seen})

    def count(setup: bool, reference: bool) -> Counts:  # noqa: FBT001 - who passed
        return np.array([seen[task, setup, reference] for task in tasks], dtype=np.float64)

    both, setup_only, reference_only = count(True, True), count(True, False), count(False, True)
    return PairTable(
        pairs=both + setup_only + reference_only + count(False, False),
        both=both,
        setup_only=setup_only,
        reference_only=reference_only,
    )


@dataclass(frozen=True, kw_only=True)
class RateTable:
    """An arm's graded runs and passes by task, as arrays of one length."""

    passes: Counts
    runs: Counts


def tabulate_rates(*arms: Arm) -> tuple[RateTable, ...]:
    """Count the graded runs of arms of one board, over the tasks that have one in every arm."""
    runs = [arm.board.count(arm.is_graded) for arm in arms]
    shared = np.all([each > 0 for each in runs], axis=0)
    return tuple(
        RateTable(passes=arm.board.count(arm.is_passed)[shared], runs=each[shared])
        for arm, each in zip(arms, runs, strict=True)
    )
