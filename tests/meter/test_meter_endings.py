"""How a session ends: the server dies, never starts or will not go; the client leaves; a kill comes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from meter_stage.meter_client import (
    PATIENCE_S,
    STUB,
    encode,
    find_children,
    find_server_pid,
    open_meter,
    stop_hard,
    wait_until_gone,
    write_spec,
)

from pytest_searchlight.meter.guard import plan_pauses
from pytest_searchlight.metering import METER_PROGRAM, ServerExit

IGNORE_SIGNALS = ["sh", "-c", 'trap "" INT TERM HUP CHLD; exec "$@"', "sh"]


def test_a_server_that_dies_looks_dead_to_the_client_and_to_the_record(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        client.ask("initialize")
        hanging, killing = client.send_call("hang"), client.send_call("die", code=7)
        answers = {message["id"]: message["error"] for message in (client.read(), client.read())}
        assert client.wait() == 1
        assert "exit code 7" in client.read_errors()
        metering = client.read_metering()
    assert set(answers) == {hanging, killing}
    for error in answers.values():
        assert error == {"code": -32000, "message": "server closed: exit code 7"}
    assert [call.outcome for call in metering.calls] == ["server_died", "server_died"]
    assert metering.server_exit == ServerExit(code=7, unasked=True)
    assert not metering.recording_incomplete


def test_a_signal_that_killed_the_server_is_named(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        error = client.call("kill", signum=int(signal.SIGSEGV))["error"]
        assert error["message"] == "server closed: killed by signal 11 (SIGSEGV)"
        assert client.wait() == 1


@pytest.mark.parametrize("size", [10, 100_000], ids=["short", "long"])
def test_a_frame_torn_by_the_servers_death_is_ended_before_the_error(tmp_path: Path, size: int) -> None:
    torn = b'{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"' + b"x" * size
    with open_meter(tmp_path) as client:
        client.send_call("die", code=1, data=encode(torn))
        frame = client.read_frame()
        if size > 10:
            assert frame == torn.replace(b"%ID%", b"1") + b"\n"
            frame = client.read_frame()
        assert b"server closed" in frame
        assert client.wait() == 1
        assert client.read_metering().calls[0].outcome == "server_died"


def test_a_server_that_leaves_without_being_asked_ends_the_meter_with_an_error(tmp_path: Path) -> None:
    with open_meter(tmp_path, server={"command": ["true"]}) as client:
        assert client.wait() == 1
        assert client.read_metering().server_exit == ServerExit(code=0, unasked=True)


def test_a_server_whose_child_holds_its_stdout_is_still_seen_to_die(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        child = int(client.call_for_text("child"))
        assert "exit code 3" in client.call("die", code=3)["error"]["message"]
        assert client.wait() == 1
        wait_until_gone(child)


@pytest.mark.parametrize("tool", ["stop_hearing", "stop_speaking"])
def test_a_server_that_stays_but_hears_or_says_nothing_is_dead(tmp_path: Path, tool: str) -> None:
    with open_meter(tmp_path, stop_grace_s=0.1) as client:
        assert client.call_for_text(tool) == "last words"
        assert "server closed" in client.call("echo", text="anybody?")["error"]["message"]
        assert client.wait() == 1
        assert [call.outcome for call in client.read_metering().calls] == ["ok", "server_died"]


def test_the_last_words_of_a_server_that_dies_at_once_are_kept(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo 'an API key is required' >&2; exit 4"]
    with open_meter(tmp_path, server={"command": command}) as client:
        client.wait()
        metering = client.read_metering()
    assert metering.stderr_tail == "an API key is required\n"
    assert metering.server_exit == ServerExit(code=4, unasked=True)


@pytest.mark.parametrize(
    "command",
    [["no-such-program"], ["/no/such/program"], ["/etc/hostname"]],
    ids=["name", "path", "not executable"],
)
def test_a_server_that_cannot_be_started_is_reported_with_the_first_request(
    tmp_path: Path, command: list[str]
) -> None:
    with open_meter(tmp_path, server={"command": command}) as client:
        error = client.ask("initialize")["error"]
        assert error["code"] == -32000
        assert f"server not started: {command[0]}" in error["message"]
        assert client.wait() == 1
        assert command[0] in client.read_errors()
        metering = client.read_metering()
    assert metering.state == "started"
    assert metering.start_failure == error["message"]


def test_a_client_that_leaves_takes_the_server_with_it(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        child = int(client.call_for_text("child"))
        server = find_server_pid(client)
        guards = find_children(client.process.pid)
        assert client.close() == 0
        for pid in (server, child, *guards):
            wait_until_gone(pid)
        assert client.read_metering().server_exit == ServerExit(code=0, unasked=False)


def test_a_client_can_leave_while_the_server_takes_nothing(tmp_path: Path) -> None:
    """All pipes are full, so whoever carries the client's bytes cannot see that the client has left."""
    with open_meter(tmp_path, stop_grace_s=0.1) as client:
        client.send_call("deaf")
        client.fill_pipe()
        assert client.close() == 0
        assert client.read_metering().server_exit == ServerExit(code=-15, unasked=False)


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_meter_and_server_also_when_inherited_as_ignored(
    tmp_path: Path, signum: signal.Signals
) -> None:
    with open_meter(tmp_path, prefix=IGNORE_SIGNALS) as client:
        client.ask("initialize")
        server = find_server_pid(client)
        client.process.send_signal(signum)
        assert client.wait() == 128 + signum
        wait_until_gone(server)
        assert client.read_metering().ended


