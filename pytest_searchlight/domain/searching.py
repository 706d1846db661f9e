"""How one run searched, as it stands in its row: numbers and kinds, neither queries nor results."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt

from pytest_searchlight.domain.base import Record


class Access(StrEnum):
    """How a run came by its task's primary source; the first that holds."""

    __hash__ = str.__hash__  # see `RunStatus`

    FETCHED = "fetched"
    SURFACED = "surfaced"
    REMEMBERED = "remembered"


SignKind = Literal["task-text", "reference-answer", "benchmark-host"]


class Sign(Record):
    """Why a run is flagged: which call (from 0, among its web calls that were made) showed what."""

    kind: SignKind
    call: NonNegativeInt


class SearchFacts(Record):
    """How one run searched. Refused calls are counted as such and as nothing else.

    One search may hold several queries; `query_words` is the sum over all of them, and the four counts after
    it are of queries. `told_searches` are the searches whose result tells whether there were hits;
    `empty_searches` of them had none. `shown_chars` is what all results together showed the model.
    `provider_s` is the time in seconds during which at least one call waited for the provider. These two,
    `access` and `signs` are None where a result or a time that they depend on is not known; `access` also
    where the task names no source or the prompt holds the answer. A run is flagged when `signs` has any.
    """

    searches: NonNegativeInt
    fetches: NonNegativeInt
    queries: NonNegativeInt
    query_words: NonNegativeInt
    natural_language_queries: NonNegativeInt
    site_queries: NonNegativeInt
    quoted_queries: NonNegativeInt
    year_queries: NonNegativeInt
    reformulations: NonNegativeInt
    told_searches: NonNegativeInt
    empty_searches: NonNegativeInt
    refused_calls: NonNegativeInt
    shown_chars: NonNegativeInt | None
    provider_s: NonNegativeFloat | None
    access: Access | None
    signs: tuple[Sign, ...] | None
