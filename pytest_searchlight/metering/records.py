"""The records of what passed between an agent and a search provider's server."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, NonNegativeInt

from pytest_searchlight.domain import Record

WireOutcome = Literal[
    "ok", "tool_error", "protocol_error", "cancelled", "server_died", "refused_budget", "unanswered"
]
MeteringState = Literal["unobserved", "started", "spawned", "initialized", "tools_listed"]


class MeteredCall(Record):
    """One ``tools/call``, as the wire saw it.

    `started_s` counts from the start of the meter, `latency_s` runs from when the request could be sent on
    to the arrival of the answer's last byte; for a cancelled call it is the time until the cancellation. The
    `paced_s` before, for which our own pacing held the request, are in neither.

    `model_visible_chars` are the characters that a model is shown, which is what `result_text` holds: texts,
    texts of embedded resources, and name, address and description of resource links. Images, audio and
    binary resources are shown, if at all, as something else than characters, so they count as none.
    `structured_chars` is the size of ``structuredContent``, which repeats them; where there is nothing to
    repeat, it is what is shown.

    All that could not be read, because the answer is missing or was too much to record, is None.
    """

    request_id: str | int | float | None
    tool: str
    arguments: JsonValue = None
    started_s: float
    latency_s: float | None = None
    paced_s: float = 0.0
    request_bytes: NonNegativeInt
    response_bytes: NonNegativeInt | None = None
    model_visible_chars: NonNegativeInt | None = None
    structured_chars: NonNegativeInt | None = None
    outcome: WireOutcome
    error_code: int | None = None
    error_text: str | None = None
    result_text: str | None = None
    http_status: int | None = None
    retry_after_s: float | None = None
    provider_spend: dict[str, float] | None = None

    @property
    def is_answered(self) -> bool:
        """Whether an answer came, be it an error that the agent has to live with."""
        return self.outcome in {"ok", "tool_error", "protocol_error"}


class MeteredTool(Record):
    """A tool that the server listed; the hash is of its input schema, whatever the order of its keys."""

    name: str
    description_chars: NonNegativeInt
    schema_sha256: str


class ServerInfo(Record):
    """How the server introduced itself."""

    name: str
    version: str | None = None


class ServerExit(Record):
    """How the server ended; `code` is negative for a signal, `unasked` tells a death from a farewell."""

    code: int
    unasked: bool


class Metering(Record):
    """All that the meter saw during one run.

    The booleans say what was *observed*, which is not the same as what happened: a run whose meter never
    ran is `unobserved`, and says nothing about the provider. An agent may start its server more than once;
    `sessions` counts the times, and everything else is put together from all of them.

    `start_failure` is why the server could not be started or reached, or refused the handshake.

    `recording_incomplete` is True unless it is known that nothing was lost. A meter that was killed leaves
    it open, although the record it left may be `intact`: without a gap as far as it goes.
    """

    sessions: NonNegativeInt = 0
    started: bool = False
    spawned: bool = False
    initialized: bool = False
    tools_listed: bool = False
    start_failure: str | None = None
    server_info: ServerInfo | None = None
    protocol_version: str | None = None
    tools: tuple[MeteredTool, ...] = ()
    repeated_cursor: bool = False
    calls: tuple[MeteredCall, ...] = ()
    request_counts: dict[str, int] = Field(default_factory=dict)
    server_request_counts: dict[str, int] = Field(default_factory=dict)
    noise_lines: NonNegativeInt = 0
    noise_tail: str = ""
    stderr_tail: str = ""
    server_exit: ServerExit | None = None
    client_bytes: NonNegativeInt = 0
    server_bytes: NonNegativeInt = 0
    ended: bool = False
    intact: bool = False
    recording_incomplete: bool = True

    @property
    def state(self) -> MeteringState:
        """How far the session came, as far as was observed."""
        if self.tools_listed:
            return "tools_listed"
        if self.initialized:
            return "initialized"
        if self.spawned:
            return "spawned"
        return "started" if self.started else "unobserved"
