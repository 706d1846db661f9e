"""What is recorded, and what happens when it cannot be."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from meter_stage.meter_client import Json, MeterClient, encode, open_meter
from pydantic import JsonValue

from pytest_searchlight.evidence import encode_json_lines
from pytest_searchlight.metering import (
    Metering,
    describe_metering,
    find_reported_spend,
    read_metering,
    read_metering_events,
)

LIMIT_FILES = ["sh", "-c", 'ulimit -f 20; exec "$@"', "sh"]


def test_a_run_without_a_meter_is_unobserved(tmp_path: Path) -> None:
    assert read_metering(tmp_path / "nowhere").state == "unobserved"
    assert read_metering(tmp_path).state == "unobserved"
    assert read_metering(tmp_path).recording_incomplete


def test_a_session_is_recorded_step_by_step_and_call_by_call(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        client.ask("initialize")
        client.notify("notifications/initialized")
        client.ask("tools/list")
        client.call("twice", text="žluť")
        client.call("fail", text="no such page")
        client.call("refuse")
        client.send_call("hang")
        assert client.close() == 0
        metering = client.read_metering()
    assert metering.state == "tools_listed"
    assert metering.server_info is not None
    assert (metering.server_info.name, metering.server_info.version) == ("stub", "1.2.3")
    assert metering.protocol_version == "2025-06-18"
    assert metering.request_counts == {"initialize": 1, "notifications/initialized": 1, "tools/list": 1}
    twice, fail, refuse, hang = metering.calls
    assert (twice.outcome, twice.tool, twice.arguments) == ("ok", "twice", {"text": "žluť"})
    assert (twice.result_text, twice.model_visible_chars, twice.structured_chars) == ("žluť", 4, 15)
    assert twice.latency_s is not None
    assert twice.response_bytes is not None
    assert twice.started_s > 0
    assert (fail.outcome, fail.error_text, fail.model_visible_chars) == ("tool_error", "no such page", 12)
    assert (refuse.outcome, refuse.error_code, refuse.error_text) == (
        "protocol_error",
        -32602,
        "wrong arguments",
    )
    assert (hang.outcome, hang.latency_s, hang.response_bytes) == ("unanswered", None, None)
    assert metering.ended
    assert not metering.recording_incomplete
    assert metering.client_bytes > metering.calls[0].request_bytes
    assert metering.server_bytes > twice.response_bytes


def test_only_what_a_model_is_shown_counts_as_visible(tmp_path: Path) -> None:
    content = [
        {"type": "text", "text": "12345"},
        {"type": "resource", "resource": {"uri": "a://b", "text": "123"}},
        {"type": "resource", "resource": {"uri": "a://b", "blob": "AAAA"}},
        {"type": "resource_link", "uri": "a://b", "name": "n", "description": "d"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]
    with open_meter(tmp_path) as client:
        client.call("result", result={"content": content})
        client.close()
        (call,) = client.read_metering().calls
    assert call.result_text == "12345\n123\nn a://b d"
    assert call.model_visible_chars == 5 + 3 + 9


def test_structured_content_that_stands_alone_is_what_a_model_is_shown(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        client.call("result", result={"content": [], "structuredContent": {"page": "žluť"}})
        client.close()
        (call,) = client.read_metering().calls
    assert (call.result_text, call.model_visible_chars) == ('{"page":"žluť"}', 15)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        pytest.param(b'"error":"boom"', ("protocol_error", "boom"), id="an error that is a text"),
        pytest.param(b'"error":{"message":null}', ("protocol_error", ""), id="an error without a word"),
        pytest.param(b'"result":null', ("protocol_error", "the answer holds no result"), id="no result"),
        pytest.param(b'"error":null,"result":{}', ("ok", None), id="an error that is none"),
        pytest.param(b'"result":{"at":' + b"9" * 5000 + b"}", ("ok", None), id="a number beyond reading"),
    ],
)
def test_an_answer_is_told_by_what_it_holds(
    tmp_path: Path, answer: bytes, outcome: tuple[str, str | None]
) -> None:
    with open_meter(tmp_path) as client:
        client.send_call("raw", data=encode(b'{"jsonrpc":"2.0","id":%ID%,' + answer + b"}\n"))
        client.read_frame()
        client.close()
        (call,) = client.read_metering().calls
    assert (call.outcome, call.error_text) == outcome


def test_why_a_handshake_was_refused_is_told(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--refuse", "somebody") as client:
        client.ask("initialize")
        client.close()
        metering = client.read_metering()
    assert (metering.state, metering.start_failure) == (
        "spawned",
        "initialize was refused: no licence for somebody",
    )


def test_the_evidence_lines_hold_all_that_was_read(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--greeting", "hello") as client:
        client.ask("initialize")
        client.ask("tools/list")
        client.call("result", result={"content": [{"type": "text", "text": "lone \ud83d surrogate"}]})
        client.close()
        metering = client.read_metering()
    lines = [json.loads(line) for line in encode_json_lines(describe_metering(metering)).splitlines()]
    assert [line["event"] for line in lines] == [
        "started",
        "initialized",
        "tools_listed",
        "call",
        "noise",
        "ended",
    ]
    assert read_metering_events(lines) == metering
    assert next(iter(describe_metering(Metering())))["recording_incomplete"] is True


def test_the_hash_of_the_tools_does_not_depend_on_pages_or_the_order_of_keys(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {}}}
    turned = {"properties": {"b": {}, "a": {}}, "type": "object"}
    one: Json = {"name": "one", "inputSchema": schema}
    two: Json = {"name": "two", "inputSchema": {}}
    pages = [[[one, two]], [[two], [{**one, "inputSchema": turned}]]]
    hashes = set()
    for number, listing in enumerate(pages):
        folder = tmp_path / str(number)
        folder.mkdir()
        with open_meter(folder) as client:
            for page in listing:
                _list_page(client, page)
            client.close()
            hashes.add(frozenset((tool.name, tool.schema_sha256) for tool in client.read_metering().tools))
    assert len(hashes) == 1


def _list_page(client: MeterClient, tools: list[Json]) -> None:
    """The stub's own list does not matter: an answer to a ``tools/list`` is sent by hand."""
    client.send_call("raw", data=encode(b""))
    answer = json.dumps({"jsonrpc": "2.0", "id": "list", "result": {"tools": tools}}).encode() + b"\n"
    client.send_bytes(b'{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{"cursor":"0"}}\n')
    client.read()
    client.send_call("raw", data=encode(answer))
    client.read()


