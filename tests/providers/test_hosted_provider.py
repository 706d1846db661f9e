"""A hosted provider, to which the metering proxy itself speaks streamable HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import provider_stage
import pytest
from provider_stage.metered_server import read_text, start_metered
from pydantic import JsonValue

from pytest_searchlight.domain import FailureKind, SearchSetup
from pytest_searchlight.errors import RunError
from pytest_searchlight.metering import read_metering
from pytest_searchlight.providers import build_server_launch, classify_failure, compare_pin, price_calls
from pytest_searchlight.providers.probe import probe_server

KEY = "fake-parallel-key-0123456789"


@pytest.fixture(scope="module")
def parallel(setups: dict[str, SearchSetup]) -> Iterator[SearchSetup]:
    """The shipped setup for parallel, moved to a server on loopback that wants the same key."""
    program = Path(provider_stage.__file__).with_name("hosted_search_server.py")
    environment = {**os.environ, "HOSTED_SEARCH_KEY": KEY}
    with subprocess.Popen(
        [sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        setup = setups["parallel"]
        assert setup.server is not None
        pin = setup.server.model_copy(update={"url": f"http://127.0.0.1:{port}/mcp"})
        yield setup.model_copy(update={"server": pin})
        process.terminate()


def launch(setup: SearchSetup, *, key: str = KEY) -> dict[str, JsonValue]:
    secrets = {"PARALLEL_API_KEY": key}
    return build_server_launch(setup, closed_web=None, secrets=secrets, installs=Path("unused"))


def test_a_hosted_server_advertises_the_pinned_tools_and_answers_with_the_key(
    parallel: SearchSetup, tmp_path: Path
) -> None:
    advertised = probe_server(parallel, launch=launch(parallel))
    assert compare_pin(parallel, advertised) is None
    with start_metered(launch(parallel), tmp_path) as server:
        found = server.call("web_search", objective="plates", search_queries=["a", "b"])
        assert read_text(found) == "plates: nothing but 2 queries"
        assert read_text(server.call("web_fetch", urls=["https://notes.example/"])) == (
            "read https://notes.example/"
        )
    metering = read_metering(tmp_path / "spool")
    assert [call.outcome for call in metering.calls] == ["ok", "ok"]
    usd, reasons = price_calls(parallel, metering)
    assert usd is None
    assert "not published which mode" in " ".join(reasons)


def test_a_gateways_refusals_are_told_by_their_http_status_and_leave_the_session_alive(
    parallel: SearchSetup, tmp_path: Path
) -> None:
    with start_metered(launch(parallel), tmp_path) as server:
        for objective in ("busy", "broken", "plates"):
            server.call("web_search", objective=objective, search_queries=[])
    busy, broken, good = read_metering(tmp_path / "spool").calls
    limited, failed = classify_failure(parallel, busy), classify_failure(parallel, broken)
    assert limited is not None
    assert failed is not None
    assert (limited.kind, limited.retry_after_s) == (FailureKind.RATE_LIMIT, 7.0)
    assert failed.kind is FailureKind.PROVIDER
    assert good.outcome == "ok"


def test_a_wrong_key_makes_the_setup_unavailable_before_any_tool_is_called(parallel: SearchSetup) -> None:
    with pytest.raises(RunError, match="'parallel': its server did not list its tools") as refusal:
        probe_server(parallel, launch=launch(parallel, key="wrong-key-0123456789"))
    assert refusal.value.status == "setup_unavailable"
    assert "wrong-key" not in str(refusal.value)
    assert "HTTP 401" in str(refusal.value)
