"""Test runs, how they end, and what follows from it."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final, Literal, NamedTuple

from pydantic import (
    PositiveInt,
)

from pytest_searchlight.domain.base import Record, Slug
from pytest_searchlight.domain.setups import SearchSetup
from pytest_searchlight.domain.tasks import Task


class TestRun(Record):
    """One agent on one task under one setup, one repetition.

    `run_id` names the folder; `identity` is the hash of all that matters for the result and of nothing
    else (no paths, ports, times or worker counts), so equal identities may stand in for each other.
    """

    __test__: ClassVar[bool] = False

    run_id: str
    identity: str
    catalog: Slug
    task: Task
    setup: SearchSetup
    agent: Slug
    model_name: str | None
    repetition: PositiveInt


def name_agent(agent: str, model_name: str | None) -> str:
    """An agent and its model, as people are told of both."""
    return f"{agent} {model_name}" if model_name else agent


class RunStatus(StrEnum):
    """How a run ended; whether the answer was right is another question."""

    # An enumeration's own hash is computed in Python, which every look-up of a status's rule would pay for.
    __hash__ = str.__hash__

    GRADED = "graded"
    TIMEOUT = "timeout"
    BUDGET_EXHAUSTED = "budget_exhausted"
    REFUSED = "refused"
    CONTAMINATED = "contaminated"
    SETUP_UNAVAILABLE = "setup_unavailable"
    AGENT_ERROR = "agent_error"
    PROVIDER_ERROR = "provider_error"
    RATE_LIMITED = "rate_limited"
    UNGRADED = "ungraded"
    SKIPPED = "skipped"
    NOT_RUN = "not_run"


class StatusRule(NamedTuple):
    """What follows from a status: another try, a place in the denominator, and pytest's word for it."""

    retry: bool
    counts: bool
    pytest: Literal["assert", "error", "skip"]


STATUS_RULES: Final[dict[RunStatus, StatusRule]] = {
    RunStatus.GRADED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.TIMEOUT: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.BUDGET_EXHAUSTED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.REFUSED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.CONTAMINATED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.SETUP_UNAVAILABLE: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.AGENT_ERROR: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.PROVIDER_ERROR: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.RATE_LIMITED: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.UNGRADED: StatusRule(retry=False, counts=False, pytest="error"),
    RunStatus.SKIPPED: StatusRule(retry=False, counts=False, pytest="skip"),
    RunStatus.NOT_RUN: StatusRule(retry=False, counts=False, pytest="skip"),
}
