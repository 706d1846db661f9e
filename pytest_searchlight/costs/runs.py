"""What a run cost: agent's tokens, provider's calls, judge's tokens; and what of it could not be priced."""

from __future__ import annotations

from datetime import date, datetime

from pytest_searchlight.agents.contract import OWN_SEARCHES
from pytest_searchlight.costs.token_prices import PriceList
from pytest_searchlight.domain import Cost, JudgeCost, Usage
from pytest_searchlight.extensions import Judge, ObservedRun
from pytest_searchlight.providers.pricing import price_calls


def price_run(observed: ObservedRun, *, prices: PriceList) -> Cost:
    """US dollars of a run. An agent without a model and a run without a provider cost exactly nothing."""
    agent_usd, agent_reasons = _price_agent(observed, prices)
    provider_usd, provider_reasons = _price_provider(observed)
    return Cost(
        agent_usd=agent_usd,
        provider_usd=provider_usd,
        cli_reported_usd=observed.trace.cli_reported_usd,
        unpriced=(*agent_reasons, *provider_reasons),
    )


def price_judging(usage: Usage, judge: Judge, *, prices: PriceList, day: date) -> JudgeCost:
    """What a judge's reading took. A judge without a model costs nothing."""
    model = judge.model_name
    usd, reasons = (0.0, ()) if model is None else prices.price_usage(usage, model=model, at=day)
    return JudgeCost(judge=judge.name, model_name=model, usage=usage, usd=usd, unpriced=reasons)


def _price_agent(observed: ObservedRun, prices: PriceList) -> tuple[float | None, tuple[str, ...]]:
    model = observed.run.model_name
    if model is None:
        return 0.0, ()
    return prices.price_usage(
        observed.trace.usage, model=model, at=find_day(observed), searches=_count_own_searches(observed)
    )


def _count_own_searches(observed: ObservedRun) -> int:
    return sum(
        call.server is None and call.tool in OWN_SEARCHES and call.executed is not False
        for call in observed.trace.tool_calls
    )


def find_day(observed: ObservedRun) -> date:
    """The day whose rates apply to a run."""
    return datetime.fromisoformat(observed.started_at).date()


def _price_provider(observed: ObservedRun) -> tuple[float | None, tuple[str, ...]]:
    if observed.metering is None:
        return 0.0, ()
    return price_calls(observed.run.setup, observed.metering, tapped=observed.tapped_spend)
