"""Limits that a session is held to: ``--searchlight-fail-on`` and ``--searchlight-fail-under``, as typed.

    fail-on     SETUP: drop>Npp | SETUP: token-rise>N% | SETUP: cost-rise>N%      separated by ;
    fail-under  RATE | SETUP=RATE                                                 separated by , or ;

SETUP is a search setup's name; in the former it may be ``*``, every setup of the session. A RATE without a
setup holds for every setup but floor, ceiling and no-search, which are there to compare with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pytest_searchlight.domain import SetupKind
from pytest_searchlight.errors import SettingsError

FAIL_ON: Final = "--searchlight-fail-on"
FAIL_UNDER: Final = "--searchlight-fail-under"

_COMPARED_WITH: Final = frozenset({SetupKind.FLOOR, SetupKind.CEILING, SetupKind.NO_SEARCH})
_NAME: Final = r"[a-z0-9][a-z0-9._-]*"
_NUMBER: Final = r"\d+(?:\.\d+)?"
_REGRESSION: Final = re.compile(
    rf"(?P<setup>\*|{_NAME})\s*:\s*(?P<measure>drop|token-rise|cost-rise)\s*>\s*(?P<limit>{_NUMBER})"
    r"\s*(?P<unit>pp|%)",
    re.ASCII,
)
_RATE: Final = re.compile(rf"(?:(?P<setup>{_NAME})\s*=\s*)?(?P<limit>{_NUMBER})", re.ASCII)


class GatedMeasure(StrEnum):
    """What a gate limits: a fall of the pass rate, a growth of use for each success, or the pass rate."""

    DROP = "drop"
    TOKEN_RISE = "token-rise"  # noqa: S105 - tokens of a model
    COST_RISE = "cost-rise"
    RATE = "rate"


@dataclass(frozen=True, kw_only=True)
class Gate:
    """One limit.

    Attributes:
        text: as typed.
        setup: the setup it holds for; None for every one.
        measure: what it limits.
        limit: as a fraction: 0.05 for 5pp and for 5%, 0.8 for a pass rate of 80 %.
    """

    text: str
    setup: str | None
    measure: GatedMeasure
    limit: float

    @property
    def option(self) -> str:
        """The option that it was given by."""
        return FAIL_UNDER if self.measure is GatedMeasure.RATE else FAIL_ON

    def holds_for(self, setup: str, kind: SetupKind) -> bool:
        """Whether a setup is held to this limit."""
        if self.setup is not None:
            return self.setup == setup
        return self.measure is not GatedMeasure.RATE or kind not in _COMPARED_WITH


def read_regression_gates(text: str) -> tuple[Gate, ...]:
    """The limits in the value of ``--searchlight-fail-on``. Raises SettingsError, which shows the grammar."""
    return _refuse_twins(_read_regression(part) for part in _split(text, r"[;\n]"))


def read_rate_gates(text: str) -> tuple[Gate, ...]:
    """The limits in the value of ``--searchlight-fail-under``. Raises SettingsError, with the grammar."""
    return _refuse_twins(_read_rate(part) for part in _split(text, r"[,;\n]"))


def _split(text: str, separators: str) -> list[str]:
    return [part.strip() for part in re.split(separators, text) if part.strip()]


def _read_regression(text: str) -> Gate:
    match = _REGRESSION.fullmatch(text)
    if match is None or (match["measure"] == "drop") != (match["unit"] == "pp"):
        raise SettingsError(
            f"{FAIL_ON}: {text!r} is no limit; write SETUP: drop>Npp (points of the pass rate), SETUP: "
            "token-rise>N% or SETUP: cost-rise>N% (for each success), with * for every setup and ; between "
            "several, such as 'exa: drop>5pp; *: cost-rise>20%'"
        )
    setup = None if match["setup"] == "*" else match["setup"]
    measure = GatedMeasure(match["measure"])
    return Gate(text=text, setup=setup, measure=measure, limit=float(match["limit"]) / 100)


def _read_rate(text: str) -> Gate:
    match = _RATE.fullmatch(text)
    if match is None or float(match["limit"]) > 1:
        raise SettingsError(
            f"{FAIL_UNDER}: {text!r} is no limit; write RATE or SETUP=RATE, from 0 to 1, with , between "
            "several, such as 0.8 or exa=0.8,built-in=0.7"
        )
    return Gate(text=text, setup=match["setup"], measure=GatedMeasure.RATE, limit=float(match["limit"]))


def _refuse_twins(gates: Iterable[Gate]) -> tuple[Gate, ...]:
    found: dict[tuple[str | None, GatedMeasure], Gate] = {}
    for gate in gates:
        earlier = found.setdefault((gate.setup, gate.measure), gate)
        if earlier is not gate:
            raise SettingsError(
                f"{gate.option}: {earlier.text!r} and {gate.text!r} limit the same; leave one out"
            )
    return tuple(found.values())
