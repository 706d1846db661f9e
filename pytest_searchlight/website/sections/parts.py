"""What a report's page is made of, before it is Markdown or HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, TypeAlias

from pytest_searchlight.domain import STATUS_RULES, RunStatus, SetupKind, StatusRule
from pytest_searchlight.report_folder import TranscribedRow
from pytest_searchlight.stats.figures import Comparisons, SetupComparisons
from pytest_searchlight.summary_schema import LaneRow, ResultRow
from pytest_searchlight.website.tables import Table, make_table

_PYTEST_WORDS: Final = {"assert": "passed or failed", "error": "error", "skip": "skipped"}


@dataclass(frozen=True, kw_only=True)
class Banner:
    """What a reader must know before any number. `report` names the report it points to, by folder name."""

    title: str
    text: str
    report: str | None = None
    tone: Literal["warning", "notice"] = "warning"


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page.

    Attributes:
        id: the anchor.
        title: the heading.
        paragraphs: plain text.
        points: a list of sentences after them.
        tables: what was counted.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


def name_row(row: TranscribedRow) -> str:
    """A row's setup, and what the publication called it where that says more."""
    return f"{row.setup} ({row.label})" if row.label else row.setup


LaneKey: TypeAlias = tuple[str, str, str | None, str]
"""Catalog, agent, model and setup."""


def locate_lane(row: LaneRow) -> LaneKey:
    """By what a row's comparisons are found."""
    return row.catalog, row.agent, row.model_name, row.setup


def index_comparisons(comparisons: Comparisons | None) -> dict[LaneKey, SetupComparisons]:
    """What was compared of each setup under each agent and model."""
    return {
        (lane.catalog, lane.agent, lane.model_name, setup.setup): setup
        for lane in (comparisons.lanes if comparisons else ())
        for setup in lane.setups
    }


def place_setup(kind: SetupKind, name: str) -> tuple[int, str]:
    """Where a setup stands among others: by its kind, then its name, never by how it did."""
    return list(SetupKind).index(kind), name


def split_by_catalog(rows: Sequence[ResultRow]) -> Iterator[tuple[str, list[ResultRow]]]:
    """The rows of each catalog, which stand together."""
    for catalog, group in groupby(rows, key=lambda row: row.catalog):
        yield catalog, list(group)


def describe_statuses() -> Table:
    """How a run may end, and what follows: is it repeated, is it in the pass rate, what does pytest say."""
    return make_table(
        "How runs end",
        labels=("Status", "Tried again", "In the pass rate", "In pytest"),
        rows=[
            [
                status.replace("_", " "),
                "yes" if rule.retry else "no",
                _tell_count(status, rule),
                _PYTEST_WORDS[rule.pytest],
            ]
            for status, rule in STATUS_RULES.items()
        ],
        texts=4,
    )


def _tell_count(status: RunStatus, rule: StatusRule) -> str:
    if status is RunStatus.GRADED:
        return "yes, as pass or failure"
    return "yes, as failure" if rule.counts else "no, counted apart"
