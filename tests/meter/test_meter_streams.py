"""Answers of hosted servers, in every form that HTTP and its streams of events allow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from meter_stage.faulty_http_server import FaultyServer, serve_faults
from meter_stage.meter_client import encode, open_meter

from pytest_searchlight.meter.http_exchange import parse_retry_after
from pytest_searchlight.meter.sse import LONGEST_RETRY_S, EventParser

KEY = "Bearer fake-key-0123456789"
MESSAGE = b'{"jsonrpc":"2.0","id":%ID%,"result":{"content":[]}}'
VERSION = "io.modelcontextprotocol/protocolVersion"
EVENT = b"data: " + MESSAGE + b"\n\n"


@pytest.fixture(scope="module")
def faulty() -> Iterator[FaultyServer]:
    with serve_faults() as server:
        yield server


@pytest.mark.parametrize(
    ("stream", "noise_lines"),
    [
        pytest.param(b"event: message\rdata: " + MESSAGE + b"\r\r", 0, id="lines that end with a return"),
        pytest.param(b"\xef\xbb\xbf" + EVENT, 0, id="a byte order mark"),
        pytest.param(b"id: 1\ndata:\n\n" + EVENT, 0, id="an event that only gives an id"),
        pytest.param(b": beat\n\nretry: 5\nnote: x\n" + EVENT, 0, id="comments and unknown fields"),
        pytest.param(b"event: ping\ndata: 12:00\n\n" + EVENT, 1, id="a heartbeat that is no message"),
        pytest.param(b"data: {}\n\n" + EVENT + b"data: [DONE]\n\n", 2, id="other products' last words"),
        pytest.param(EVENT.rstrip(), 0, id="an end in the middle of the last line"),
    ],
)
def test_an_answer_is_found_among_whatever_else_a_stream_holds(
    faulty: FaultyServer, tmp_path: Path, stream: bytes, noise_lines: int
) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        assert client.call("stream", data=encode(stream))["result"] == {"content": []}
        assert client.call_for_text("fine") == "fine"
        assert client.close() == 0
        metering = client.read_metering()
    assert [call.outcome for call in metering.calls] == ["ok", "ok"]
    assert metering.noise_lines == noise_lines


def test_a_server_may_hang_up_and_go_on_later_from_the_last_event(
    faulty: FaultyServer, tmp_path: Path
) -> None:
    heard = len(faulty.heard)
    rest = {"a-1": b"id: a-2\nretry: 1\ndata:\n\n", "a-2": b"id: a-3\n" + EVENT}
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        answer = client.call(
            "stream",
            data=encode(b"id: a-1\nretry: 1\ndata:\n\n"),
            rest={last_id: encode(stream) for last_id, stream in rest.items()},
        )
        assert answer["result"] == {"content": []}
        assert client.close() == 0
        assert [call.outcome for call in client.read_metering().calls] == ["ok"]
    assert len(faulty.heard) == heard + 1, "a tool call is never sent twice"


def test_a_server_that_cannot_go_on_has_not_answered(faulty: FaultyServer, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        error = client.call("stream", data=encode(b"id: b-1\nretry: 1\ndata:\n\n"))["error"]
        assert error["data"]["httpStatus"] == 405
        nothing = {"c-1": encode(b": nothing new\n\n")}
        error = client.call("stream", data=encode(b"id: c-1\nretry: 1\ndata:\n\n"), rest=nothing)["error"]
        assert "ended without a response" in error["message"]
        assert client.close() == 0
        outcomes = [call.outcome for call in client.read_metering().calls]
    assert outcomes == ["protocol_error", "protocol_error"]


def test_a_session_that_the_server_has_forgotten_is_begun_anew_and_no_call_sent_twice(tmp_path: Path) -> None:
    with serve_faults() as server, open_meter(tmp_path, server={"url": server.url}) as client:
        client.ask("initialize", protocolVersion="2025-06-18")
        client.notify("notifications/initialized")
        client.call("fine")
        server.session, server.forgotten = "s-2", {"s-1"}
        assert client.call("fine")["error"]["data"]["httpStatus"] == 404
        assert client.call_for_text("fine") == "fine"
        assert client.close() == 0
        assert [call.outcome for call in client.read_metering().calls] == ["ok", "protocol_error", "ok"]
    sent = [(headers.get("Mcp-Session-Id"), message["method"]) for headers, message in server.heard]
    handshake, call = ("initialize", "notifications/initialized"), "tools/call"
    first = [(None, handshake[0]), ("s-1", handshake[1]), ("s-1", call), ("s-1", call)]
    assert sent == [*first, (None, handshake[0]), ("s-2", handshake[1]), ("s-2", call)]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_a_compressed_answer_is_read_or_named(faulty: FaultyServer, tmp_path: Path, encoding: str) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        answer = client.call("body", data=encode(MESSAGE), encoding=encoding)
    if encoding == "br":
        assert "encoded as 'br'" in answer["error"]["message"]
    else:
        assert answer["result"] == {"content": []}


@pytest.mark.parametrize("written", [b"%ID%.0", b"%ID%e0", b'"%ID%"'])
def test_a_number_is_one_id_however_a_server_writes_it(
    faulty: FaultyServer, tmp_path: Path, written: bytes
) -> None:
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        answer = MESSAGE.replace(b"%ID%", written)
        client.send_call("body", data=encode(answer))
        assert client.read_frame() == answer.replace(b"%ID%", b"1") + b"\n"
        assert client.call_for_text("fine") == "fine"
        assert client.close() == 0
        assert [call.outcome for call in client.read_metering().calls] == ["ok", "ok"]


def test_a_key_that_a_page_repeats_reaches_nobody(faulty: FaultyServer, tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"url": faulty.url, "headers": {"Authorization": KEY}}) as client:
        message = client.call("page")["error"]["message"]
    assert "busy [REDACTED]" in message


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(b'{"protocolVersion":"2025-11-25","instructions":"a\tb"}', id="a raw tab"),
        pytest.param(b'{"protocolVersion":"2025-11-25","instructions":"\xff"}', id="bytes that are no text"),
        pytest.param(b"[1]", id="a list"),
        pytest.param(b'{"protocolVersion":7}', id="a number for a version"),
    ],
)
def test_no_handshake_is_so_odd_that_the_client_waits_for_ever(
    faulty: FaultyServer, tmp_path: Path, result: bytes
) -> None:
    body = b'{"jsonrpc":"2.0","id":%ID%,"result":' + result + b"}"
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        client.send("initialize", handshake=encode(body))
        assert client.read_frame() == body.replace(b"%ID%", b"1") + b"\n"
        assert client.call_for_text("fine") == "fine"
        assert client.close() == 0


@pytest.mark.parametrize(
    "params",
    [
        pytest.param([VERSION], id="a list"),
        pytest.param({"_meta": VERSION}, id="a text in the place of a table"),
        pytest.param({"_meta": {VERSION: "2026-07-28"}, "uri": "\ud800"}, id="a name that is no text"),
        pytest.param({"_meta": {VERSION: "a\nb"}}, id="a version that no header can hold"),
    ],
)
def test_what_a_client_says_of_its_version_may_be_odd_too(
    faulty: FaultyServer, tmp_path: Path, params: object
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params}
    with open_meter(tmp_path, server={"url": faulty.url}) as client:
        client.send_bytes(json.dumps(message).encode() + b"\n")
        assert client.read()["id"] == 1


def test_a_return_and_a_line_feed_are_one_line_end_also_when_the_network_parts_them() -> None:
    parser = EventParser()
    pieces = (b"data: 1\r", b"\n", b"data: 2\r", b"\n\r", b"\n", b"data: 3\r", b"\r")
    assert [event for piece in pieces for event in parser.feed(piece)] == [b"1\n2", b"3"]


@pytest.mark.parametrize(
    ("field", "wait_s"),
    [(b"1500", 1.5), (b"9" * 400, LONGEST_RETRY_S), (b"soon", 1.0), (b"-5", 1.0)],
)
def test_a_server_is_left_alone_for_as_long_as_it_asks_within_reason(field: bytes, wait_s: float) -> None:
    parser = EventParser()
    assert list(parser.feed(b"retry: " + field + b"\n\n")) == []
    assert parser.retry_s == wait_s


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        ("1.5", 1.5),
        (" 7 ", 7.0),
        ("-5", None),
        ("\u00b2", None),
        ("9" * 400, None),
        ("nan", None),
        ("Fri, 99 Dec 9999 23:59:59", None),
    ],
)
def test_a_wait_that_is_none_is_unknown(header: str, wait_s: float | None) -> None:
    assert parse_retry_after(header) == wait_s
