"""Meters that share a file take turns at calling their provider."""

from __future__ import annotations

import time
from pathlib import Path

from meter_stage.meter_client import open_meter

from pytest_searchlight.meter.pacing import Pace


def test_two_meters_together_stay_below_the_rate(tmp_path: Path) -> None:
    pace = {"file": str(tmp_path / "pace"), "calls_per_s": 10}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with open_meter(tmp_path / "a", pace=pace) as one, open_meter(tmp_path / "b", pace=pace) as other:
        one.ask("initialize")
        other.ask("initialize")
        began = time.monotonic()
        for number in range(4):
            one.send_call("echo", text=f"one {number}")
            other.send_call("echo", text=f"other {number}")
        for _ in range(4):
            one.read()
            other.read()
        took = time.monotonic() - began
        one.close()
        metering = one.read_metering()
    assert took >= 0.7, "eight calls at ten a second cannot all be answered earlier"
    assert [call.outcome for call in metering.calls] == ["ok"] * 4
    assert sum(call.paced_s for call in metering.calls) > 0


def test_the_wait_for_a_turn_is_not_the_providers_latency(tmp_path: Path) -> None:
    pace = {"file": str(tmp_path / "pace"), "calls_per_s": 2}
    with open_meter(tmp_path, pace=pace) as client:
        client.ask("initialize")
        client.call("echo", text="first")
        client.call("echo", text="second")
        client.close()
        first, second = client.read_metering().calls
    assert first.paced_s == 0
    assert second.paced_s > 0.2
    assert second.latency_s is not None
    assert second.latency_s < second.paced_s


def test_other_requests_need_no_turn(tmp_path: Path) -> None:
    pace = {"file": str(tmp_path / "pace"), "calls_per_s": 0.001}
    with open_meter(tmp_path, pace=pace) as client:
        client.ask("initialize")
        assert client.call_for_text("echo", text="the one turn in a thousand seconds")
        assert client.ask("tools/list")["result"]["tools"]


def test_a_turn_is_postponed_when_the_provider_asks_for_it(tmp_path: Path) -> None:
    pace = Pace(str(tmp_path / "pace"), calls_per_s=1000)
    pace.postpone(0.3)
    assert pace.wait_turn() > 0.2


def test_a_file_that_cannot_be_used_holds_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "pace").write_text("no number")
    assert Pace(str(tmp_path / "pace"), calls_per_s=0.001).wait_turn() == 0
    assert Pace(str(tmp_path / "missing" / "pace"), calls_per_s=0.001).wait_turn() == 0
