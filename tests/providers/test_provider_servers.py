"""The providers' real servers at their pinned versions, behind the metering proxy, against the fake API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import agent_stage
import pytest
from meter_stage.meter_client import STUB
from provider_stage.fake_provider_api import ApiRequest, CannedAnswer, FakeProviderApi
from provider_stage.metered_server import MeteredServer, read_text
from provider_stage.provider_answers import PAGE_TEXT
from provider_stage.provider_lab import CALLS, KEY, Lab
from pydantic import JsonValue

from pytest_searchlight.domain import FailureKind, SearchSetup, ServerPin
from pytest_searchlight.errors import RunError
from pytest_searchlight.metering import MeteredCall, Metering
from pytest_searchlight.providers import (
    build_server_launch,
    classify_failure,
    collect_pins,
    compare_pin,
    price_calls,
)
from pytest_searchlight.providers.probe import probe_server

PRICES: dict[str, tuple[float | None, str]] = {
    "exa": (0.007 + 2 * 0.001, ""),
    "tavily": (None, "billed by five successful pages"),
    "firecrawl": (None, "credits are sold by subscription plan"),
    "brave": (2 * 0.005, ""),
    "perplexity": (0.005, ""),
}


def refuse(status: int, body: Mapping[str, JsonValue] | None = None) -> CannedAnswer:
    payload = json.dumps(body or {"error": "the fake says no"}).encode()
    return CannedAnswer(status=status, body=payload, headers={"Retry-After": "7"})


UPSTREAM_FAULTS: dict[str, list[tuple[CannedAnswer, FailureKind | None]]] = {
    "exa": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402), FailureKind.QUOTA),
        (refuse(429), FailureKind.RATE_LIMIT),
        (refuse(400), None),
        (CannedAnswer(body=b"<html>oops</html>"), FailureKind.PROVIDER),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"foo": "bar"}'), None),
    ],
    "tavily": [
        (refuse(401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}), FailureKind.AUTH),
        (refuse(432, {"detail": {"error": "This exceeds your plan's set usage limit"}}), FailureKind.QUOTA),
        (refuse(429, {"detail": {"error": "blocked due to excessive requests"}}), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (refuse(400, {"detail": {"error": "Query is too long. Max query length is 400 characters."}}), None),
        (refuse(422, {"detail": [{"loc": ["body", "topic"], "msg": "Input should be 'news'"}]}), None),
        (CannedAnswer(body=b'{"foo": "bar"}'), FailureKind.PROVIDER),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
    ],
    "firecrawl": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402, {"success": False, "error": "Insufficient credits for this."}), FailureKind.QUOTA),
        (refuse(429, {"success": False, "error": "Rate limit exceeded."}), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (refuse(400, {"success": False, "error": "Bad Request"}), None),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"success": false}'), FailureKind.PROVIDER),
    ],
    "brave": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402), FailureKind.QUOTA),
        (refuse(429), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (refuse(400), None),
        (CannedAnswer(body=b"<html>oops</html>"), FailureKind.PROVIDER),
        (CannedAnswer(body=b'{"foo": "bar"}'), None),
    ],
    "perplexity": [
        (refuse(401), FailureKind.AUTH),
        (refuse(402), FailureKind.QUOTA),
        (refuse(429), FailureKind.RATE_LIMIT),
        (refuse(500), FailureKind.PROVIDER),
        (refuse(400), None),
        (CannedAnswer(body=b'{"foo": "bar"}'), FailureKind.PROVIDER),
        (CannedAnswer(reset=True), FailureKind.PROVIDER),
    ],
}


DOTENV_TRAPS = """
DEFAULT_PARAMETERS={"max_results": 19}
BRAVE_MCP_ENABLED_TOOLS=brave_web_search
FIRECRAWL_API_URL=http://127.0.0.1:9
"""
MISTAKES: dict[str, list[tuple[str, dict[str, JsonValue]]]] = {
    name: [("no_such_tool", {}), (next(iter(calls)), {})] for name, calls in CALLS.items()
}
MISTAKES["tavily"].pop()  # its server sends wrong arguments on to the API


@dataclass(frozen=True, kw_only=True)
class Observed:
    """One session with a provider's real server: good calls, the agent's mistakes, then the API's faults."""

    setup: SearchSetup
    metering: Metering
    answers: list[str]
    requests: list[ApiRequest]
    strangers: list[str]

    def split_calls(self) -> tuple[Sequence[MeteredCall], Sequence[MeteredCall], Sequence[MeteredCall]]:
        calls, good = self.metering.calls, len(CALLS[self.setup.name])
        faulty = good + len(MISTAKES[self.setup.name])
        return calls[:good], calls[good:faulty], calls[faulty:]


