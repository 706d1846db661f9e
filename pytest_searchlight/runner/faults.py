"""Faults of infrastructure: whether to try again, how long to wait, and who asked for time."""

from __future__ import annotations

from typing import Final

from pytest_searchlight.domain import STATUS_RULES
from pytest_searchlight.extensions import AgentTrace, ObservedRun

LASTING_FAULTS: Final = frozenset({"fault_auth", "fault_billing"})
"""Flags of faults that no repetition can cure."""

_FIRST_WAIT_S: Final = 1.0
_LONGEST_WAIT_S: Final = 120.0


def is_worth_repeating(trace: AgentTrace) -> bool:
    """Whether another attempt may end better: a login that was refused is refused again."""
    return STATUS_RULES[trace.status].retry and not LASTING_FAULTS & set(trace.flags)


def choose_pause_s(attempt: int, *, retry_after_s: float | None) -> float:
    """Seconds to wait after the `attempt`-th attempt: what the other side asked for, else 1, 4, 16..."""
    asked = _FIRST_WAIT_S * 4 ** (attempt - 1) if retry_after_s is None else retry_after_s
    return min(max(asked, 0.0), _LONGEST_WAIT_S)


def name_busy_side(observed: ObservedRun) -> str:
    """Who asked for time: the agent's model, as the agent itself tells by a fault, or else the provider."""
    of_model = any(flag.startswith("fault_") for flag in observed.trace.flags) or observed.metering is None
    return observed.run.agent if of_model else observed.run.setup.name
