"""The budget of provider calls is kept by the meter itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from meter_stage.meter_client import MeterClient, open_meter


def expect_refusal(client: MeterClient, *, limit: int, **arguments: object) -> None:
    result = client.call("echo", **arguments)["result"]
    assert result["isError"] is True
    assert f"budget of {limit} provider calls is used up" in result["content"][0]["text"]


@pytest.mark.parametrize("limit", [0, 2])
def test_calls_beyond_the_budget_are_answered_by_the_meter(tmp_path: Path, limit: int) -> None:
    with open_meter(tmp_path, max_tool_calls=limit) as client:
        client.ask("initialize")
        for number in range(limit):
            assert client.call_for_text("echo", text=str(number)) == str(number)
        expect_refusal(client, limit=limit, text="too much")
        expect_refusal(client, limit=limit, text="z" * 2_000_000)
        assert client.ask("tools/list")["result"]["tools"]
        assert client.close() == 0
        metering = client.read_metering()
    assert [call.outcome for call in metering.calls] == ["ok"] * limit + ["refused_budget"] * 2
    assert metering.request_counts == {"initialize": 1, "tools/list": 1}


def test_a_long_call_within_the_budget_arrives_whole(tmp_path: Path) -> None:
    with open_meter(tmp_path, max_tool_calls=1) as client:
        text = "z" * 2_000_000
        assert client.call_for_text("echo", text=text) == text
        expect_refusal(client, limit=1, text="one too many")


def test_a_call_whose_method_comes_last_is_counted_too(tmp_path: Path) -> None:
    arguments = {"text": "y" * 20_000}
    request = {
        "params": {"name": "echo", "arguments": arguments},
        "id": 1,
        "jsonrpc": "2.0",
        "method": "tools/call",
    }
    with open_meter(tmp_path, max_tool_calls=0) as client:
        client.send_bytes(json.dumps(request).encode() + b"\n")
        assert client.read()["result"]["isError"] is True


def test_restarting_the_server_does_not_renew_the_budget(tmp_path: Path) -> None:
    for refused in (False, True):
        with open_meter(tmp_path, max_tool_calls=1) as client:
            assert client.call("echo", text="x")["result"].get("isError", False) is refused
            client.close()
    assert [call.outcome for call in client.read_metering().calls] == ["ok", "refused_budget"]