@pytest.fixture(scope="module", params=sorted(CALLS))
def observed(
    request: pytest.FixtureRequest,
    running_api: FakeProviderApi,
    setups: dict[str, SearchSetup],
    installs: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Observed:
    name: str = request.param
    running_api.reset()
    lab = Lab(setups=setups, api=running_api, installs=installs, folder=tmp_path_factory.mktemp(name))
    Path(str(lab.launch(name)["cwd"]), ".env").write_text(DOTENV_TRAPS)
    with lab.start(name) as server:
        server.list_tools()
        answers = [read_text(server.call(tool, **arguments)) for tool, arguments in CALLS[name].items()]
        requests = running_api.list_requests(name)
        for tool, arguments in MISTAKES[name]:
            server.call(tool, **arguments)
        strangers = [*running_api.strangers]
        meet_faults(server, name, api=running_api)
    return Observed(
        setup=setups[name],
        metering=lab.read(),
        answers=answers,
        requests=requests,
        strangers=strangers,
    )


def meet_faults(server: MeteredServer, name: str, *, api: FakeProviderApi) -> None:
    """Search once under each fault of the API, and once more when all is well again."""
    tool, arguments = next(iter(CALLS[name].items()))
    for answer, _ in UPSTREAM_FAULTS[name]:
        api.answer_with(name, answer)
        server.call(tool, **arguments)
    api.reset()
    server.call(tool, **arguments)


def test_a_real_server_advertises_exactly_the_pinned_tools(observed: Observed) -> None:
    assert compare_pin(observed.setup, collect_pins(observed.metering)) is None


def test_a_real_server_searches_with_its_key_and_reaches_its_own_api_only(observed: Observed) -> None:
    assert [PAGE_TEXT in answer for answer in observed.answers] == [True] * len(CALLS[observed.setup.name])
    assert len(observed.requests) == len(observed.answers)
    assert all(KEY in str(request.headers) for request in observed.requests)
    assert observed.strangers == []


def test_a_dotenv_file_where_the_server_stands_changes_nothing(observed: Observed) -> None:
    assert {tool.name for tool in observed.metering.tools} == observed.setup.tool_names
    assert all(b"19" not in request.body for request in observed.requests)


def test_good_calls_are_priced_by_report_then_tariff_or_say_why_not(observed: Observed) -> None:
    calls, _, _ = observed.split_calls()
    assert [call.outcome for call in calls] == ["ok"] * len(calls)
    usd, reasons = price_calls(observed.setup, observed.metering.model_copy(update={"calls": calls}))
    expected_usd, reason = PRICES[observed.setup.name]
    assert usd == (expected_usd and pytest.approx(expected_usd))
    assert reason in " ".join(reasons)


def test_wrong_arguments_and_unknown_tools_are_the_agents_mistakes(observed: Observed) -> None:
    _, calls, _ = observed.split_calls()
    assert all(call.outcome in {"tool_error", "protocol_error"} for call in calls)
    assert [classify_failure(observed.setup, call) for call in calls] == [None] * len(calls)


def test_each_upstream_fault_is_told_by_what_the_real_server_makes_of_it(observed: Observed) -> None:
    _, _, calls = observed.split_calls()
    *faulty, good = [classify_failure(observed.setup, call) for call in calls]
    assert [fault and fault.kind for fault in faulty] == [
        kind for _, kind in UPSTREAM_FAULTS[observed.setup.name]
    ]
    assert good is None


def test_a_probe_reads_the_tools_without_calling_any(lab: Lab) -> None:
    assert probe_server(lab.setups["exa"], launch=lab.launch("exa")) == lab.setups["exa"].tools
    assert lab.api.list_requests("exa") == []


def test_a_probe_leaves_nothing_behind_that_its_server_started_in_a_session_of_its_own(
    setups: dict[str, SearchSetup], tmp_path: Path
) -> None:
    leaving = (
        "import pathlib, runpy, subprocess, sys\n"
        "stray = [sys.executable, '-c', 'import time; time.sleep(120)']\n"
        "pipes = dict.fromkeys(('stdin', 'stdout', 'stderr'), subprocess.DEVNULL)\n"
        "left = subprocess.Popen(stray, start_new_session=True, **pipes)\n"
        "pathlib.Path(sys.argv.pop(1)).write_text(str(left.pid))\n"
        "sys.argv.pop(0)\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    server, noted = str(Path(agent_stage.__file__).with_name("plain_search_server.py")), tmp_path / "pid"
    pin = ServerPin(version="1", command=("{python}", "-c", leaving, str(noted), server))
    setup = setups["exa"].model_copy(update={"server": pin})
    launch = build_server_launch(setup, closed_web=None, secrets={}, installs=tmp_path)
    assert len(probe_server(setup, launch=launch)) == 2
    assert not is_alive(int(noted.read_text()))


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped has no command line any more."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except OSError:
        return False


def test_exas_telemetry_may_be_refused_and_never_counts_as_a_search(lab: Lab) -> None:
    lab.api.answer_with("telemetry", refuse(403))
    with lab.start("exa") as server:
        assert PAGE_TEXT in read_text(server.call("web_search_exa", query="plates"))
    assert len(lab.api.list_requests("exa")) == 1
    assert all(KEY not in str(request) for request in lab.api.list_requests("telemetry"))


def test_a_server_that_refuses_to_start_is_unavailable_with_its_own_words(lab: Lab) -> None:
    launch = lab.launch("brave")
    environment = launch["env"]
    assert isinstance(environment, dict)
    keyless: JsonValue = {key: value for key, value in environment.items() if key != "BRAVE_API_KEY"}
    with pytest.raises(RunError, match="A Brave API key is required") as refusal:
        probe_server(lab.setups["brave"], launch={**launch, "env": keyless})
    assert refusal.value.status == "setup_unavailable"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--pages", "3", "--same-cursor"), "cursor '1' came twice"),
        (("--version", "2099-01-01"), "Unsupported protocol version from the server: 2099-01-01"),
        (("--refuse", KEY), r"no licence for \[REDACTED\]"),
    ],
)
def test_what_is_wrong_with_a_servers_answers_is_said(lab: Lab, options: tuple[str, ...], words: str) -> None:
    command = ("{python}", "-I", "-S", str(STUB), *options)
    pin = ServerPin(version="1", command=command, key_variable="EXA_API_KEY", start_timeout_s=20)
    setup = lab.setups["exa"].model_copy(update={"server": pin})
    launch = build_server_launch(setup, closed_web=None, secrets={"EXA_API_KEY": KEY}, installs=lab.folder)
    with pytest.raises(RunError, match=words):
        probe_server(setup, launch=launch)


