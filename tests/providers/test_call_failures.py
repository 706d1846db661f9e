from __future__ import annotations

import pytest
from provider_stage.metered_calls import make_call

from pytest_searchlight.domain import FailureKind, RunStatus, SearchSetup
from pytest_searchlight.metering import MeteredCall
from pytest_searchlight.providers import classify_failure


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("exa", make_call(outcome="tool_error", text="web_search_exa error (429): slow down")),
        ("firecrawl", make_call(outcome="tool_error", text="Rate limit exceeded.")),
        ("parallel", make_call(outcome="protocol_error", text="HTTP 429", http_status=429)),
        ("tavily", make_call(text="Keyless limit reached. Set a key to go on.")),
    ],
)
def test_the_three_shapes_of_a_rate_limit_are_one_failure(
    name: str, call: MeteredCall, setups: dict[str, SearchSetup]
) -> None:
    failure = classify_failure(setups[name], call)
    assert failure is not None
    assert (failure.kind, failure.status) == (FailureKind.RATE_LIMIT, RunStatus.RATE_LIMITED)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FailureKind.AUTH),
        (402, FailureKind.QUOTA),
        (403, FailureKind.AUTH),
        (429, FailureKind.RATE_LIMIT),
        (500, FailureKind.PROVIDER),
        (404, FailureKind.PROVIDER),
    ],
)
def test_a_hosted_servers_http_status_decides(
    status: int, kind: FailureKind, setups: dict[str, SearchSetup]
) -> None:
    call = make_call(outcome="protocol_error", text=f"HTTP {status}", error_code=-32000, http_status=status)
    failure = classify_failure(setups["parallel"], call)
    assert failure is not None
    assert failure.kind is kind


@pytest.mark.parametrize("code", [-32600, -32601, -32602])
def test_a_protocol_error_about_the_request_is_the_agents_mistake(
    code: int, setups: dict[str, SearchSetup]
) -> None:
    call = make_call(outcome="protocol_error", text="Invalid params", error_code=code)
    assert classify_failure(setups["tavily"], call) is None


def test_any_other_protocol_error_and_a_dead_server_are_the_providers(
    setups: dict[str, SearchSetup],
) -> None:
    broken = make_call(
        outcome="protocol_error", text="Cannot read properties of undefined", error_code=-32603
    )
    for call in (broken, make_call(outcome="server_died")):
        failure = classify_failure(setups["tavily"], call)
        assert failure is not None
        assert (failure.kind, failure.status) == (FailureKind.PROVIDER, RunStatus.PROVIDER_ERROR)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("brave", make_call(outcome="tool_error", text="No web results found")),
        ("closed-web", make_call(outcome="tool_error", text="404: no such page")),
        ("exa", make_call(text="No search results found. Please try a different query.")),
        ("tavily", make_call(text="A page about how the keyless limit reached its end")),
        ("exa", make_call(outcome="cancelled")),
        ("exa", make_call(outcome="unanswered")),
        ("exa", make_call(outcome="refused_budget")),
    ],
)
def test_an_answer_that_an_agent_has_to_live_with_is_no_failure_of_the_provider(
    name: str, call: MeteredCall, setups: dict[str, SearchSetup]
) -> None:
    assert classify_failure(setups[name], call) is None


def test_an_outage_that_the_hosted_server_tells_in_words_is_the_providers_but_not_that_of_a_page(
    setups: dict[str, SearchSetup],
) -> None:
    words = "Error: 503 Service Unavailable"
    failure = classify_failure(setups["parallel"], make_call("web_search", outcome="tool_error", text=words))
    assert failure is not None
    assert failure.kind is FailureKind.PROVIDER
    page = make_call("web_fetch", outcome="tool_error", text=words)
    assert classify_failure(setups["parallel"], page) is None
