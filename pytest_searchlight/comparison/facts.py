"""What two sessions recorded of themselves, and where that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.comparison.records import FactChange

_TOLD: Final = {
    "searchlight_version": "Searchlight",
    "catalogs": "catalog",
    "servers": "server of",
    "judges": "judge",
}
"""The facts that numbers depend on, and what people call them."""


def list_fact_changes(
    before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
) -> Iterator[FactChange]:
    """The facts that differ. What a session did not record, for want of a summary, differs from nothing."""
    for name, what in _TOLD.items():
        earlier, later = before.get(name), after.get(name)
        if isinstance(earlier, dict) and isinstance(later, dict):
            yield from _list_differences(what, earlier, later)
        elif None not in (earlier, later) and earlier != later:
            yield FactChange(what=what, before=earlier, after=later)


def _list_differences(
    what: str, before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
) -> Iterator[FactChange]:
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            yield FactChange(what=f"{what} {name}", before=before[name], after=after[name])


def find_unchanged_catalogs(
    before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
) -> frozenset[str]:
    """Names of the catalogs that both sessions recorded with one hash."""
    hashes = before.get("catalogs"), after.get("catalogs")
    earlier, later = (each if isinstance(each, dict) else {} for each in hashes)
    return frozenset(name for name, value in earlier.items() if value == later.get(name))
