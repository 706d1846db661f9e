"""What the tokens of a run cost: rates from ``config/prices.yaml``, each with its source and date."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import NonNegativeFloat, TypeAdapter

from pytest_searchlight.config_file import read_config
from pytest_searchlight.domain import Record, Text, Usage

PRICES_FILE: Final = "prices.yaml"
_DATED_NAME = re.compile(r"-\d{8}$")


class TokenRates(Record):
    """US dollars per million tokens, by the disjoint classes of `Usage`; None is unknown."""

    input: NonNegativeFloat | None
    cached_input: NonNegativeFloat | None
    cache_write: NonNegativeFloat | None
    output: NonNegativeFloat | None
    reasoning: NonNegativeFloat | None


class ModelPrice(Record):
    """A model's rates from a day on, with where and when they were read.

    `usd_per_search` is what a call of the agent product's own search tool costs beside its tokens; None is
    unknown.
    """

    valid_from: date
    source: Text
    checked: date
    usd_per_million: TokenRates
    usd_per_search: NonNegativeFloat | None = None


@dataclass(frozen=True)
class PriceList:
    """The prices of models, by name."""

    models: Mapping[str, tuple[ModelPrice, ...]]

    def price_usage(
        self, usage: Usage, *, model: str, at: date, searches: int = 0
    ) -> tuple[float | None, tuple[str, ...]]:
        """US dollars for `usage` and the product's own `searches`, and what could not be priced.

        The rates are those in force on the day `at`; runs from before the first rate use that one, since a
        rate is dated by when it was read. The dollars are None as soon as one class of tokens was used and
        has no rate, or was not counted. Reasoning that a product does not count apart is in its output.
        """
        prices = self._find_prices(model)
        if not prices:
            return None, (f"no price for model {model!r} in {PRICES_FILE}",)
        in_force = [price for price in prices if price.valid_from <= at] or prices[:1]
        price = in_force[-1]
        classes = tuple(_pair_classes(usage, price.usd_per_million))
        reasons = list(_explain_unpriced(classes, model=model))
        if searches and price.usd_per_search is None:
            reasons.append(f"no usd_per_search for the product's own searches with {model!r} ({searches}x)")
        if reasons:
            return None, tuple(reasons)
        tokens_usd = sum((rate or 0) * (tokens or 0) for _, tokens, rate in classes) / 1e6
        return tokens_usd + searches * (price.usd_per_search or 0), ()

    def _find_prices(self, model: str) -> tuple[ModelPrice, ...]:
        """Prices of a model, also by a name that ends in the day of its release."""
        return self.models.get(model) or self.models.get(_DATED_NAME.sub("", model), ())


def _pair_classes(usage: Usage, rates: TokenRates) -> Iterator[tuple[str, int | None, float | None]]:
    yield "input", usage.input_tokens, rates.input
    yield "cached input", usage.cached_input_tokens, rates.cached_input
    yield "cache write", usage.cache_write_tokens, rates.cache_write
    yield "output", usage.output_tokens, rates.output
    yield "reasoning", usage.reasoning_tokens or 0, rates.reasoning


def _explain_unpriced(
    classes: Sequence[tuple[str, int | None, float | None]], *, model: str
) -> Iterator[str]:
    for name, tokens, rate in classes:
        if tokens is None:
            yield f"{name} tokens of {model!r} were not counted"
        elif tokens and rate is None:
            yield f"no rate for {name} tokens of {model!r}"


def read_prices(folders: Sequence[Path]) -> PriceList:
    """The prices of all `folders` that have a ``prices.yaml``; a later folder's models replace an earlier's.

    Raises:
        SettingsError: a file breaks a rule.
    """
    models: dict[str, tuple[ModelPrice, ...]] = {}
    for file in (folder / PRICES_FILE for folder in folders):
        if file.is_file():
            models |= _read_file(file)
    return PriceList(models)


_FILE_SHAPE: Final = TypeAdapter(dict[str, tuple[ModelPrice, ...]])


def _read_file(file: Path) -> dict[str, tuple[ModelPrice, ...]]:
    models = read_config(file, _FILE_SHAPE)
    return {
        name: tuple(sorted(prices, key=lambda price: price.valid_from)) for name, prices in models.items()
    }