def test_a_stubborn_server_is_ended_by_force(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--stubborn", stop_grace_s=0.1) as client:
        client.ask("initialize")
        assert client.close() == 0
        assert client.read_metering().server_exit == ServerExit(code=-9, unasked=False)


def test_a_second_signal_ends_the_patience_with_a_stubborn_server(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--stubborn", stop_grace_s=600) as client:
        client.ask("initialize")
        client.close_input()
        while client.process.poll() is None:
            client.process.send_signal(signal.SIGTERM)
            try:
                client.process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        assert client.read_metering().server_exit == ServerExit(code=-9, unasked=False)


def test_nothing_survives_a_meter_that_is_killed_and_its_record_is_readable(tmp_path: Path) -> None:
    with open_meter(tmp_path, "--stubborn", stop_grace_s=0.2) as client:
        child = int(client.call_for_text("child"))
        client.send_call("hang")
        server, processes = find_server_pid(client), find_children(client.process.pid)
        stop_hard(client.process.pid)
        client.wait()
        for pid in (server, child, *processes):
            wait_until_gone(pid)
        metering = client.read_metering()
    assert metering.state == "spawned"
    assert not metering.ended
    assert metering.recording_incomplete


def test_a_guard_looks_soon_and_then_less_often_for_as_long_as_it_is_patient() -> None:
    """Agents that kill their servers outright end with a guard at work, and wait for what it waits."""
    pauses = list(plan_pauses(2.0))
    assert pauses[0] <= 0.01
    assert pauses[:-1] == sorted(pauses[:-1])
    assert max(pauses) == 0.1
    assert sum(pauses) == pytest.approx(2.0)
    assert list(plan_pauses(0.0)) == []


def test_nothing_survives_a_parent_that_is_killed(tmp_path: Path) -> None:
    """The parent holds the meter's pipes; when it is killed, all the meter sees is that they end."""
    parent_code = (
        "import subprocess, sys\n"
        "meter = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        'meter.stdin.write(b\'{"jsonrpc":"2.0","id":1,"method":"initialize"}\\n\')\n'
        "meter.stdin.flush()\n"
        "meter.stdout.readline()\n"
        "print(meter.pid, flush=True)\n"
        "meter.wait()\n"
    )
    spool = tmp_path / "spool"
    spool.mkdir()
    server = {"command": [sys.executable, "-I", "-S", str(STUB), "--stubborn"]}
    spec = write_spec(tmp_path, {"server": server, "spool": str(spool), "stop_grace_s": 0.2})
    meter = [sys.executable, "-I", "-S", str(METER_PROGRAM), "--spec", str(spec)]
    with subprocess.Popen([sys.executable, "-c", parent_code, *meter], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        meter_pid = int(parent.stdout.readline())
        processes = [meter_pid, *find_children(meter_pid)]
        stop_hard(parent.pid)
    assert len(processes) == 3
    for pid in processes:
        wait_until_gone(pid)


def test_a_client_that_stops_reading_ends_the_session(tmp_path: Path) -> None:
    with open_meter(tmp_path) as client:
        client.ask("initialize")
        server = find_server_pid(client)
        assert client.process.stdout is not None
        client.process.stdout.close()
        client.send_call("echo", text="nobody listens")
        assert client.process.wait(PATIENCE_S) == 0
        wait_until_gone(server)
