"""McNemar's exact test, and Holm's adjustment for making several tests at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from scipy.special import bdtr

from pytest_searchlight.stats.figures import Figure, PairedTest
from pytest_searchlight.stats.pairing import PairTable

_NO_PAIR: Final = "no pair was measured under both setups"


def compute_mcnemar_p(*, setup_only: int, reference_only: int) -> float:
    """Exact two-sided p-value of McNemar's test from the two counts of discordant pairs.

    Under the hypothesis of no difference each discordant pair falls either way with probability 1/2. Without
    discordant pairs nothing speaks against it: 1.

    Source: Q. McNemar, Psychometrika 12 (1947); the exact form is the binomial (sign) test.
    """
    discordant = setup_only + reference_only
    tail = float(bdtr(min(setup_only, reference_only), discordant, 0.5))
    return min(1.0, 2 * tail)


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of one family, adjusted for their number, in the order given.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def compute_paired_tests(tables: Mapping[str, PairTable]) -> dict[str, PairedTest]:
    """Test each of the pair tables that belong to one family; one without pairs has no p-value."""
    p_values = {
        name: compute_mcnemar_p(
            setup_only=int(table.setup_only.sum()), reference_only=int(table.reference_only.sum())
        )
        for name, table in tables.items()
        if table.tasks
    }
    adjusted = dict(zip(p_values, adjust_holm(list(p_values.values())), strict=True))
    return {
        name: PairedTest(
            setup_only=int(table.setup_only.sum()),
            reference_only=int(table.reference_only.sum()),
            p_value=_make_figure(p_values.get(name)),
            p_value_holm=_make_figure(adjusted.get(name)),
            family_size=len(p_values),
        )
        for name, table in tables.items()
    }


def _make_figure(p_value: float | None) -> Figure:
    return Figure(value=p_value, reason=_NO_PAIR if p_value is None else None)
