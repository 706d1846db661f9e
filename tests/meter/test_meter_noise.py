"""What a server says besides messages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from meter_stage.meter_client import STUB, encode, open_meter

ANSWER = b'{"jsonrpc":"2.0","id":%ID%,"result":{"content":[]}}\n'


@pytest.mark.parametrize(
    "noise",
    [
        pytest.param(b"Starting server...\n", id="prose"),
        pytest.param(b"[Breadcrumb] {\n", id="prose with a brace"),
        pytest.param(b"{ half an object\n", id="a brace that opens nothing"),
        pytest.param(b'{"level": "info", "message": "ready"}\n', id="JSON that is no JSON-RPC"),
        pytest.param(b'{"level": "debug", "sent": {"jsonrpc": "2.0", "id": 1}}\n', id="a log of a message"),
        pytest.param(b'{"level": "debug", "sent": "' + b"x" * 90_000 + b'"}\n', id="a long line of JSON"),
        pytest.param(b"x" * 2_000_000 + b"\n", id="a long line of prose"),
        pytest.param(b'"text"\n', id="a string"),
        pytest.param(b"[" * 3000 + b"\n", id="brackets without end"),
        pytest.param(b"\xff\xff\n", id="bytes that are no text"),
    ],
)
def test_noise_is_kept_from_the_client_counted_and_saved(tmp_path: Path, noise: bytes) -> None:
    with open_meter(tmp_path) as client:
        client.send_call("raw", data=encode(noise + ANSWER))
        assert client.read()["id"] == 1
        assert client.call_for_text("echo", text="on we go") == "on we go"
        assert client.close() == 0
        metering = client.read_metering()
    saved = (tmp_path / "spool" / "stdout_noise.log").read_bytes()
    assert metering.noise_lines == 1
    assert saved[:64] == noise[:64]
    assert saved[-64:] == noise[-64:]
    assert metering.noise_tail
    assert [call.outcome for call in metering.calls] == ["ok", "ok"]


def test_noise_before_the_first_message_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--greeting", "Welcome!\n\n\r\n  \n") as client:
        assert client.ask("initialize")["result"]["serverInfo"]["name"] == "stub"
        assert client.close() == 0
        metering = client.read_metering()
    assert metering.noise_lines == 1
    assert metering.initialized


def test_a_batch_of_messages_is_no_noise(tmp_path: Path) -> None:
    batch = b'[{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"a"}]}}]\n'
    with open_meter(tmp_path) as client:
        client.send_call("raw", data=encode(batch))
        assert client.read_frame() == batch.replace(b"%ID%", b"1")
        assert client.close() == 0
        metering = client.read_metering()
    assert metering.noise_lines == 0
    assert metering.calls[0].result_text == "a"


@pytest.mark.parametrize("times", [2_000, 200_000], ids=["200 kB", "20 MB"])
def test_a_flood_on_stderr_never_holds_up_the_server_and_leaves_head_and_tail(
    tmp_path: Path, times: int
) -> None:
    with open_meter(tmp_path) as client:
        line = "x" * 99 + "\n"
        assert client.call_for_text("stderr", text=line, times=times) == "done"
        assert client.close() == 0
        metering = client.read_metering()
    log = (tmp_path / "spool" / "stderr.log").read_bytes()
    assert log.startswith(b"first words\n")
    assert log.endswith(b"last words\n")
    assert b"bytes omitted" in log
    assert len(log) < 140_000
    assert metering.stderr_tail.endswith("last words\n")


def test_secrets_are_taken_out_of_what_the_server_logs(tmp_path: Path) -> None:
    secret, password = "sk-live-0123456789", "hunter2hunter2"
    environment = {"SEARCH_API_KEY": secret, "DB_PASSWORD": password, "REGION": "north-east-1"}
    server = {"command": [sys.executable, "-I", "-S", str(STUB)], "env": environment}
    with open_meter(tmp_path, server=server) as client:
        client.call("stderr", text=f"key {secret} at north-east-1 {password}{secret}\n", times=3000)
        client.send_call("raw", data=encode(f"noise with {secret}\n".encode() + ANSWER))
        client.read()
        client.close()
        metering = client.read_metering()
    logs = [(tmp_path / "spool" / name).read_text() for name in ("stderr.log", "stdout_noise.log")]
    for text in (*logs, metering.stderr_tail, metering.noise_tail):
        assert secret not in text
        assert secret[:-4] not in text
        assert password not in text
        assert "[REDACTED]" in text
    assert "north-east-1" in logs[0]
