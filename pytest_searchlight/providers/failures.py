"""Tells three shapes of a failed call apart: error result, JSON-RPC error, and a "success" that is none."""

from __future__ import annotations

import re
from typing import Final

from pytest_searchlight.domain import FailureKind, FailureRule, Record, RunStatus, SearchSetup
from pytest_searchlight.metering import MeteredCall

_SHAPES: Final = {"ok": "success-text", "tool_error": "error-result", "protocol_error": "protocol-error"}
_AGENT_MISTAKES: Final = frozenset({-32600, -32601, -32602})
"""JSON-RPC codes for a malformed request, an unknown tool and wrong arguments."""

_STATUSES: Final = {
    FailureKind.AUTH: RunStatus.PROVIDER_ERROR,
    FailureKind.QUOTA: RunStatus.PROVIDER_ERROR,
    FailureKind.PROVIDER: RunStatus.PROVIDER_ERROR,
    FailureKind.RATE_LIMIT: RunStatus.RATE_LIMITED,
}
_EXCERPT_CHARS: Final = 300


class CallFailure(Record):
    """A provider's failure to answer a call, with what it said and how long it asked us to wait.

    `status` is what a run ends with when this failure is why it could not be measured.
    """

    kind: FailureKind
    status: RunStatus
    text: str
    retry_after_s: float | None = None


def classify_failure(setup: SearchSetup, call: MeteredCall) -> CallFailure | None:
    """The provider's failure behind `call`, or None when it answered.

    An answer that an agent has to live with, such as a page that does not exist, a search that found nothing
    or an argument it got wrong, is no failure of the provider.
    """
    kind = find_failure_kind(setup, call)
    if kind is None or kind not in _STATUSES:
        return None
    return CallFailure(
        kind=kind,
        status=_STATUSES[kind],
        text=_get_text(call)[:_EXCERPT_CHARS],
        retry_after_s=call.retry_after_s,
    )


def find_failure_kind(setup: SearchSetup, call: MeteredCall) -> FailureKind | None:
    """What went wrong with `call`: its HTTP status first, then the setup's own rules, then the protocol's."""
    if call.outcome == "server_died":
        return FailureKind.PROVIDER
    shape = _SHAPES.get(call.outcome)
    if shape is None:
        return None
    if shape == "protocol-error" and call.http_status is not None:
        return _read_http_status(call.http_status)
    for rule in setup.failures:
        if rule.shape == shape and _matches(rule, call):
            return rule.kind
    if shape == "protocol-error":
        return FailureKind.ARGUMENTS if call.error_code in _AGENT_MISTAKES else FailureKind.PROVIDER
    return None


def _matches(rule: FailureRule, call: MeteredCall) -> bool:
    if rule.tool is not None and rule.tool != call.tool:
        return False
    return re.search(rule.pattern, _get_text(call), re.IGNORECASE) is not None


def _read_http_status(status: int) -> FailureKind:
    if status in {401, 403}:
        return FailureKind.AUTH
    return {402: FailureKind.QUOTA, 429: FailureKind.RATE_LIMIT}.get(status, FailureKind.PROVIDER)


def _get_text(call: MeteredCall) -> str:
    return call.error_text or call.result_text or ""
