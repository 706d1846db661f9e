"""What grading and audit find: verdicts, scores, departures from the contract."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import (
    Field,
    JsonValue,
)

from pytest_searchlight.domain.base import Record, Slug


class CheckOutcome(StrEnum):
    """What a check found. `missing` is a declined field: a failure, but told apart from a wrong one."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    WRONG = "wrong"
    MISSING = "missing"
    UNGRADED = "ungraded"


class Verdict(Record):
    """One check's or one judge's finding, with the reason in a sentence."""

    kind: Slug
    target: str = ""
    outcome: CheckOutcome
    reason: str
    details: dict[str, JsonValue] = Field(default_factory=dict)


class Score(Record):
    """All verdicts on one answer. `passed` is None while any verdict is ungraded."""

    passed: bool | None
    share: Annotated[float, Field(ge=0, le=1)] | None
    verdicts: tuple[Verdict, ...]


class AuditFinding(Record):
    """A departure from the setup's contract. `contaminates` ones turn the run's status.

    A `broken` one says that the rule itself failed, so that nobody knows what it would have found.
    """

    rule: Slug
    message: str
    contaminates: bool
    broken: bool = False
    tool: str | None = None
    executed: bool | None = None
