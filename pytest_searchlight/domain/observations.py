"""What a run is observed to do: tool calls, tokens, dollars."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, JsonValue

from pytest_searchlight.domain.base import Record


class CallOutcome(StrEnum):
    """How a tool call ended, from the agent's point of view."""

    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    UNANSWERED = "unanswered"


class ToolCall(Record):
    """A tool call as the agent's own transcript reports it.

    `executed` is False when the agent product refused to run it (not enabled, not approved), None when
    the transcript does not tell. `server` is the MCP server's name, None for the agent's own tools.
    """

    tool: str
    server: str | None = None
    arguments: JsonValue = None
    outcome: CallOutcome
    executed: bool | None = True
    result_text: str | None = None
    error_text: str | None = None
    started_s: float | None = None
    duration_s: float | None = None


TokenCount = Annotated[int, Field(ge=0, le=10**15)]
"""Tokens; more than any session can use are a fault of who counted."""


class Usage(Record):
    """Tokens, in disjoint classes; ``None`` is unknown, which is not 0.

    `input_tokens` excludes cached and cache-write tokens; `reasoning_tokens` are part of no other class.
    """

    input_tokens: TokenCount | None = None
    cached_input_tokens: TokenCount | None = None
    cache_write_tokens: TokenCount | None = None
    output_tokens: TokenCount | None = None
    reasoning_tokens: TokenCount | None = None

    @property
    def total_tokens(self) -> int | None:
        """Sum of the known classes, or None when input or output is unknown."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        cached = (self.cached_input_tokens or 0) + (self.cache_write_tokens or 0)
        return self.input_tokens + cached + self.output_tokens + (self.reasoning_tokens or 0)


NOTHING_USED: Final = Usage(
    input_tokens=0, cached_input_tokens=0, cache_write_tokens=0, output_tokens=0, reasoning_tokens=0
)
"""Of who works without a model: known, not unknown."""


def add_usage(parts: Iterable[Usage]) -> Usage:
    """What all `parts` used together; a class that is unknown in one of them is unknown in the sum."""
    known = [part.model_dump() for part in parts]
    sums = {name: [part[name] for part in known] for name in Usage.model_fields}
    return Usage(**{name: None if None in counts else sum(counts) for name, counts in sums.items()})


class TappedSpend(Record):
    """What one answer of a provider's API says that it cost: amounts by unit (``usd``, ``credits``)."""

    host: str
    path: str
    spend: dict[str, float]


class Cost(Record):
    """US dollars of a run. A part that cannot be priced is None, and `unpriced` says why.

    `cli_reported_usd` is the agent product's own figure, kept beside ours and never mixed with it.
    """

    agent_usd: float | None = None
    provider_usd: float | None = None
    cli_reported_usd: float | None = None
    unpriced: tuple[str, ...] = ()

    @property
    def total_usd(self) -> float | None:
        """Agent plus provider, or None when either is unknown."""
        if self.agent_usd is None or self.provider_usd is None:
            return None
        return self.agent_usd + self.provider_usd
