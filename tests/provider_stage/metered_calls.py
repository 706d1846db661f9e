"""Metered calls and sessions made by hand, for what needs no wire."""

from __future__ import annotations

from pydantic import JsonValue

from pytest_searchlight.metering import MeteredCall, Metering
from pytest_searchlight.metering.records import WireOutcome


def make_call(
    tool: str = "find",
    *,
    outcome: WireOutcome = "ok",
    arguments: JsonValue = None,
    text: str = "",
    error_code: int | None = None,
    http_status: int | None = None,
    spend: dict[str, float] | None = None,
) -> MeteredCall:
    """A call that got `text` as its answer."""
    return MeteredCall(
        request_id=1,
        tool=tool,
        arguments=arguments if arguments is not None else {},
        started_s=0.5,
        request_bytes=80,
        outcome=outcome,
        result_text=text if outcome in {"ok", "tool_error"} else None,
        error_text=text if outcome == "protocol_error" else None,
        error_code=error_code,
        http_status=http_status,
        provider_spend=spend,
    )


def make_metering(*calls: MeteredCall, complete: bool = True) -> Metering:
    """A session in which `calls` were made."""
    return Metering(sessions=1, started=True, calls=calls, recording_incomplete=not complete)
