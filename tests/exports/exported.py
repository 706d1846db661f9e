"""Sessions to export, and ``sew export`` called on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rooms.records_for_tests import make_record

from pytest_searchlight.cli import main
from pytest_searchlight.exports import RowSource

if TYPE_CHECKING:
    from pytest_searchlight.domain import RunRecord

AGENTS: Final = (
    "right",
    "wrong",
    "spender",
    "odd",
    "held-back",
    "stray",
    "late",
    "refuser",
    "recovering",
    "odd-broken",
    "unserved",
    "unfit",
)
"""One of each way to end: passed, failed with and without an answer, measured in vain, never made."""


@dataclass(frozen=True)
class Ended:
    """A session that is over."""

    folder: Path
    source: RowSource
    junit_file: Path

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """Its rows."""
        return self.source.records

    @cached_property
    def by_agent(self) -> dict[str, RunRecord]:
        """The first repetition of each agent's runs of ``sky``."""
        return {run.agent: run for run in self.records if (run.task, run.repetition) == ("sky", 1)}


def make_source(*records: RunRecord) -> RowSource:
    """A source of these rows."""
    return RowSource(name="made", records=records or (make_record(),))


def export(*arguments: str | Path) -> int:
    """Call ``sew export`` in this process and give its exit code."""
    return main(["export", *map(str, arguments)])
