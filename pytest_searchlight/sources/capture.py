"""Captures one cited address: from its public origin, or from the closed web's own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from pytest_searchlight.closed_web.pages import ClosedWeb, UnreachableError
from pytest_searchlight.sources.addresses import HTTP_REFUSED, AddressError, names_page
from pytest_searchlight.sources.policy import CapturePolicy
from pytest_searchlight.sources.reading import Reading, read_response
from pytest_searchlight.sources.records import (
    CapturedSource,
    CaptureStatus,
    FetchError,
    OriginResponse,
    hash_text,
)


def capture(url: str, *, policy: CapturePolicy) -> CapturedSource:
    """Capture `url` from its origin. Never raises for what an address or an origin is like."""
    # The HTTP client is loaded where a page is really fetched: most sessions never do.
    from pytest_searchlight.sources.fetching import fetch

    try:
        response = fetch(url, policy=policy)
    except AddressError as error:
        # As in the closed web: what is no address, or that of one's own machine, leads no reader anywhere.
        status = CaptureStatus.REFUSED if names_page(url, admits=policy.admits) else CaptureStatus.ABSENT
        return describe_capture(url, Reading(status=status, reason=str(error)))
    except FetchError as error:
        return describe_capture(url, Reading(status=CaptureStatus.FAILED, reason=str(error)))
    reading = read_response(response, decode_s=policy.decode_s)
    if response.secured:
        reading = _tell_secured(reading)
    return describe_capture(url, reading, final_url=response.url, secured=response.secured)


def _tell_secured(reading: Reading) -> Reading:
    """Says that an https form was read. What is absent there may well be there over http."""
    if reading.status is CaptureStatus.ABSENT:
        reason = f"{HTTP_REFUSED}; its https form: {reading.reason}"
        return replace(reading, status=CaptureStatus.REFUSED, reason=reason)
    told = "is http and was read in its https form"
    return replace(reading, reason=f"{told}; {reading.reason}" if reading.reason else told)


def capture_closed(url: str, *, web: ClosedWeb, policy: CapturePolicy) -> CapturedSource:
    """Capture `url` from the closed web, which knows of every host that there is."""
    try:
        page = web.open_page(url)
    except UnreachableError as error:
        return describe_capture(url, Reading(status=CaptureStatus.ABSENT, reason=str(error)))
    response = OriginResponse(
        url=page.url, status=page.status, content_type=page.content_type, body=page.body
    )
    reading = read_response(response, decode_s=policy.decode_s)
    return describe_capture(url, reading, final_url=page.url)


def describe_capture(
    url: str,
    reading: Reading,
    *,
    final_url: str | None = None,
    received_by_agent: bool = False,
    secured: bool = False,
) -> CapturedSource:
    """The record of a capture made now."""
    return CapturedSource(
        url=url,
        final_url=final_url,
        status=reading.status,
        reason=reading.reason,
        content_type=reading.content_type,
        text=reading.text,
        text_sha256=hash_text(reading.text),
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        received_by_agent=received_by_agent,
        secured=secured,
    )
