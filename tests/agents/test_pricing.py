from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from agent_stage import REPOSITORY
from rooms.records_for_tests import SHOP, make_run, meter_calls, observe

from pytest_searchlight.costs.runs import price_run
from pytest_searchlight.costs.token_prices import PriceList, read_prices
from pytest_searchlight.domain import CallOutcome, RunStatus, SearchSetup, SetupKind, ToolCall, Usage
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import AgentTrace, ObservedRun

TODAY = date(2026, 12, 1)
PRICES = """
lamp-1:
  - valid_from: 2026-01-01
    source: the price list of the lamp works
    checked: 2026-01-02
    usd_per_million: {input: 2, cached_input: 0.2, cache_write: 2.5, output: 10, reasoning: 10}
  - valid_from: 2026-06-01
    source: the price list of the lamp works
    checked: 2026-06-02
    usd_per_million: {input: 4, cached_input: 0.4, cache_write: null, output: 20, reasoning: null}
"""
USED = Usage(
    input_tokens=1_000_000,
    cached_input_tokens=1_000_000,
    cache_write_tokens=0,
    output_tokens=100_000,
    reasoning_tokens=0,
)


@pytest.fixture
def prices(tmp_path: Path) -> PriceList:
    (tmp_path / "prices.yaml").write_text(PRICES)
    return read_prices([tmp_path])


def test_a_run_costs_what_the_rates_of_its_day_say(prices: PriceList) -> None:
    assert prices.price_usage(USED, model="lamp-1", at=date(2026, 3, 1))[0] == pytest.approx(3.2)
    assert prices.price_usage(USED, model="lamp-1", at=TODAY)[0] == pytest.approx(6.4)


def test_a_rate_holds_from_its_own_day_on(prices: PriceList) -> None:
    assert prices.price_usage(USED, model="lamp-1", at=date(2026, 5, 31))[0] == pytest.approx(3.2)
    assert prices.price_usage(USED, model="lamp-1", at=date(2026, 6, 1))[0] == pytest.approx(6.4)


def test_a_provider_that_was_never_asked_costs_nothing_and_one_without_a_tariff_an_unknown_sum() -> None:
    run, free = make_run(SHOP), PriceList({})
    assert price_run(observe(run=run), prices=free).total_usd == 0.0
    asked = price_run(observe(run=run, metering=meter_calls("ok")), prices=free)
    assert asked.provider_usd is None
    assert asked.unpriced == ("find: no tariff holds for these arguments (1x)",)


def test_a_run_from_before_the_first_rate_takes_that_one(prices: PriceList) -> None:
    assert prices.price_usage(USED, model="lamp-1", at=date(2025, 1, 1))[0] == pytest.approx(3.2)


def test_a_model_with_the_day_of_its_release_is_the_same_model(prices: PriceList) -> None:
    assert prices.price_usage(USED, model="lamp-1-20260101", at=TODAY)[0] == pytest.approx(6.4)


def test_one_class_without_a_rate_makes_the_cost_unknown_and_says_so(prices: PriceList) -> None:
    wrote = USED.model_copy(update={"cache_write_tokens": 5})
    usd, reasons = prices.price_usage(wrote, model="lamp-1", at=TODAY)
    assert usd is None
    assert reasons == ("no rate for cache write tokens of 'lamp-1'",)


def test_a_class_without_a_rate_that_was_not_used_costs_nothing(prices: PriceList) -> None:
    assert prices.price_usage(USED, model="lamp-1", at=TODAY)[1] == ()


def test_tokens_that_were_not_counted_make_the_cost_unknown(prices: PriceList) -> None:
    usd, reasons = prices.price_usage(Usage(input_tokens=5), model="lamp-1", at=TODAY)
    assert usd is None
    assert "output tokens of 'lamp-1' were not counted" in reasons


def test_reasoning_that_is_not_counted_apart_is_in_the_output(prices: PriceList) -> None:
    silent = USED.model_copy(update={"reasoning_tokens": None})
    assert prices.price_usage(silent, model="lamp-1", at=TODAY)[0] == pytest.approx(6.4)


def test_a_model_without_a_price_has_no_cost(prices: PriceList) -> None:
    assert prices.price_usage(USED, model="lamp-2", at=TODAY) == (
        None,
        ("no price for model 'lamp-2' in prices.yaml",),
    )


def test_a_products_own_searches_cost_what_their_rate_says_and_are_never_free(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(PRICES + "    usd_per_search: 0.01\n")
    priced = read_prices([tmp_path])
    usd, reasons = priced.price_usage(USED, model="lamp-1", at=TODAY, searches=3)
    assert usd == pytest.approx(6.43)
    assert reasons == ()
    assert priced.price_usage(USED, model="lamp-1", at=date(2026, 3, 1), searches=3) == (
        None,
        ("no usd_per_search for the product's own searches with 'lamp-1' (3x)",),
    )


def make_searching_run(*calls: ToolCall) -> ObservedRun:
    trace = AgentTrace(status=RunStatus.GRADED, usage=USED, tool_calls=calls)
    run = make_run(SearchSetup(name="built-in", kind=SetupKind.BUILT_IN), model_name="lamp-1")
    return observe(trace, run=run)


def test_a_run_that_searched_with_the_products_own_tool_has_no_cost_without_a_rate_for_it(
    prices: PriceList,
) -> None:
    searched = ToolCall(tool="WebSearch", arguments={"query": "plates"}, outcome=CallOutcome.OK)
    refused = searched.model_copy(update={"outcome": CallOutcome.REFUSED, "executed": False})
    fetched = ToolCall(tool="WebFetch", arguments={"url": "https://a.example/"}, outcome=CallOutcome.OK)
    assert price_run(make_searching_run(searched, refused, fetched), prices=prices).unpriced == (
        "no usd_per_search for the product's own searches with 'lamp-1' (1x)",
    )
    assert price_run(make_searching_run(refused, fetched), prices=prices).total_usd is not None


def test_a_projects_own_prices_take_precedence(prices: PriceList, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "prices.yaml").write_text(PRICES.replace("input: 4,", "input: 8,"))
    both = read_prices([tmp_path, own])
    usd, _ = both.price_usage(USED, model="lamp-1", at=TODAY)
    assert usd == pytest.approx(10.4)
    assert prices.price_usage(USED, model="lamp-1", at=TODAY)[0] == pytest.approx(6.4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lamp-1: 5", r"prices\.yaml:1: lamp-1"),
        (PRICES.replace("output: 10", "output: -1"), r"prices\.yaml:6: .*output: -1"),
        (PRICES.replace("    checked: 2026-01-02\n", ""), "checked"),
        ("lamp-1: [", "not YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_place_value_and_rule(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(SettingsError, match=message):
        read_prices([tmp_path])


def test_the_shipped_prices_name_every_default_model() -> None:
    shipped = read_prices([REPOSITORY / "config"])
    assert {"claude-opus-5-5", "gpt-6.1-sol"} <= set(shipped.models)
