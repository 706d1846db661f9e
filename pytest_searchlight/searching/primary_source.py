"""Whether the page that settles a task came into view of the agent."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_searchlight.domain import Access
from pytest_searchlight.searching.calls import WebCall
from pytest_searchlight.searching.results import find_addresses, place_address


def find_access(calls: Sequence[WebCall], *, source: str) -> Access | None:
    """How `source`, an address, came into view.

    Fetched: asked for by its address, and answered. Surfaced: its address stands in a search result, but it
    was not fetched. Remembered: neither, so what was answered came from elsewhere or from the model. None:
    the result of a search is not known, so surfacing cannot be denied; or `source` is no address.
    """
    place = place_address(source)
    if place is None:
        return None
    answered = [call for call in calls if call.succeeded]
    if any(place in map(place_address, call.addresses) for call in answered):
        return Access.FETCHED
    results = [call.result_text for call in answered if call.searches]
    if any(text is not None and place in find_addresses(text) for text in results):
        return Access.SURFACED
    return None if None in results else Access.REMEMBERED
