"""Which runs are compared with which: rows sorted into setups, and pairs counted by task."""

from __future__ import annotations

from collections import Counter
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

    @cached_property
    def tokens(self) -> Mapping[Cell, float | None]:
        """The tokens of each graded run; None is unknown."""
        return {cell: run.usage.total_tokens for cell, run in self.graded.items()}

    @cached_property
    def cost_usd(self) -> Mapping[Cell, float | None]:
        """The US dollars of each graded run; None is unknown."""
        return {cell: run.cost.total_usd for cell, run in self.graded.items()}

    @cached_property
    def answerable(self) -> Arm:
        """The same without the questions that have no answer."""
        answerable = {cell: run for cell, run in self.planned.items() if not run.control}
        if len(answerable) == len(self.planned):
            return self
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


def tabulate_rates(arm: Arm, tasks: Collection[str]) -> RateTable:
    """Count the graded runs of `arm` for each of `tasks`, in their order; other tasks are left out."""
    runs = Counter(task for task, _ in arm.graded)
    passes = Counter(task for (task, _), run in arm.graded.items() if run.passed)
    return RateTable(
        passes=np.array([passes[task] for task in tasks], dtype=np.float64),
        runs=np.array([runs[task] for task in tasks], dtype=np.float64),
    )
