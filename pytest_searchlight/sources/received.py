"""The way out when a page cannot be captured: what the run's own tools returned for its address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from pytest_searchlight.domain import CallOutcome, ToolCall
from pytest_searchlight.sources.addresses import canonical_source_url
from pytest_searchlight.sources.capture import describe_capture
from pytest_searchlight.sources.reading import Reading
from pytest_searchlight.sources.records import CapturedSource, CaptureStatus


def find_received(url: str, *, calls: Iterable[ToolCall]) -> str | None:
    """The text of the last successful call that asked for `url` and for nothing else, or None.

    A call for several addresses does not tell which part of its text is whose, nor does a search. An answer
    to a prompt about a page is a model's word on it, not the page; Claude Code's own fetch gives no other.
    """
    wanted = canonical_source_url(url)
    texts = [
        call.result_text
        for call in calls
        if call.outcome is CallOutcome.OK
        and call.result_text
        and {canonical_source_url(each) for each in _list_addresses(call.arguments)} == {wanted}
        and not _holds_prompt(call.arguments)
    ]
    return texts[-1] if texts else None


def read_received(fault: CapturedSource, *, calls: Iterable[ToolCall]) -> CapturedSource:
    """`fault` with the text that the agent received in the page's stead, marked so; else unchanged."""
    text = find_received(fault.url, calls=calls) if fault.status.is_fault else None
    if text is None:
        return fault
    reading = Reading(
        status=CaptureStatus.CAPTURED,
        reason=f"as the run's own tools returned it; the origin: {fault.reason}",
        content_type="text/plain",
        text=text,
    )
    return describe_capture(fault.url, reading, received_by_agent=True)


def _list_addresses(value: JsonValue) -> Iterator[str]:
    """Every address among a call's arguments."""
    if isinstance(value, str):
        if value.startswith(("http://", "https://")):
            yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _list_addresses(part)


def _holds_prompt(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return "prompt" in value or any(map(_holds_prompt, value.values()))
    return isinstance(value, list) and any(map(_holds_prompt, value))
