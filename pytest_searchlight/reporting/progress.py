"""The progress line: what has been done, as reports tell."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from pytest_searchlight.domain import STATUS_RULES, RunStatus
from pytest_searchlight.reporting.texts import UNKNOWN, format_duration, format_usd

_PROGRESS_EVERY_S: Final = 5.0


class PhaseReport(Protocol):
    """What progress needs of pytest's report on one phase of an item."""

    nodeid: str
    user_properties: list[tuple[str, object]]

    @property
    def when(self) -> str | None:
        """``setup``, ``call`` or ``teardown``."""

    @property
    def outcome(self) -> str:
        """``passed``, ``failed`` or ``skipped``."""


@dataclass
class Progress:
    """Counts finished runs as their reports arrive; works from reports alone, so also under xdist.

    Attributes:
        planned: runs in this session, None until collection is done.
        started_s: `time.monotonic()` at the start of running.
    """

    planned: int | None = None
    started_s: float = field(default_factory=time.monotonic)
    done: int = 0
    passes: Counter[str] = field(default_factory=Counter)
    graded: Counter[str] = field(default_factory=Counter)
    cost_usd: float = 0.0
    calls: int = 0
    _called: dict[str, str] = field(default_factory=dict)
    _shown_at_s: float = field(default_factory=time.monotonic)

    def add(self, report: PhaseReport) -> bool:
        """Take in one phase's report. True when a run has ended with it."""
        if report.when == "call":
            self._called[report.nodeid] = report.outcome
        properties = {name: str(value) for name, value in report.user_properties}
        if report.when != "teardown" or "status" not in properties:
            return False
        self._count(properties, passed=self._called.pop(report.nodeid, "") == "passed")
        return True

    def _count(self, properties: Mapping[str, str], *, passed: bool) -> None:
        self.done += 1
        if STATUS_RULES[RunStatus(properties["status"])].counts:
            self.graded[properties["setup"]] += 1
            self.passes[properties["setup"]] += passed
        self.cost_usd += _read_number(properties["cost"])
        self.calls += int(_read_number(properties["calls"]))

    def is_due(self) -> bool:
        """Whether it is time for another progress line; asking starts the next interval."""
        now = time.monotonic()
        due = self.done != self.planned and now - self._shown_at_s >= _PROGRESS_EVERY_S
        if due:
            self._shown_at_s = now
        return due

    def describe(self) -> str:
        """One line: done / total, passes by setup, spend, estimated time left."""
        setups = " ".join(f"{name} {self.passes[name]}/{self.graded[name]}" for name in sorted(self.graded))
        parts = [
            f"{self.done}/{self.planned or '?'} done",
            setups,
            format_usd(self.cost_usd),
            f"{self.calls} calls",
        ]
        left = self._estimate_left_s()
        if left is not None:
            parts.append(f"{format_duration(left)} left")
        return " · ".join(part for part in parts if part)

    def _estimate_left_s(self) -> float | None:
        if not self.done or not self.planned:
            return None
        return (time.monotonic() - self.started_s) / self.done * (self.planned - self.done)


def _read_number(text: str) -> float:
    return 0.0 if text == UNKNOWN else float(text)
