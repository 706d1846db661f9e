"""What the workers of a session share; two ledgers on one file stand for two workers."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from rooms.records_for_tests import make_record

from pytest_searchlight.domain import Cost, JudgeCost, RunStatus, Usage
from pytest_searchlight.errors import DiskError
from pytest_searchlight.session.ledger import FAULTS_IN_A_ROW, Ledger, Spend, measure_spend
from pytest_searchlight.settings import SessionCaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

GIVE_UP_S = 10.0


@pytest.fixture
def open_ledger(tmp_path: Path) -> Iterator[Callable[..., Ledger]]:
    opened: list[Ledger] = []

    def open_one(caps: SessionCaps | None = None, *, started_at_s: float = 2**40) -> Ledger:
        ledger = Ledger(tmp_path / "ledger.sqlite", caps=caps or SessionCaps(), started_at_s=started_at_s)
        opened.append(ledger)
        return ledger

    yield open_one
    for ledger in opened:
        ledger.close()


def spend(tokens: int | None = 100, usd: float | None = 0.5, calls: int | None = 3) -> Spend:
    return Spend(tokens=tokens, cost_usd=usd, provider_calls=calls)


def test_workers_see_what_the_others_spent(open_ledger: Callable[..., Ledger]) -> None:
    caps = SessionCaps(tokens=250)
    one, two = open_ledger(caps), open_ledger(caps)
    one.record_spend("a", attempt=1, spend=spend())
    two.record_spend("b", attempt=1, spend=spend())
    assert one.explain_exhausted() is None
    one.record_spend("a", attempt=2, spend=spend())
    assert two.explain_exhausted() == (
        "session budget used up: 300 of 250 tokens spent (--searchlight-max-tokens)"
    )


def test_the_same_attempt_counts_once(open_ledger: Callable[..., Ledger]) -> None:
    ledger = open_ledger(SessionCaps(provider_calls=4))
    ledger.record_spend("a", attempt=1, spend=spend())
    ledger.record_spend("a", attempt=1, spend=spend())
    assert ledger.explain_exhausted() is None


@pytest.mark.parametrize(
    ("caps", "word"),
    [
        (SessionCaps(cost_usd=0.5), "cost_usd"),
        (SessionCaps(provider_calls=3), "provider_calls"),
        (SessionCaps(tokens=100), "tokens"),
    ],
)
def test_each_budget_is_used_up_when_it_is_reached(
    open_ledger: Callable[..., Ledger], caps: SessionCaps, word: str
) -> None:
    ledger = open_ledger(caps)
    assert ledger.explain_exhausted() is None
    ledger.record_spend("a", attempt=1, spend=spend())
    assert f"{word} spent" in str(ledger.explain_exhausted())


def test_an_unknown_amount_is_not_taken_for_nothing(open_ledger: Callable[..., Ledger]) -> None:
    ledger = open_ledger(SessionCaps(cost_usd=100))
    ledger.record_spend("a", attempt=1, spend=spend(usd=None))
    assert "cannot be held: cost_usd of 1 attempt(s) unknown" in str(ledger.explain_exhausted())


def test_without_a_budget_nothing_is_ever_used_up(open_ledger: Callable[..., Ledger]) -> None:
    ledger = open_ledger(started_at_s=0)
    ledger.record_spend("a", attempt=1, spend=spend(usd=None, tokens=10**12))
    assert ledger.explain_exhausted() is None


def test_wall_clock_counts_from_the_start_of_the_session(open_ledger: Callable[..., Ledger]) -> None:
    assert open_ledger(SessionCaps(wall_clock_s=5)).explain_exhausted() is None
    assert "5 s of wall clock" in str(
        open_ledger(SessionCaps(wall_clock_s=5), started_at_s=0).explain_exhausted()
    )


def test_a_slot_is_held_by_one_worker_at_a_time(tmp_path: Path, open_ledger: Callable[..., Ledger]) -> None:
    ledger, order = open_ledger(), []

    def wait_in_another_worker() -> None:
        other = Ledger(tmp_path / "ledger.sqlite", caps=SessionCaps(), started_at_s=0)
        with other.hold_slots({"exa": 1, "codex": 9}):
            order.append("other")
        other.close()

    thread = threading.Thread(target=wait_in_another_worker)
    with ledger.hold_slots({"exa": 1}):
        thread.start()
        thread.join(0.3)
        order.append("first")
    thread.join(GIVE_UP_S)
    assert order == ["first", "other"]


def test_a_dead_workers_slots_are_free_again(tmp_path: Path, open_ledger: Callable[..., Ledger]) -> None:
    program = (
        "import os, sys, pathlib\n"
        "from pytest_searchlight.session.ledger import Ledger\n"
        "from pytest_searchlight.settings import SessionCaps\n"
        "ledger = Ledger(pathlib.Path(sys.argv[1]), caps=SessionCaps(), started_at_s=0)\n"
        "ledger.hold_slots({'exa': 1}).__enter__()\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "ledger.sqlite")], check=False)
    with open_ledger().hold_slots({"exa": 1}):
        pass


def test_a_pause_keeps_everybody_from_a_provider_until_it_is_over(open_ledger: Callable[..., Ledger]) -> None:
    one, two = open_ledger(), open_ledger()
    one.pause("exa", seconds=3600)
    one.pause("exa", seconds=1)
    assert two._take_slots({"exa": 5}) is False
    assert two._take_slots({"exa": None}) is False, "without a limit a pause is waited for all the same"
    assert two._take_slots({"tavily": 5}) is True
    two.forget_faults()
    assert one._take_slots({"exa": 5}) is True


def test_who_had_to_wait_for_a_slot_is_told_so(open_ledger: Callable[..., Ledger]) -> None:
    one, two = open_ledger(), open_ledger()
    with one.hold_slots({"exa": 1}) as waited:
        assert waited is False
    one.pause("exa", seconds=0.05)
    with two.hold_slots({"exa": 1}) as waited:
        assert waited is True


def test_faults_in_a_row_defer_the_rest_of_a_lane_and_a_measured_run_starts_over(
    open_ledger: Callable[..., Ledger],
) -> None:
    one, two = open_ledger(), open_ledger()
    for _ in range(FAULTS_IN_A_ROW - 1):
        one.record_outcome("codex/exa", RunStatus.PROVIDER_ERROR, reason="down")
    two.record_outcome("codex/exa", RunStatus.GRADED, reason="")
    one.record_outcome("codex/exa", RunStatus.PROVIDER_ERROR, reason="down")
    assert two.explain_broken("codex/exa") is None
    for _ in range(FAULTS_IN_A_ROW - 1):
        one.record_outcome("codex/exa", RunStatus.RATE_LIMITED, reason="too many")
    assert "the last one ended as rate_limited: too many" in str(two.explain_broken("codex/exa"))
    assert two.explain_broken("codex/tavily") is None
    two.forget_faults()
    assert one.explain_broken("codex/exa") is None


def test_no_run_starts_after_an_interruption_until_the_session_is_resumed(
    open_ledger: Callable[..., Ledger],
) -> None:
    controller, worker = open_ledger(), open_ledger()
    assert worker.explain_interrupted() is None
    controller.declare_interrupted()
    assert "interrupted" in str(worker.explain_interrupted())
    controller.forget_faults()
    assert worker.explain_interrupted() is None


def test_one_lasting_fault_defers_the_rest_of_a_lane(open_ledger: Callable[..., Ledger]) -> None:
    ledger = open_ledger()
    ledger.record_outcome("codex/exa", RunStatus.AGENT_ERROR, reason="login refused", is_lasting=True)
    assert "login refused" in str(ledger.explain_broken("codex/exa"))


def test_a_reason_may_hold_any_characters(open_ledger: Callable[..., Ledger]) -> None:
    ledger = open_ledger()
    for _ in range(FAULTS_IN_A_ROW):
        ledger.record_outcome("lane", RunStatus.AGENT_ERROR, reason="lone \ud83d")
    assert str(ledger.explain_broken("lane")).endswith("agent_error: lone ?")


def test_a_run_spends_what_its_judge_costs_too_and_unknown_stays_unknown() -> None:
    judging = JudgeCost(judge="codex", model_name="m", usage=Usage(), usd=0.5)
    unpriced = judging.model_copy(update={"usd": None})
    cost = Cost(agent_usd=0.25, provider_usd=0.0)
    spent = [
        measure_spend(make_record(cost=cost, judging=each)).cost_usd for each in (None, judging, unpriced)
    ]
    assert spent == [0.25, 0.75, 0.25]
    assert measure_spend(make_record(cost=Cost(), judging=judging)).cost_usd is None


def test_a_ledger_that_cannot_be_opened_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DiskError, match="cannot keep the session's ledger"):
        Ledger(tmp_path / "nowhere" / "ledger.sqlite", caps=SessionCaps(), started_at_s=0)