def test_a_server_that_never_answers_is_given_up_after_its_start_timeout(lab: Lab) -> None:
    silent = ("{python}", "-c", "import time; time.sleep(60)")
    pin = ServerPin(version="1", command=silent, start_timeout_s=1)
    setup = lab.setups["exa"].model_copy(update={"server": pin})
    launch = build_server_launch(setup, closed_web=None, secrets={}, installs=lab.folder)
    with pytest.raises(RunError, match=r"did not list its tools within 1 s"):
        probe_server(setup, launch=launch)


def test_a_server_that_ends_at_once_is_not_said_to_have_been_waited_for(lab: Lab) -> None:
    pin = ServerPin(version="1", command=("{python}", "-c", "raise SystemExit(3)"), start_timeout_s=20)
    setup = lab.setups["exa"].model_copy(update={"server": pin})
    launch = build_server_launch(setup, closed_web=None, secrets={}, installs=lab.folder)
    with pytest.raises(RunError, match=r"did not list its tools \(reached: spawned; .* exit code 3\)"):
        probe_server(setup, launch=launch)


def test_the_closed_webs_own_server_advertises_the_tools_of_its_setup(
    setups: dict[str, SearchSetup], tmp_path: Path
) -> None:
    web = Path(__file__).parents[2] / "catalogs" / "quickstart" / "web"
    launch = build_server_launch(setups["closed-web"], closed_web=web, secrets={}, installs=tmp_path)
    assert compare_pin(setups["closed-web"], probe_server(setups["closed-web"], launch=launch)) is None
