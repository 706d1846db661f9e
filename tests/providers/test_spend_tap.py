"""What a provider's API reports of a call's cost, where its server keeps that from the agent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from provider_stage.fake_provider_api import CannedAnswer
from provider_stage.metered_server import read_text, start_metered
from provider_stage.provider_answers import PAGE_TEXT
from provider_stage.provider_lab import CALLS, Lab
from pydantic import JsonValue

from pytest_searchlight.domain import TappedSpend
from pytest_searchlight.providers import price_calls
from pytest_searchlight.providers.tap import read_tapped_spend, tap_launch

AGENT_EVENTS = (
    ("response.created", {"id": "a1", "usage": {"cost": {"total_cost": 0.001}}}),
    ("response.completed", {"id": "a1", "usage": {"cost": {"total_cost": 0.013}}, "output": [
        {"type": "message", "content": [{"type": "output_text", "text": PAGE_TEXT}]}
    ]}),
)  # fmt: skip


def test_exas_own_report_replaces_the_tariff_and_the_agent_sees_the_same(lab: Lab) -> None:
    record = lab.folder / "tap.jsonl"
    launch = tap_launch(lab.launch("exa"), record=record)
    with start_metered(launch, lab.folder) as server:
        for tool, arguments in CALLS["exa"].items():
            assert PAGE_TEXT in read_text(server.call(tool, **arguments))
    tapped = read_tapped_spend(record)
    assert [answer.spend for answer in tapped] == [{"usd": 0.007}, {"usd": 0.001}]
    usd, _ = price_calls(lab.setups["exa"], lab.read(), tapped=tapped)
    assert usd == pytest.approx(0.008)
    assert "fake-key" not in record.read_text()


def test_a_streamed_answer_counts_its_last_report_once(lab: Lab) -> None:
    events = (
        f"event: {name}\ndata: {json.dumps({'type': name, 'response': body})}\n\n"
        for name, body in AGENT_EVENTS
    )
    stream = CannedAnswer(body="".join(events).encode(), content_type="text/event-stream")
    lab.api.answer_with("perplexity", stream)
    record = lab.folder / "tap.jsonl"
    with start_metered(tap_launch(lab.launch("perplexity"), record=record), lab.folder) as server:
        answer = server.call("perplexity_ask", messages=[{"role": "user", "content": "plates?"}])
        assert PAGE_TEXT in read_text(answer)
    tapped = read_tapped_spend(record)
    assert [found.spend for found in tapped] == [{"usd": 0.013}]
    assert price_calls(lab.setups["perplexity"], lab.read(), tapped=tapped) == (0.013, ())


def test_a_tap_that_missed_a_good_call_is_not_believed(lab: Lab) -> None:
    with lab.start("exa") as server:
        for tool, arguments in CALLS["exa"].items():
            server.call(tool, **arguments)
    missed = [TappedSpend(host="api.exa.ai", path="/search", spend={"usd": 0.5})]
    usd, _ = price_calls(lab.setups["exa"], lab.read(), tapped=missed)
    assert usd == pytest.approx(0.009)


def test_a_server_that_node_does_not_run_is_left_as_it_is() -> None:
    launch: dict[str, JsonValue] = {"command": ["/usr/bin/python3", "x.py"], "env": {"A": "b"}, "cwd": "/"}
    assert tap_launch(launch, record=Path("tap.jsonl")) == launch
    assert tap_launch({"url": "https://x.test/"}, record=Path("tap.jsonl")) == {"url": "https://x.test/"}


def test_a_record_that_was_cut_short_keeps_its_whole_lines(tmp_path: Path) -> None:
    record = tmp_path / "tap.jsonl"
    assert read_tapped_spend(record) == ()
    whole = TappedSpend(host="h", path="/p", spend={"credits": 2})
    record.write_text(f"{whole.model_dump_json()}\n{whole.model_dump_json()[:20]}")
    assert read_tapped_spend(record) == (whole,)
