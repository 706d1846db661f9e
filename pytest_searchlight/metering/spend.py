"""What an answer itself says that it cost, wherever providers are known to put it."""

from __future__ import annotations

import json
import math
from typing import Final

from pydantic import JsonValue

REPORTED_AT: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("usd", ("costDollars", "total")),
    ("usd", ("usage", "cost", "total_cost")),
    ("credits", ("creditsUsed",)),
    ("credits", ("metadata", "creditsUsed")),
    ("credits", ("usage", "credits")),
)
"""Unit -> where in an answer the amount stands."""


def find_reported_spend(result: JsonValue) -> dict[str, float] | None:
    """The spend that the result of a tool call reports: amount by unit (``usd``, ``credits``).

    It is looked for in ``structuredContent``, in ``_meta`` and in texts that are JSON objects; the first
    place that reports anything is believed, because the others repeat it.
    """
    if not isinstance(result, dict):
        return None
    for document in (result.get("structuredContent"), result.get("_meta"), *_parse_texts(result)):
        if spend := _read_amounts(document):
            return spend
    return None


def _parse_texts(result: dict[str, JsonValue]) -> list[JsonValue]:
    content = result.get("content")
    documents = []
    for part in content if isinstance(content, list) else []:
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str) and text.lstrip().startswith("{"):
            documents.append(_parse(text))
    return documents


def _parse(text: str) -> JsonValue:
    try:
        document: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document


def _read_amounts(document: JsonValue) -> dict[str, float]:
    spend: dict[str, float] = {}
    for unit, path in REPORTED_AT:
        value = document
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        amount = _read_amount(value)
        if amount is not None:
            spend.setdefault(unit, amount)
    return spend


def _read_amount(value: JsonValue) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if 0 <= amount < math.inf else None
