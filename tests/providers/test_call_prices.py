from __future__ import annotations

from datetime import date

import pytest
from provider_stage.metered_calls import make_call, make_metering
from pydantic import JsonValue

from pytest_searchlight.domain import SearchSetup, TappedSpend, UnitPrice
from pytest_searchlight.metering import MeteredCall
from pytest_searchlight.providers import price_calls


def test_setups_without_a_provider_cost_nothing(setups: dict[str, SearchSetup]) -> None:
    for name in ("floor", "ceiling", "no-search", "built-in"):
        assert price_calls(setups[name], None) == (0.0, ())


def test_a_run_without_calls_costs_nothing_and_an_unobserved_one_is_unknown(
    setups: dict[str, SearchSetup],
) -> None:
    assert price_calls(setups["exa"], make_metering()) == (0.0, ())
    assert price_calls(setups["exa"], None) == (None, ("exa: the provider's calls were not observed",))


def test_an_incomplete_record_of_calls_is_never_summed(setups: dict[str, SearchSetup]) -> None:
    usd, reasons = price_calls(setups["exa"], make_metering(complete=False))
    assert usd is None
    assert "incomplete" in reasons[0]


@pytest.mark.parametrize(
    ("depth", "usd"), [({}, 0.008), ({"search_depth": "fast"}, 0.008), ({"search_depth": "advanced"}, 0.016)]
)
def test_the_tariff_that_holds_for_the_arguments_is_used(
    depth: dict[str, str], usd: float, setups: dict[str, SearchSetup]
) -> None:
    call = make_call("tavily_search", arguments={"query": "q", **depth})
    assert price_calls(setups["tavily"], make_metering(call)) == (usd, ())


def test_arguments_that_no_tariff_covers_leave_the_sum_unknown(setups: dict[str, SearchSetup]) -> None:
    plain = make_call("web_search_exa", arguments={"query": "q"})
    large = make_call("web_search_exa", arguments={"query": "q", "numResults": 50})
    usd, reasons = price_calls(setups["exa"], make_metering(plain, large, large))
    assert usd is None
    assert reasons == ("web_search_exa: no tariff holds for these arguments (2x)",)


@pytest.mark.parametrize(("urls", "usd"), [(["a", "b", "c"], 0.003), ([], 0.0), ("a", None)])
def test_a_price_for_each_item_is_taken_as_often_as_there_are_items(
    urls: JsonValue, usd: float | None, setups: dict[str, SearchSetup]
) -> None:
    call = make_call("web_fetch_exa", arguments={"urls": urls})
    sum_usd, reasons = price_calls(setups["exa"], make_metering(call))
    assert sum_usd == pytest.approx(usd)
    unlisted = "web_fetch_exa: priced by 'urls', which is no list here (1x)"
    assert reasons == (() if usd is not None else (unlisted,))


@pytest.mark.parametrize(("reports", "usd"), [(1, 0.014), (2, 1.0), (3, 1.5)])
def test_tapped_reports_are_believed_when_no_good_call_is_without_one(
    reports: int, usd: float, setups: dict[str, SearchSetup]
) -> None:
    search = make_call("web_search_exa", arguments={"query": "q"})
    metering = make_metering(search, search, make_call("web_search_exa", outcome="refused_budget"))
    report = TappedSpend(host="api.exa.ai", path="/search", spend={"usd": 0.5})
    assert price_calls(setups["exa"], metering, tapped=[report] * reports)[0] == pytest.approx(usd)


def test_what_the_answer_reports_goes_before_the_tariff(setups: dict[str, SearchSetup]) -> None:
    call = make_call("web_search_exa", arguments={"query": "q"}, spend={"usd": 0.012})
    assert price_calls(setups["exa"], make_metering(call)) == (0.012, ())


def test_reported_credits_are_priced_once_their_price_is_known(setups: dict[str, SearchSetup]) -> None:
    metering = make_metering(make_call("firecrawl_search", spend={"credits": 2.0}))
    usd, reasons = price_calls(setups["firecrawl"], metering)
    assert usd is None
    assert reasons[0].startswith("firecrawl_search: reports credits: ")
    credit = UnitPrice(usd_per_unit=0.004, source="our own contract", checked=date(2026, 11, 30))
    priced = setups["firecrawl"].model_copy(update={"unit_prices": {"credits": credit}})
    assert price_calls(priced, metering) == (0.008, ())


@pytest.mark.parametrize(
    "call",
    [
        make_call("web_search_exa", outcome="refused_budget"),
        make_call("web_search_exa", outcome="tool_error", text="web_search_exa error (429): slow down"),
        make_call("web_search_exa", outcome="tool_error", text="MCP error -32602: wrong arguments"),
    ],
)
def test_calls_that_the_provider_never_worked_on_cost_nothing(
    call: MeteredCall, setups: dict[str, SearchSetup]
) -> None:
    assert price_calls(setups["exa"], make_metering(call)) == (0.0, ())


@pytest.mark.parametrize(
    "call",
    [
        make_call("web_search_exa", outcome="cancelled"),
        make_call("web_search_exa", outcome="server_died"),
        make_call("web_search_exa", outcome="tool_error", text="web_search_exa error (500): oops"),
    ],
)
def test_calls_that_may_have_been_billed_leave_the_sum_unknown(
    call: MeteredCall, setups: dict[str, SearchSetup]
) -> None:
    usd, reasons = price_calls(setups["exa"], make_metering(call))
    assert usd is None
    assert reasons == (f"web_search_exa: ended as {call.outcome}, and may have been billed (1x)",)


def test_a_search_that_found_nothing_is_billed_like_any_other_though_its_server_calls_it_an_error(
    setups: dict[str, SearchSetup],
) -> None:
    nothing = make_call("brave_web_search", outcome="tool_error", text="No web results found")
    assert price_calls(setups["brave"], make_metering(nothing)) == (0.005, ())


def test_failed_calls_to_a_free_provider_are_free(setups: dict[str, SearchSetup]) -> None:
    missing = make_call("web_fetch", outcome="tool_error", text="404: no such page")
    assert price_calls(setups["closed-web"], make_metering(missing)) == (0.0, ())
