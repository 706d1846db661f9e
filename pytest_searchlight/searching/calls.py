"""The web calls of a run: what was searched for, which pages were asked for and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.domain import CallOutcome, ToolCall
from pytest_searchlight.extensions import ObservedRun
from pytest_searchlight.metering import MeteredCall

OWN_WEB_TOOLS: Final = frozenset({"WebSearch", "WebFetch", "web_search"})
"""The agent products' own tools that reach the web; all their other tools stay on this machine."""

_ADDRESS_FIELDS: Final = ("url", "urls")
_QUERY_FIELDS: Final = ("search_queries", "queries", "query", "q", "messages", "objective", "input")
"""Where search tools take their queries, most telling first: the first of them that is filled counts."""


@dataclass(frozen=True, kw_only=True)
class WebCall:
    """One call of a search provider's tool or of an agent product's own web tool.

    A call that names addresses is a fetch, whatever else it says; one that only says what to look for is a
    search; one that does neither (a status, a feedback) is neither.

    Attributes:
        queries: what was looked for; one call may hold several.
        addresses: the pages that were asked for by URL.
        outcome: how it ended; a refused call never reached the provider.
        result_text: what the model was shown, None when it is not known.
        shown_chars: length of that, None when it is not known; on the wire, of what came.
        span_s: start and end in seconds on the provider's side, None when it was not metered.
    """

    queries: tuple[str, ...]
    addresses: tuple[str, ...]
    outcome: CallOutcome
    result_text: str | None
    shown_chars: int | None
    span_s: tuple[float, float] | None

    @property
    def searches(self) -> bool:
        """Whether this is a search."""
        return bool(self.queries) and not self.addresses

    @property
    def fetches(self) -> bool:
        """Whether this asks for pages by URL."""
        return bool(self.addresses)

    @property
    def succeeded(self) -> bool:
        """Whether the provider answered."""
        return self.outcome is CallOutcome.OK

    @property
    def refused(self) -> bool:
        """Whether the call was stopped on our side: by the agent product or by the run's budget."""
        return self.outcome is CallOutcome.REFUSED


def list_web_calls(observed: ObservedRun) -> tuple[WebCall, ...]:
    """The web calls of a run that was made, in order: the provider's first, then the product's own.

    The metering proxy's record counts where it has no gap; else the agent's transcript, which knows no
    latency. Calls that the product itself refused never reached the proxy, so the transcript alone has them.
    """
    reported = observed.trace.tool_calls
    own = [call for call in reported if call.server is None and call.tool in OWN_WEB_TOOLS]
    of_provider = [call for call in reported if call.server is not None]
    if observed.metering is None or not reads_wire(observed):
        return tuple(_from_report(call) for call in (*of_provider, *own))
    refused = [call for call in of_provider if call.executed is False]
    return (*map(_from_wire, observed.metering.calls), *map(_from_report, (*refused, *own)))


def reads_wire(observed: ObservedRun) -> bool:
    """Whether the provider's calls are read from the metering proxy's record, which has no gap."""
    return observed.metering is not None and observed.metering.intact


def measure_covered_s(spans_s: Sequence[tuple[float, float]]) -> float:
    """Seconds that the spans cover together; where calls run side by side, time counts once."""
    covered, reached = 0.0, float("-inf")
    for start, end in sorted(spans_s):
        covered += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return covered


def read_request(arguments: JsonValue) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Queries and addresses of a call's arguments, whatever the provider calls its parameters."""
    if not isinstance(arguments, dict):
        return (), ()
    action = arguments.get("action")
    fields = {**arguments, **action} if isinstance(action, dict) else arguments
    addresses = [text for name in _ADDRESS_FIELDS for text in _list_texts(fields.get(name))]
    filled = (tuple(_list_texts(fields.get(name))) for name in _QUERY_FIELDS)
    return next(filter(None, filled), ()), tuple(addresses)


def _list_texts(value: JsonValue) -> Iterator[str]:
    """The texts in a parameter: itself, its items, or what the user says in its messages."""
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, list):
        for each in value:
            said = each.get("content") if isinstance(each, dict) and each.get("role") == "user" else each
            if isinstance(said, str) and said.strip():
                yield said


_WIRE_OUTCOMES: Final = {
    "ok": CallOutcome.OK,
    "cancelled": CallOutcome.CANCELLED,
    "unanswered": CallOutcome.UNANSWERED,
    "refused_budget": CallOutcome.REFUSED,
}


def _from_wire(call: MeteredCall) -> WebCall:
    queries, addresses = read_request(call.arguments)
    outcome = _WIRE_OUTCOMES.get(call.outcome, CallOutcome.ERROR)
    return WebCall(
        queries=queries,
        addresses=addresses,
        outcome=outcome,
        result_text=call.result_text,
        shown_chars=call.model_visible_chars if call.is_answered else 0,
        span_s=None if call.latency_s is None else (call.started_s, call.started_s + call.latency_s),
    )


def _from_report(call: ToolCall) -> WebCall:
    queries, addresses = read_request(call.arguments)
    refused = call.executed is False
    return WebCall(
        queries=queries,
        addresses=addresses,
        outcome=CallOutcome.REFUSED if refused else call.outcome,
        result_text=call.result_text,
        shown_chars=0 if refused else None if call.result_text is None else len(call.result_text),
        span_s=None,
    )
