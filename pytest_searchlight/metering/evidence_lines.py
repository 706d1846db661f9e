"""A `Metering` as the lines of ``metering.jsonl``, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_searchlight.metering.records import Metering

EVENT_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "started": ("sessions", "started", "spawned", "start_failure"),
    "initialized": ("initialized", "server_info", "protocol_version"),
    "tools_listed": ("tools_listed", "tools", "repeated_cursor"),
    "noise": ("noise_lines", "noise_tail"),
    "ended": (
        "ended",
        "intact",
        "recording_incomplete",
        "server_exit",
        "stderr_tail",
        "client_bytes",
        "server_bytes",
        "request_counts",
        "server_request_counts",
    ),
}
"""Event -> the fields of a `Metering` that its line holds; calls have a line each, before ``noise``."""


def describe_metering(metering: Metering) -> Iterator[dict[str, object]]:
    """The lines, as JSON-ready objects with the key ``event``; an event that was not observed has none."""
    fields = metering.model_dump(mode="json", exclude={"calls"})
    for event in ("started", "initialized", "tools_listed"):
        if fields[event]:
            yield _describe_event(event, fields)
    for call in metering.calls:
        yield {"event": "call", **call.model_dump(mode="json")}
    if metering.noise_lines:
        yield _describe_event("noise", fields)
    yield _describe_event("ended", fields)


def read_metering_events(lines: Iterable[Mapping[str, object]]) -> Metering:
    """The metering that `describe_metering` described.

    Raises:
        pydantic.ValidationError: the lines are not of that kind.
    """
    fields: dict[str, object] = {}
    calls: list[dict[str, object]] = []
    for line in lines:
        facts = {name: value for name, value in line.items() if name != "event"}
        if line.get("event") == "call":
            calls.append(facts)
        else:
            fields.update(facts)
    return Metering.model_validate({**fields, "calls": calls})


def _describe_event(event: str, fields: Mapping[str, object]) -> dict[str, object]:
    return {"event": event, **{name: fields[name] for name in EVENT_FIELDS[event]}}
