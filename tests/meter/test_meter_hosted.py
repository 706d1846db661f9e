"""The meter speaks streamable HTTP to a hosted server; the client cannot tell the difference."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from meter_stage import FOLDER
from meter_stage.faulty_http_server import FaultyServer, serve_faults
from meter_stage.meter_client import MeterClient, open_meter

from pytest_searchlight.meter.http_exchange import parse_retry_after
from pytest_searchlight.meter.sse import EventParser

KEY = "Bearer fake-key-0123456789"
CAPABILITIES = {"capabilities": {"roots": {}}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture(scope="module", params=["events", "json"])
def sdk_url(request: pytest.FixtureRequest) -> Iterator[str]:
    program = FOLDER.joinpath("hosted_sdk_server.py")
    command = [sys.executable, str(program), f"--{request.param}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        process.terminate()


@pytest.fixture(scope="module")
def faulty() -> Iterator[FaultyServer]:
    with serve_faults() as server:
        yield server


def shake_hands(client: MeterClient) -> None:
    client.ask("initialize", protocolVersion="2025-11-25", **CAPABILITIES)
    client.notify("notifications/initialized")


def test_a_session_with_the_sdks_server(sdk_url: str, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": sdk_url}) as client:
        shake_hands(client)
        tools = client.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["repeat", "progress", "ask"]
        text = "a\u2028b\u0085c "
        assert client.call_for_text("repeat", text=text, times=300_000) == text * 300_000
        assert client.call("repeat", text=3)["result"]["isError"] is True
        assert client.close() == 0
        metering = client.read_metering()
    assert metering.state == "tools_listed"
    assert metering.server_info is not None
    assert metering.server_info.version == "4.5.6"
    assert [call.outcome for call in metering.calls] == ["ok", "tool_error"]
    assert metering.calls[0].model_visible_chars == len(text) * 300_000
    assert not metering.recording_incomplete


def test_slow_calls_run_side_by_side(faulty: FaultyServer, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}, stop_grace_s=0.1) as client:
        shake_hands(client)
        slow = client.send_call("hang")
        assert client.call_for_text("fine") == "fine"
        client.notify("notifications/cancelled", requestId=slow, reason="too slow")
        assert client.call_for_text("fine") == "fine"
        assert client.close() == 0
        hanging, *others = client.read_metering().calls
    assert hanging.outcome == "cancelled"
    assert [call.outcome for call in others] == ["ok", "ok"]


@pytest.mark.parametrize("sdk_url", ["events"], indirect=True)
def test_progress_and_the_servers_own_requests_reach_the_client(sdk_url: str, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": sdk_url}) as client:
        shake_hands(client)
        client.send("tools/call", name="progress", arguments={"steps": 2}, _meta={"progressToken": "t"})
        assert [client.read()["params"]["progress"] for _ in range(2)] == [0, 1]
        assert client.read()["result"]["content"][0]["text"] == "done"
        client.send_call("ask")
        question = client.read()
        assert question["method"] == "roots/list"
        client.answer(question["id"], {"roots": [{"uri": "file:///here"}]})
        assert client.read()["result"]["content"][0]["text"] == "file:///here"
        assert client.close() == 0
        assert client.read_metering().server_request_counts == {"notifications/progress": 2, "roots/list": 1}


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_an_http_error_is_an_error_that_names_the_status(
    faulty: FaultyServer, tmp_path: Path, status: int
) -> None:
    heard = len(faulty.heard)
    with open_meter(tmp_path, server={"url": faulty.url, "headers": {"Authorization": KEY}}) as client:
        error = client.call("status", status=status)["error"]
        assert client.call_for_text("fine") == "fine"
        assert client.close() == 0
        (call, _) = client.read_metering().calls
    assert f"HTTP {status}" in error["message"]
    assert "sorry, Bearer [REDACTED]" in error["message"] or "sorry, [REDACTED]" in error["message"]
    assert error["data"] == {"httpStatus": status, "retryAfterSeconds": 7.0}
    assert (call.outcome, call.http_status, call.retry_after_s) == ("protocol_error", status, 7.0)
    assert len(faulty.heard) == heard + 2, "a tool call is never sent twice"


@pytest.mark.parametrize(
    ("tool", "complaint"),
    [
        ("redirect", "HTTP 307 Temporary Redirect: redirects are not followed; this one is to /elsewhere"),
        ("cut", "ended without a response"),
        ("empty", "ended without a response"),
        ("reset", "gave no answer"),
        ("page", "no MCP message"),
    ],
)
def test_an_answer_that_is_none_is_an_error(
    faulty: FaultyServer, tmp_path: Path, tool: str, complaint: str
) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        assert complaint in client.call(tool)["error"]["message"]
        assert client.call_for_text("fine") == "fine"
        assert client.close() == 0
        assert [call.outcome for call in client.read_metering().calls] == ["protocol_error", "ok"]


def test_a_document_in_several_lines_becomes_one_frame(faulty: FaultyServer, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        assert client.call("pretty")["result"] == {"content": []}


def test_the_session_and_the_version_are_told_with_every_message_and_ended_at_the_end(
    faulty: FaultyServer, tmp_path: Path
) -> None:
    heard, farewells = len(faulty.heard), faulty.farewells
    with open_meter(tmp_path, server={"url": faulty.url, "headers": {"Authorization": KEY}}) as client:
        shake_hands(client)
        client.call("fine")
        assert client.close() == 0
    first, *later = [headers for headers, _ in faulty.heard[heard:]]
    assert "Mcp-Session-Id" not in first
    assert first["Authorization"] == KEY
    assert first["Accept"] == "application/json, text/event-stream"
    for headers in later:
        assert (headers["Mcp-Session-Id"], headers["MCP-Protocol-Version"]) == ("s-1", "2025-06-18")
    assert faulty.farewells == farewells + 1


def test_a_message_that_names_its_version_is_announced_in_headers(
    faulty: FaultyServer, tmp_path: Path
) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        client.ask("tools/call", name="fine", arguments={}, _meta=meta)
    headers = faulty.heard[-1][0]
    assert headers["MCP-Protocol-Version"] == "2026-07-28"
    assert (headers["Mcp-Method"], headers["Mcp-Name"]) == ("tools/call", "fine")


def test_a_server_that_cannot_be_reached_is_an_error_and_no_hang(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with open_meter(tmp_path, server={"url": f"http://127.0.0.1:{port}/mcp"}) as client:
        assert "127.0.0.1 gave no answer" in client.ask("initialize")["error"]["message"]
        assert client.close() == 0


def test_a_header_that_http_does_not_allow_is_an_error_without_the_key(
    faulty: FaultyServer, tmp_path: Path
) -> None:
    with open_meter(tmp_path, server={"url": faulty.url, "headers": {"X-Api-Key": "broken\nkey"}}) as client:
        message = client.ask("initialize")["error"]["message"]
        assert "a header has a value that HTTP does not allow" in message
        assert "broken" not in message


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the certificate is made by openssl")
def test_a_certificate_is_checked_against_the_given_authority(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    options = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=loopback"
    name = ["-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", "req", *options.split(), *name, *files], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with serve_faults(tls=tls) as server:
        with open_meter(tmp_path, server={"url": server.url, "ca_file": str(certificate)}) as client:
            assert client.call_for_text("fine") == "fine"
        with open_meter(tmp_path, server={"url": server.url}) as client:
            assert "certificate verify failed" in client.call("fine")["error"]["message"]
        missing = {"url": server.url, "ca_file": str(tmp_path / "none")}
        with open_meter(tmp_path, server=missing) as client:
            assert "'ca_file'" in client.call("fine")["error"]["message"]


def test_a_client_can_leave_while_the_server_hangs(faulty: FaultyServer, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}, stop_grace_s=0.1) as client:
        client.send("initialize", clientInfo="hang")
        client.send_call("fine")
        assert client.close() == 0
        assert client.read_metering().state == "started"


@pytest.mark.parametrize("url", ["ftp://x.example/", "nonsense", "http://x.example:port/"])
def test_an_address_that_is_none_is_reported_with_the_first_request(tmp_path: Path, url: str) -> None:
    with open_meter(tmp_path, server={"url": url}) as client:
        assert "'url'" in client.ask("initialize")["error"]["message"]
        assert client.wait() == 1


def test_the_budget_holds_for_hosted_servers_too(faulty: FaultyServer, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}, max_tool_calls=1) as client:
        client.call("fine")
        assert client.call("fine")["result"]["isError"] is True
        assert client.close() == 0
        assert [call.outcome for call in client.read_metering().calls] == ["ok", "refused_budget"]


def test_events_are_cut_wherever_the_network_cuts_them() -> None:
    large = b"x" * 2_000_000
    small = b": hello\r\nevent: message\r\ndata: {1}\r\n\r\ndata: {2\ndata:}\n\n\n"
    stream = small + b"data: " + large + b"\n\n"
    for size in (1 << 20, 1000):
        parser = EventParser()
        chunks = (stream[start : start + size] for start in range(0, len(stream), size))
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        assert events == [b"{1}", b"{2\n}", large]


def test_a_wait_is_told_in_seconds_or_as_a_date() -> None:
    assert parse_retry_after("7") == 7.0
    assert parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert parse_retry_after("soon") is None
    assert parse_retry_after(None) is None
