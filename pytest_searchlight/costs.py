"""What a run cost: the agent's tokens and the provider's calls, each with what could not be priced."""

from __future__ import annotations

from datetime import datetime

from pytest_searchlight.domain import Cost
from pytest_searchlight.extensions import ObservedRun
from pytest_searchlight.pricing import PriceList
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


def _price_agent(observed: ObservedRun, prices: PriceList) -> tuple[float | None, tuple[str, ...]]:
    model = observed.run.model_name
    if model is None:
        return 0.0, ()
    day = datetime.fromisoformat(observed.started_at).date()
    return prices.price_usage(observed.trace.usage, model=model, at=day)


def _price_provider(observed: ObservedRun) -> tuple[float | None, tuple[str, ...]]:
    if observed.metering is None:
        return 0.0, ()
    return price_calls(observed.run.setup, observed.metering, tapped=observed.tapped_spend)
