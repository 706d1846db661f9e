"""What a run cost: the agent's tokens and the provider's calls, each with what could not be priced."""

from __future__ import annotations

from pytest_searchlight.domain import Cost
from pytest_searchlight.extensions import ObservedRun
from pytest_searchlight.providers.pricing import price_calls


def price_run(observed: ObservedRun, *, uses_model: bool) -> Cost:
    """US dollars of a run. An agent without a model and a run without a provider cost exactly nothing."""
    agent_usd, agent_reasons = (None, ("no price for the agent's model",)) if uses_model else (0.0, ())
    provider_usd, provider_reasons = _price_provider(observed)
    return Cost(
        agent_usd=agent_usd,
        provider_usd=provider_usd,
        cli_reported_usd=observed.trace.cli_reported_usd,
        unpriced=(*agent_reasons, *provider_reasons),
    )


def _price_provider(observed: ObservedRun) -> tuple[float | None, tuple[str, ...]]:
    if observed.metering is None:
        return 0.0, ()
    return price_calls(observed.run.setup, observed.metering)
