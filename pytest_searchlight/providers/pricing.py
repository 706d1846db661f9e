"""What a run's provider calls cost: as reported in the answer, else by tariff, else unknown with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from pytest_searchlight.domain import FailureKind, SearchSetup, SetupKind, TappedSpend, Tariff
from pytest_searchlight.metering import MeteredCall, Metering
from pytest_searchlight.providers.failures import find_failure_kind

_NEVER_BILLED: Final = frozenset(
    {FailureKind.AUTH, FailureKind.RATE_LIMIT, FailureKind.QUOTA, FailureKind.ARGUMENTS}
)
"""Failures by which the provider turned the request away before doing any work."""


class CallPrice(NamedTuple):
    """US dollars of one call; None is unknown, and `reason` says why."""

    usd: float | None
    reason: str = ""


def price_calls(
    setup: SearchSetup, metering: Metering | None, *, tapped: Sequence[TappedSpend] = ()
) -> tuple[float | None, tuple[str, ...]]:
    """Sum of the provider's charges for a run, in US dollars.

    Args:
        setup: the run's setup. One without a provider costs 0 here; what an agent product charges for its
            own search is the agent's cost.
        metering: what the metering proxy saw.
        tapped: what the provider's API itself reported, if the server was tapped.

    Returns:
        The sum and no reasons, or None and the reasons why parts of it are unknown.
    """
    if setup.kind is not SetupKind.PROVIDER:
        return 0.0, ()
    if metering is None:
        return None, (f"{setup.name}: the provider's calls were not observed",)
    prices = _price_reports(setup, metering, tapped) or [price_call(setup, call) for call in metering.calls]
    reasons = Counter(price.reason for price in prices if price.usd is None)
    if metering.recording_incomplete:
        reasons[f"{setup.name}: the record of calls is incomplete"] += 1
    if reasons:
        return None, tuple(f"{reason} ({count}x)" for reason, count in reasons.items())
    return sum(price.usd or 0.0 for price in prices), ()


def _price_reports(setup: SearchSetup, metering: Metering, tapped: Sequence[TappedSpend]) -> list[CallPrice]:
    """Prices of the tapped answers; none when a good call left no report, which would be an undercount."""
    good_calls = sum(call.outcome == "ok" for call in metering.calls)
    if len(tapped) < good_calls:
        return []
    return [_price_report(setup, answer.host, answer.spend) for answer in tapped]


def price_call(setup: SearchSetup, call: MeteredCall) -> CallPrice:
    """What `call` cost: the spend its answer reports, else the first tariff that holds for its arguments."""
    if call.outcome == "refused_budget":
        return CallPrice(0.0)
    if call.provider_spend:
        return _price_report(setup, call.tool, call.provider_spend)
    failure = find_failure_kind(setup, call)
    if failure in _NEVER_BILLED:
        return CallPrice(0.0)
    price = _price_by_tariff(setup, call)
    if price.usd and call.outcome != "ok" and failure is not FailureKind.NOTHING_FOUND:
        return CallPrice(None, f"{call.tool}: ended as {call.outcome}, and may have been billed")
    return price


def _price_report(setup: SearchSetup, where: str, spend: Mapping[str, float]) -> CallPrice:
    """Price an answer's own report: amounts by unit, where the unit ``usd`` needs no price."""
    total = 0.0
    for unit, amount in spend.items():
        price = setup.unit_prices.get(unit)
        rate = 1.0 if unit == "usd" else price.usd_per_unit if price else None
        if rate is None:
            source = price.source if price else "no price is configured for this unit"
            return CallPrice(None, f"{where}: reports {unit}: {source}")
        total += rate * amount
    return CallPrice(total)


def _price_by_tariff(setup: SearchSetup, call: MeteredCall) -> CallPrice:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    for tariff in setup.tariffs.get(call.tool, ()):
        if _holds_for(tariff, arguments):
            return _apply_tariff(tariff, arguments, tool=call.tool)
    return CallPrice(None, f"{call.tool}: no tariff holds for these arguments")


def _holds_for(tariff: Tariff, arguments: Mapping[str, JsonValue]) -> bool:
    if not tariff.when:
        return True
    # Imported here because it costs more time than all the rest of this room.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(tariff.when).is_valid(arguments)


def _apply_tariff(tariff: Tariff, arguments: Mapping[str, JsonValue], *, tool: str) -> CallPrice:
    if tariff.usd_per_call is None:
        return CallPrice(None, f"{tool}: {tariff.source}")
    if tariff.per_item_of is None:
        return CallPrice(tariff.usd_per_call)
    items = arguments.get(tariff.per_item_of)
    if not isinstance(items, list):
        return CallPrice(None, f"{tool}: priced by {tariff.per_item_of!r}, which is no list here")
    return CallPrice(tariff.usd_per_call * len(items))
