"""The providers' real servers at their pinned versions, behind the metering proxy, against the fake API."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from fake_provider_api import CannedAnswer
from metered_server import read_text, start_metered
from provider_answers import PAGE_TEXT
from provider_lab import CALLS, KEY, Lab
from pydantic import JsonValue

from pytest_searchlight.domain import FailureKind, ServerPin
from pytest_searchlight.errors import RunError
from pytest_searchlight.providers import build_server_launch, classify_failure, compare_pin, price_calls
from pytest_searchlight.providers.probe import probe_server


def refuse(status: int, body: Mapping[str, JsonValue] | None = None) -> CannedAnswer:
    payload = json.dumps(body or {"error": "the fake says no"}).encode()
    return CannedAnswer(status=status, body=payload, headers={"Retry-After": "7"})


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_real_server_advertises_exactly_the_pinned_tools(name: str, lab: Lab) -> None:
    advertised = probe_server(lab.setups[name], launch=lab.launch(name))
    assert compare_pin(lab.setups[name], advertised) is None
    assert lab.api.list_requests(name) == []


@pytest.mark.parametrize(
    ("name", "usd", "unpriced"),
    [
        ("exa", 0.007 + 2 * 0.001, ""),
        ("tavily", None, "billed by five successful pages"),
        ("firecrawl", None, "credits are sold by subscription plan"),
        ("brave", 2 * 0.005, ""),
        ("perplexity", 0.005, ""),
    ],
)
def test_a_real_server_searches_with_its_key_and_its_calls_are_priced_or_say_why_not(
    name: str, usd: float | None, unpriced: str, lab: Lab
) -> None:
    with lab.start(name) as server:
        for tool, arguments in CALLS[name].items():
            assert PAGE_TEXT in read_text(server.call(tool, **arguments))
    metering = lab.read()
    assert [(call.tool, call.outcome) for call in metering.calls] == [(tool, "ok") for tool in CALLS[name]]
    assert all(KEY in str(request.headers) for request in lab.api.list_requests(name))
    assert lab.api.list_requests("unknown") == []
    priced, reasons = price_calls(lab.setups[name], metering)
    assert priced == (usd and pytest.approx(usd))
    assert unpriced in " ".join(reasons)


UPSTREAM_FAULTS: dict[str, list[tuple[CannedAnswer, FailureKind | None]]] = {
    "exa": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402), FailureKind.QUOTA),
        (refuse(429), FailureKind.RATE_LIMIT),
        (CannedAnswer(body=b"<html>oops</html>"), FailureKind.PROVIDER),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"foo": "bar"}'), None),
    ],
    "tavily": [
        (refuse(401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}), FailureKind.AUTH),
        (refuse(432, {"detail": {"error": "This exceeds your plan's set usage limit"}}), FailureKind.QUOTA),
        (refuse(429, {"detail": {"error": "blocked due to excessive requests"}}), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"foo": "bar"}'), FailureKind.PROVIDER),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
    ],
    "firecrawl": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402), FailureKind.QUOTA),
        (refuse(429), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"success": false}'), FailureKind.PROVIDER),
    ],
    "brave": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402), FailureKind.QUOTA),
        (refuse(429), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (CannedAnswer(body=b"<html>oops</html>"), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"foo": "bar"}'), None),
    ],
    "perplexity": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402), FailureKind.QUOTA),
        (refuse(429), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"foo": "bar"}'), FailureKind.PROVIDER),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
    ],
}


@pytest.mark.parametrize("name", sorted(UPSTREAM_FAULTS))
def test_each_upstream_fault_is_told_by_what_the_real_server_makes_of_it(name: str, lab: Lab) -> None:
    tool, arguments = next(iter(CALLS[name].items()))
    with lab.start(name) as server:
        for answer, _ in UPSTREAM_FAULTS[name]:
            lab.api.answer_with(name, answer)
            server.call(tool, **arguments)
        lab.api.reset()
        assert PAGE_TEXT in read_text(server.call(tool, **arguments))
    *faulty, good = [classify_failure(lab.setups[name], call) for call in lab.read().calls]
    assert [fault and fault.kind for fault in faulty] == [kind for _, kind in UPSTREAM_FAULTS[name]]
    assert good is None


@pytest.mark.parametrize("name", sorted(CALLS))
def test_wrong_arguments_and_unknown_tools_are_the_agents_mistakes(name: str, lab: Lab) -> None:
    with lab.start(name) as server:
        server.call("no_such_tool")
        if name != "tavily":  # its server sends wrong arguments on to the API
            server.call(next(iter(CALLS[name])), query=7)
    calls = lab.read().calls
    assert all(call.outcome in {"tool_error", "protocol_error"} for call in calls)
    assert [classify_failure(lab.setups[name], call) for call in calls] == [None] * len(calls)


def test_exas_telemetry_may_be_refused_and_never_counts_as_a_search(lab: Lab) -> None:
    lab.api.answer_with("telemetry", refuse(403))
    with lab.start("exa") as server:
        assert PAGE_TEXT in read_text(server.call("web_search_exa", query="plates"))
    assert len(lab.api.list_requests("exa")) == 1
    assert all(KEY not in str(request) for request in lab.api.list_requests("telemetry"))


@pytest.mark.parametrize(
    ("name", "trap"),
    [
        ("tavily", 'DEFAULT_PARAMETERS={"max_results": 19}'),
        ("brave", "BRAVE_MCP_ENABLED_TOOLS=brave_web_search"),
        ("firecrawl", "FIRECRAWL_API_URL=http://127.0.0.1:9"),
    ],
)
def test_a_dotenv_file_where_the_server_stands_changes_nothing(name: str, trap: str, lab: Lab) -> None:
    (lab.folder / ".env").write_text(trap + "\n")
    with start_metered({**lab.launch(name), "cwd": str(lab.folder)}, lab.folder) as server:
        tool, arguments = next(iter(CALLS[name].items()))
        assert PAGE_TEXT in read_text(server.call(tool, **arguments))
        server.ask("tools/list", {})
    assert {tool.name for tool in lab.read().tools} == lab.setups[name].tool_names
    assert all(b"19" not in request.body for request in lab.api.list_requests(name))


def test_a_server_that_refuses_to_start_is_unavailable_with_its_own_words(lab: Lab) -> None:
    launch = lab.launch("brave")
    environment = launch["env"]
    assert isinstance(environment, dict)
    keyless: JsonValue = {key: value for key, value in environment.items() if key != "BRAVE_API_KEY"}
    with pytest.raises(RunError, match="A Brave API key is required") as refusal:
        probe_server(lab.setups["brave"], launch={**launch, "env": keyless})
    assert refusal.value.status == "setup_unavailable"


def test_a_server_that_never_answers_is_given_up_after_its_start_timeout(lab: Lab) -> None:
    silent = ("{python}", "-c", "import time; time.sleep(60)")
    pin = ServerPin(version="1", command=silent, start_timeout_s=1)
    setup = lab.setups["exa"].model_copy(update={"server": pin})
    launch = build_server_launch(setup, closed_web=None, secrets={}, installs=lab.folder)
    with pytest.raises(RunError, match=r"did not list its tools within 1 s"):
        probe_server(setup, launch=launch)
