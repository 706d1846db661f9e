"""Agent products that never take an answer which has gone over the wire."""

from __future__ import annotations

import pytest

from pytest_searchlight.domain import CallOutcome, RunStatus, ToolCall
from pytest_searchlight.extensions import AgentTrace
from pytest_searchlight.metering import MeteredCall, Metering
from pytest_searchlight.runner import settle_deaf_product

ANSWERED = MeteredCall(request_id=1, tool="find", started_s=0.0, request_bytes=1, outcome="ok", latency_s=4.0)
UNANSWERED = ANSWERED.model_copy(update={"outcome": "unanswered", "latency_s": None})


@pytest.mark.parametrize(
    ("seen", "metered", "ran_s", "status"),
    [
        (CallOutcome.UNANSWERED, ANSWERED, 60.0, RunStatus.AGENT_ERROR),
        (CallOutcome.UNANSWERED, ANSWERED, 18.0, RunStatus.TIMEOUT),
        (CallOutcome.UNANSWERED, UNANSWERED, 60.0, RunStatus.TIMEOUT),
        (CallOutcome.OK, ANSWERED, 60.0, RunStatus.TIMEOUT),
    ],
)
def test_a_product_that_sits_on_an_answer_is_no_agent_that_was_too_slow(
    seen: CallOutcome, metered: MeteredCall, ran_s: float, status: RunStatus
) -> None:
    last = ToolCall(tool="find", server="shop", outcome=seen, started_s=5.0)
    told = AgentTrace(status=RunStatus.TIMEOUT, tool_calls=(last,))
    settled = settle_deaf_product(told, Metering(calls=(metered,)), ran_s=ran_s)
    assert settled.status is status
    assert (settled == told) is (status is RunStatus.TIMEOUT)