def test_a_restarted_server_is_one_more_session_of_the_same_run(tmp_path: Path) -> None:
    for text in ("one", "two"):
        with open_meter(tmp_path) as client:
            client.ask("initialize")
            client.call("echo", text=text)
            client.call("stderr", text="x", times=1)
            client.close()
    metering = read_metering(tmp_path / "spool")
    assert metering.sessions == 2
    assert [call.result_text for call in metering.calls] == ["one", "done", "two", "done"]
    assert metering.calls[2].started_s > metering.calls[0].started_s
    assert metering.stderr_tail.count("last words") == 2
    assert not metering.recording_incomplete


def test_a_spool_that_breaks_off_is_read_up_to_there(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        client.ask("initialize")
        client.call("echo", text="kept")
        client.close()
    path = tmp_path / "spool" / "wire.spool"
    whole = path.read_bytes()
    states = []
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        metering = read_metering(tmp_path / "spool")
        assert metering.recording_incomplete or metering.calls[0].result_text == "kept"
        states.append(metering.state)
    assert states[0] == "unobserved"
    assert states[-1] == "initialized"


def test_traffic_flows_on_a_full_disk_and_the_loss_is_on_record(tmp_path: Path) -> None:
    """A limit on the size of files refuses writes midway, as a full disk does."""
    with open_meter(tmp_path, prefix=LIMIT_FILES) as client:
        client.ask("initialize")
        for _ in range(3):
            assert len(client.call_for_text("repeat", size=200_000)) == 200_000
        assert client.call_for_text("stderr", text="x" * 1000, times=100) == "done"
        assert client.close() == 0
        metering = client.read_metering()
    assert metering.recording_incomplete
    assert metering.state == "initialized"


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="mounting a small disk takes root")
def test_traffic_flows_on_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    disk = tmp_path / "spool"
    disk.mkdir()
    if os.system(f"mount -t tmpfs -o size=4k tmpfs {disk} 2>/dev/null"):  # noqa: S605
        pytest.skip("this machine mounts no small disk")
    try:
        (disk / "ballast").write_bytes(b"x" * 4096)
        with open_meter(tmp_path) as client:
            assert client.call_for_text("echo", text="who needs a disk") == "who needs a disk"
            assert client.close() == 0
            metering = client.read_metering()
        assert metering.state == "unobserved"
        assert metering.recording_incomplete
    finally:
        os.system(f"umount {disk}")  # noqa: S605


@pytest.mark.parametrize(
    ("result", "spend"),
    [
        ({"content": [{"type": "text", "text": '{"creditsUsed": 2}'}]}, {"credits": 2.0}),
        ({"structuredContent": {"metadata": {"creditsUsed": 1}}}, {"credits": 1.0}),
        ({"content": [{"type": "text", "text": '{"costDollars": {"total": 0.005}}'}]}, {"usd": 0.005}),
        ({"content": [{"type": "text", "text": '{"usage": {"credits": 3}}'}]}, {"credits": 3.0}),
        ({"content": [{"type": "text", "text": '{"creditsUsed": true}'}]}, None),
        ({"content": [{"type": "text", "text": "{not json"}]}, None),
        ({"content": "odd"}, None),
        ({"structuredContent": {"creditsUsed": 10**400}}, None),
        ({"content": [{"type": "text", "text": '{"creditsUsed": 1e999}'}]}, None),
        (None, None),
    ],
)
def test_the_spend_that_an_answer_reports_is_found(result: JsonValue, spend: dict[str, float] | None) -> None:
    assert find_reported_spend(result) == spend
