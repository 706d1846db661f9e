"""Which runs are compared with which: rows sorted into setups, and pairs counted by task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pytest_searchlight.domain import STATUS_RULES, RunRecord, SetupKind
from pytest_searchlight.errors import SummaryError

Counts = NDArray[np.float64]
"""Whole numbers, one for each task; floats, so that sums over resamples stay exact and fast."""

Cell = tuple[str, int]
"""A task and a repetition."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """The runs of one setup by cell: all that were planned, and of these the graded ones."""

    setup: str
    kind: SetupKind
    planned: Mapping[Cell, RunRecord]

    @cached_property
    def graded(self) -> Mapping[Cell, RunRecord]:
        """The runs that count in pass rates."""
        return {cell: run for cell, run in self.planned.items() if STATUS_RULES[run.status].counts}

    @cached_property
    def tasks(self) -> frozenset[str]:
        """The tasks with a graded run."""
        return frozenset(task for task, _ in self.graded)

    def without_controls(self) -> Arm:
        """The same without the questions that have no answer."""
        answerable = {cell: run for cell, run in self.planned.items() if not run.control}
        return Arm(setup=self.setup, kind=self.kind, planned=answerable)


def sort_arms(records: Iterable[RunRecord]) -> dict[str, Arm]:
    """The arms of one catalog, agent and model, by the setup's name.

    Raises:
        SummaryError: two rows stand for the same run.
    """
    kinds: dict[str, SetupKind] = {}
    planned: dict[str, dict[Cell, RunRecord]] = {}
    for run in records:
        kinds[run.setup] = run.setup_kind
        runs, cell = planned.setdefault(run.setup, {}), (run.task, run.repetition)
        if cell in runs:
            raise SummaryError(
                f"{run.run_id} and {runs[cell].run_id}: two rows for one task, setup and repetition; "
                "a comparison needs one, so leave one out"
            )
        runs[cell] = run
    return {setup: Arm(setup=setup, kind=kinds[setup], planned=runs) for setup, runs in planned.items()}


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """The pairs of two arms: graded runs of the same task and repetition. `lost` cells make no pair."""

    pairs: tuple[tuple[RunRecord, RunRecord], ...]
    lost: int

    @cached_property
    def table(self) -> PairTable:
        """The pairs counted by task."""
        return tabulate_pairs(self.pairs)


def pair_arms(setup: Arm, reference: Arm) -> Pairing:
    """Pair the runs of a setup with those of a reference, in the order of task and repetition."""
    cells = sorted(setup.graded.keys() & reference.graded.keys())
    planned = setup.planned.keys() | reference.planned.keys()
    pairs = tuple((setup.graded[cell], reference.graded[cell]) for cell in cells)
    return Pairing(pairs=pairs, lost=len(planned) - len(pairs))


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
    tasks, place = np.unique([setup.task for setup, _ in pairs], return_inverse=True)
    passed = np.array([(a.passed is True, b.passed is True) for a, b in pairs], dtype=bool).reshape(-1, 2)
    setup, reference = passed.T

    def count(chosen: NDArray[np.bool_]) -> Counts:
        return np.bincount(place[chosen], minlength=len(tasks)).astype(np.float64)

    return PairTable(
        pairs=count(np.ones_like(setup)),
        both=count(setup & reference),
        setup_only=count(setup & ~reference),
        reference_only=count(reference & ~setup),
    )


@dataclass(frozen=True, kw_only=True)
class RateTable:
    """An arm's graded runs and passes by task, as arrays of one length."""

    passes: Counts
    runs: Counts


def tabulate_rates(arm: Arm, tasks: Collection[str]) -> RateTable:
    """Count the graded runs of `arm` for each of `tasks`, in their order; other tasks are left out."""
    place = {task: number for number, task in enumerate(tasks)}
    table = np.zeros((2, len(place)))
    for (task, _), run in arm.graded.items():
        if task in place:
            table[:, place[task]] += (run.passed is True, 1)
    return RateTable(passes=table[0], runs=table[1])
