"""Bytes in are bytes out, whatever they are."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from meter_stage.meter_client import MeterClient, encode, open_meter

RESULT = b'{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"'
END = b'"}]}}'


def make_frame(text: bytes, *, ending: bytes = b"\n") -> bytes:
    return RESULT + text + END + ending


def expect(client: MeterClient, *frames: bytes, tool: str = "raw") -> None:
    """The server writes exactly these frames, and exactly these reach the client."""
    request_id = client.send_call(tool, data=encode(b"".join(frames)))
    for frame in frames:
        assert client.read_frame() == frame.replace(b"%ID%", b"%d" % request_id)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "a\u2028b\u0085c\u2029d\x1ce\x0bf\x0cg".encode(), id="characters that end a line in Unicode only"
        ),
        pytest.param("žluťoučký 🐎".encode(), id="utf-8"),
        pytest.param(b"\xff\xfe", id="bytes that are no utf-8"),
        pytest.param(rb"\ud83d \u0000", id="a lone surrogate and an escaped NUL"),
        pytest.param(b"x" * 70_000, id="70 kB"),
        pytest.param(b"", id="nothing"),
    ],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_a_frame_ends_at_byte_0x0a_only_and_passes_unchanged(
    tmp_path: Path, text: bytes, ending: bytes
) -> None:
    with open_meter(tmp_path) as client:
        expect(client, make_frame(text, ending=ending))
        assert client.close() == 0
        (call,) = client.read_metering().calls
    assert call.outcome == "ok"
    assert call.response_bytes == len(make_frame(text, ending=ending)) - 3


def test_frames_written_at_once_or_byte_by_byte_arrive_one_by_one(tmp_path: Path) -> None:
    log = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n'
    with open_meter(tmp_path) as client:
        expect(client, log, make_frame(b"two in one write"))
        expect(client, log, make_frame(b"drop by drop"), tool="drip")
        assert client.close() == 0
        metering = client.read_metering()
    assert [call.result_text for call in metering.calls] == ["two in one write", "drop by drop"]
    assert metering.server_request_counts == {"notifications/message": 2}


def test_a_line_of_50_mb_passes_without_the_meter_holding_it(tmp_path: Path) -> None:
    size = 50_000_000
    with open_meter(tmp_path) as client:
        client.send_call("repeat", size=size)
        assert len(client.read_frame()) > size
        peak_mb = client.read_peak_mb()
        assert client.close() == 0
        metering = client.read_metering()
    assert peak_mb < 50
    assert metering.calls[0].model_visible_chars == size
    assert not metering.recording_incomplete


def test_a_large_answer_with_its_id_at_the_end_is_matched_to_its_request(tmp_path: Path) -> None:
    text = b"y" * 300_000
    frame = b'{"result":{"content":[{"type":"text","text":"' + text + b'"}]},"jsonrpc":"2.0","id":%ID%}\n'
    with open_meter(tmp_path) as client:
        expect(client, frame)
        assert client.close() == 0
        assert client.read_metering().calls[0].model_visible_chars == len(text)


@pytest.mark.parametrize("size", [100, 20_000, 3_000_000])
def test_requests_reach_the_server_byte_for_byte(tmp_path: Path, size: int) -> None:
    params = {"name": "heard", "_meta": {"padding": "\u2028" + "ž" * size}}
    request = {"id": "ž-1", "jsonrpc": "2.0", "method": "tools/call", "params": params}
    frame = json.dumps(request, ensure_ascii=False).encode() + b"\r\n"
    with open_meter(tmp_path) as client:
        client.send_bytes(frame[:50])
        client.send_bytes(frame[50:])
        answer = client.read()
        assert client.close() == 0
        (call,) = client.read_metering().calls
    assert base64.b64decode(answer["result"]["content"][0]["text"]) == frame
    assert (call.request_id, call.request_bytes, call.outcome) == ("ž-1", len(frame), "ok")


def test_both_directions_flow_while_the_other_is_blocked(tmp_path: Path) -> None:
    """The client reads nothing while it sends far more than all pipes hold, and then gets every answer."""
    with open_meter(tmp_path) as client:
        client.send_call("repeat", size=8_000_000)
        for number in range(200):
            client.notify("n", number=number, padding="p" * 1000)
        assert len(client.read_frame()) > 8_000_000
        assert client.call_for_text("echo", text="still here") == "still here"
        assert client.close() == 0
        assert client.read_metering().request_counts == {"n": 200}


def test_an_unfinished_last_frame_reaches_the_client(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        client.send_call("die", code=0, data=encode(make_frame(b"famous last words", ending=b"")))
        assert json.loads(client.read_frame())["result"]["content"][0]["text"] == "famous last words"
        client.wait()
        assert client.read_metering().calls[0].result_text == "famous last words"


def test_answers_that_are_under_way_arrive_after_the_client_has_closed_its_end(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        client.send_call("echo", text="late")
        client.close_input()
        assert client.read()["result"]["content"][0]["text"] == "late"
        assert client.wait() == 0


def test_progress_and_cancellation_pass_at_once_and_a_late_answer_stays_cancelled(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        token = {"progressToken": "p-1"}
        client.send("tools/call", name="progress", arguments={"count": 3}, _meta=token)
        steps = [client.read() for _ in range(3)]
        assert [step["params"] for step in steps] == [
            {"progressToken": "p-1", "progress": n} for n in range(3)
        ]
        client.read()
        slow = client.send_call("hold")
        client.notify("notifications/cancelled", requestId=slow, reason="the client's patience ended")
        assert client.call_for_text("echo", text="fast") == "fast"
        assert client.call_for_text("let_go") == "done"
        assert client.read()["id"] == slow
        assert client.close() == 0
        metering = client.read_metering()
    assert [call.outcome for call in metering.calls] == ["ok", "cancelled", "ok", "ok"]
    _, cancelled, fast, _ = metering.calls
    assert cancelled.error_text == "the client's patience ended"
    assert cancelled.latency_s is not None
    assert cancelled.started_s + cancelled.latency_s <= fast.started_s
    assert metering.request_counts == {"notifications/cancelled": 1}


def test_pages_pass_with_their_cursors_and_the_inventory_is_their_union(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--pages", "3") as client:
        page = client.ask("tools/list")["result"]
        while "nextCursor" in page:
            page = client.ask("tools/list", cursor=page["nextCursor"])["result"]
        assert client.close() == 0
        metering = client.read_metering()
    assert [tool.name for tool in metering.tools] == ["tool-0", "tool-1", "tool-2"]
    assert not metering.repeated_cursor


def test_a_cursor_that_comes_back_is_reported(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--same-cursor") as client:
        client.ask("tools/list")
        client.ask("tools/list", cursor="1")
        client.close()
        assert client.read_metering().repeated_cursor
