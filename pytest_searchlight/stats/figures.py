"""The records a comparison is made of. Where a number would not mean what it says, it is None and says why.

Rates and differences are fractions (0.1 is 10 points); none of the numbers is ever NaN or infinite.
"""

from __future__ import annotations

from typing import Self

from pydantic import FiniteFloat, NonNegativeInt, PositiveInt, model_validator

from pytest_searchlight.domain import Record, SetupKind

Interval = tuple[FiniteFloat, FiniteFloat]


class Figure(Record):
    """A number, or None with the reason in a sentence."""

    value: int | FiniteFloat | None
    reason: str | None = None

    @model_validator(mode="after")
    def _require_reason(self) -> Self:
        if (self.value is None) != (self.reason is not None):
            raise ValueError(f"value {self.value!r}, reason {self.reason!r}: exactly one must be None")
        return self


class Estimate(Record):
    """A number with its 95 % interval. `reason` says why the interval, or both, are None."""

    value: FiniteFloat | None
    ci95: Interval | None
    reason: str | None = None

    @model_validator(mode="after")
    def _require_reason(self) -> Self:
        if (self.ci95 is None) != (self.reason is not None) or (self.value is None and self.ci95 is not None):
            raise ValueError(f"{self!r}: an interval needs a value, and a reason stands where it is None")
        return self


class Resolution(Record):
    """What a comparison of this size could have shown.

    `detectable_difference` is the smallest true difference of pass rates that is found in 80 % of batteries,
    at the level that the comparison must reach if it is the first of its family to be found (5 % divided by
    the family's size); the others are how many tasks, or repetitions of each task, would find 10 points.
    """

    detectable_difference: Figure
    tasks_for_10_points: Figure
    repetitions_for_10_points: Figure


class PairedTest(Record):
    """McNemar's exact two-sided test of the pairs that one setup passed and the other failed.

    `p_value_holm` is adjusted within the family: the setups compared with the same reference, under the same
    agent and model, in the same catalog. `family_size` counts those of them that have a p-value.
    """

    setup_only: NonNegativeInt
    reference_only: NonNegativeInt
    p_value: Figure
    p_value_holm: Figure
    family_size: NonNegativeInt


class Comparison(Record):
    """A setup against a reference setup, over the (task, repetition) pairs that were measured under both.

    `lost_pairs` counts the (task, repetition) cells planned under either that make no pair; passes are
    counted in the pairs.
    """

    reference: str
    tasks: NonNegativeInt
    pairs: NonNegativeInt
    lost_pairs: NonNegativeInt
    setup_passes: NonNegativeInt
    reference_passes: NonNegativeInt
    difference: Estimate
    mcnemar: PairedTest
    resolution: Resolution


class GapClosure(Estimate):
    """(setup - floor) / (ceiling - floor) of pass rates, over the `tasks` measured under all three.

    `undefined_draws` counts the resamples in which the ceiling did not pass more than the floor. `plain_ci95`
    is the narrower interval that earlier public reports gave, to compare with those and for nothing else.
    """

    plain_ci95: Interval | None
    tasks: NonNegativeInt
    undefined_draws: NonNegativeInt


class Expense(Record):
    """What successes took, failed runs included: for each, and for each more than without search.

    `per_success` is over all graded runs, `per_extra_success` over the pairs with no-search; a negative
    number there means that the setup used less and passed more.
    """

    per_success: Figure
    per_extra_success: Figure


class SetupComparisons(Record):
    """One setup against every reference that was run."""

    setup: str
    setup_kind: SetupKind
    comparisons: tuple[Comparison, ...]
    gap_closure: GapClosure
    tokens: Expense
    cost_usd: Expense


class LaneComparisons(Record):
    """The setups that one agent and model ran over a catalog."""

    catalog: str
    agent: str
    model_name: str | None
    setups: tuple[SetupComparisons, ...]


class Comparisons(Record):
    """Every comparison of a session; the same rows, `seed` and `draws` give the same numbers."""

    seed: int
    draws: PositiveInt
    lanes: tuple[LaneComparisons, ...]
