"""What the reading of briefs takes: counted, priced and kept apart from what the agent used."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest
from judge_stage import GOOD_CLAIMS, MARKS, PAGE, TASK, ScriptedJudge, make_deliverable, make_source
from rooms.records_for_tests import make_record

from pytest_searchlight.costs.runs import price_judging
from pytest_searchlight.costs.token_prices import PriceList, read_prices
from pytest_searchlight.domain import Cost, JudgeCost, Usage, add_usage
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.extensions import Judge
from pytest_searchlight.judges import Assessor, LexicalJudge
from pytest_searchlight.judges.labels import NoJudgementError
from pytest_searchlight.summary import measure_lanes

PRICES = """
scripted-1:
  - valid_from: 2026-01-01
    source: told so
    checked: 2026-01-01
    usd_per_million: {input: 2, cached_input: 0, cache_write: 0, output: 10, reasoning: 10}
"""
TODAY = date(2026, 11, 30)


def use(tokens: int) -> Usage:
    return Usage(input_tokens=tokens, cached_input_tokens=0, cache_write_tokens=0, output_tokens=tokens)


@dataclass
class PaidJudge(ScriptedJudge):
    """Uses a million tokens of input and as many of output at every try."""

    usage: Usage = field(default_factory=lambda: use(1_000_000))

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        if len(self.seen) < self.failures:
            self.seen.append(payload)
            raise NoJudgementError("judge scripted: talks nonsense", usage=self.usage)
        judgement = super().judge(payload, record=record)
        return judgement.model_copy(update={"usage": self.usage})


@pytest.fixture
def prices(tmp_path: Path) -> PriceList:
    (tmp_path / "prices.yaml").write_text(PRICES)
    return read_prices([tmp_path])


def price(judge: Judge, record: Path, prices: PriceList, *, claims: bool = True) -> JudgeCost | None:
    found = Assessor(judge=judge, marks=MARKS).assess(
        make_deliverable(*(GOOD_CLAIMS if claims else ())),
        task=TASK,
        sources={PAGE: make_source()},
        record=record,
    )
    return None if found.usage is None else price_judging(found.usage, judge, prices=prices, day=TODAY)


def test_a_judgement_costs_what_its_tokens_do(tmp_path: Path, prices: PriceList) -> None:
    assert price(PaidJudge(), tmp_path, prices) == JudgeCost(
        judge="scripted", model_name="scripted-1", usage=use(1_000_000), usd=12.0
    )


def test_a_try_that_gave_no_judgement_is_paid_all_the_same(tmp_path: Path, prices: PriceList) -> None:
    second = price(PaidJudge(failures=1), tmp_path, prices)
    neither = price(PaidJudge(failures=2), tmp_path, prices)
    assert second is not None
    assert neither is not None
    assert (second.usd, neither.usd) == (24.0, 24.0)


def test_a_try_that_told_no_usage_leaves_the_cost_unknown(tmp_path: Path, prices: PriceList) -> None:
    cost = price(ScriptedJudge(failures=1), tmp_path, prices)
    assert cost is not None
    assert (cost.usd, cost.usage.total_tokens) == (None, None)
    assert "input tokens of 'scripted-1' were not counted" in cost.unpriced


def test_a_model_without_a_price_says_so(tmp_path: Path, prices: PriceList) -> None:
    cost = price(PaidJudge(model_name="other"), tmp_path, prices)
    assert cost is not None
    assert (cost.usd, cost.unpriced) == (None, ("no price for model 'other' in prices.yaml",))


def test_a_judge_without_a_model_costs_nothing_and_one_that_was_not_asked_has_no_cost(
    tmp_path: Path, prices: PriceList
) -> None:
    cost = price(LexicalJudge(), tmp_path, prices)
    assert cost is not None
    assert (cost.usd, cost.usage.total_tokens) == (0.0, 0)
    assert price(PaidJudge(), tmp_path, prices, claims=False) is None


def test_a_sum_of_usage_is_unknown_where_a_part_is() -> None:
    assert add_usage([use(2), use(3)]).output_tokens == 5
    assert add_usage([use(2), Usage(output_tokens=3)]).input_tokens is None


def test_a_lane_sums_its_judging_apart_from_its_agent() -> None:
    cost = JudgeCost(judge="scripted", model_name="scripted-1", usage=use(10), usd=0.5)
    agent = Cost(agent_usd=0.25, provider_usd=0.0)
    runs = [make_record(judging=each, cost=agent) for each in (cost, cost, None)]
    (lane,) = measure_lanes(runs)
    assert (lane.judging.judged_runs, lane.judging.tokens, lane.judging.cost_usd) == (2, 40, 1.0)
    assert lane.cost_usd.total == 0.75


def test_one_unknown_cost_makes_a_lanes_judging_unknown() -> None:
    known = JudgeCost(judge="scripted", model_name="scripted-1", usage=use(10), usd=0.5)
    unknown = JudgeCost(judge="scripted", model_name="scripted-1", usage=Usage(), usd=None)
    (lane,) = measure_lanes([make_record(judging=each) for each in (known, unknown)])
    assert (lane.judging.judged_runs, lane.judging.tokens, lane.judging.cost_usd) == (2, None, None)
