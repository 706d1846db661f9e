"""Which runs are compared with which: rows sorted into setups, and pairs counted by task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pytest_searchlight.domain import STATUS_RULES, RunRecord, SetupKind
from pytest_searchlight.errors import SummaryError

Counts = NDArray[np.float64]
"""Whole numbers, one for each task; floats, so that sums over resamples stay exact and fast."""

Mask = NDArray[np.bool_]
"""Which cells of a board are meant, one truth value for each."""

Cell = tuple[str, int]
"""A task and a repetition."""


_READ_CELL: Final = attrgetter("task", "repetition")


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """The cells of one catalog, agent and model, by task and repetition; each of its arms fills some of them.

    Attributes:
        cells: in order.
        tasks: for each cell the number of its task, from 0.
    """

    cells: Sequence[Cell]
    tasks: NDArray[np.intp]

    def count(self, chosen: Mask) -> Counts:
        """How many of the chosen cells each task has."""
        return np.bincount(self.tasks[chosen], minlength=int(self.tasks[-1]) + 1).astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Arm:
    """The runs of one setup on a board, None in a cell that it does not fill.

    `is_planned` marks the cells that are meant; of their runs, `is_graded` those that count in pass rates and
    `is_passed` those that passed.
    """

    setup: str
    kind: SetupKind
    board: Board
    runs: Sequence[RunRecord | None]
    is_planned: Mask
    is_graded: Mask
    is_passed: Mask

    @cached_property
    def planned(self) -> Mapping[Cell, RunRecord]:
        """All runs by cell."""
        return {cell: run for cell, run in zip(self.board.cells, self.runs, strict=True) if run is not None}

    @cached_property
    def graded(self) -> Mapping[Cell, RunRecord]:
        """The runs that count in pass rates, by cell."""
        return {cell: run for cell, run in self.planned.items() if STATUS_RULES[run.status].counts}

    @cached_property
    def tokens(self) -> Counts:
        """The tokens of each cell's run; not a number where they are unknown."""
        used = (run and run.usage.total_tokens for run in self.runs)
        return np.array([*used], dtype=np.float64)

    @cached_property
    def cost_usd(self) -> Counts:
        """The US dollars of each cell's run; not a number where they are unknown."""
        used = (run and run.cost.total_usd for run in self.runs)
        return np.array([*used], dtype=np.float64)

    @cached_property
    def answerable(self) -> Arm:
        """The same without the questions that have no answer."""
        kept = np.array([run is not None and not run.control for run in self.runs])
        if (kept == self.is_planned).all():
            return self
        return replace(
            self,
            runs=[run if keep else None for run, keep in zip(self.runs, kept, strict=True)],
            is_planned=self.is_planned & kept,
            is_graded=self.is_graded & kept,
            is_passed=self.is_passed & kept,
        )


def sort_arms(records: Iterable[RunRecord]) -> dict[str, Arm]:
    """The arms of one catalog, agent and model, by the setup's name.

    Raises:
        SummaryError: two rows stand for the same run.
    """
    runs_of: defaultdict[str, list[RunRecord]] = defaultdict(list)
    for run in records:
        runs_of[run.setup].append(run)
    planned = {setup: _place(runs) for setup, runs in runs_of.items()}
    board = _lay_board(set().union(*planned.values()))
    return {setup: _fill_arm(setup, board, runs) for setup, runs in planned.items()}


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
    return Board(cells=ordered, tasks=np.array([numbers[task] for task, _ in ordered], dtype=np.intp))


def _fill_arm(setup: str, board: Board, planned: Mapping[Cell, RunRecord]) -> Arm:
    runs = [*map(planned.get, board.cells)]
    is_graded = np.array([run is not None and STATUS_RULES[run.status].counts for run in runs])
    return Arm(
        setup=setup,
        kind=next(iter(planned.values())).setup_kind,
        board=board,
        runs=runs,
        is_planned=np.array([run is not None for run in runs]),
        is_graded=is_graded,
        is_passed=is_graded & np.array([run is not None and run.passed is True for run in runs]),
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
