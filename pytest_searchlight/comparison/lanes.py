"""The lanes of a session as a comparison sees them, and which lane is held against which."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from pytest_searchlight.comparison.records import LaneName
from pytest_searchlight.comparison.sources import Measured
from pytest_searchlight.comparison.tallies import Tallies, tally_rows, tally_runs
from pytest_searchlight.domain import RunRecord
from pytest_searchlight.measures import count_runs
from pytest_searchlight.summary_schema import Counts, LaneRow, Summary


@dataclass(frozen=True, kw_only=True)
class LaneSide:
    """What one session has of a lane.

    Attributes:
        counts: of all its runs.
        tallies: of the graded ones, by task.
        runs: all of them; None where only a summary was given.
        duration_s_p50: the median over the graded ones; None where `runs` tell it.
    """

    counts: Counts
    tallies: Tallies
    runs: tuple[RunRecord, ...] | None = None
    duration_s_p50: float | None = None


Lanes = Mapping[LaneName, LaneSide]


def collect_lanes(measured: Measured) -> dict[LaneName, LaneSide]:
    """The lanes of a session, from its rows where they are there."""
    if measured.rows is not None:
        return dict(_collect_from_rows(measured.rows))
    assert measured.summary is not None, measured.name
    return dict(_collect_from_summary(measured.summary))


def _collect_from_rows(rows: Iterable[RunRecord]) -> Iterator[tuple[LaneName, LaneSide]]:
    ordered = sorted(rows, key=_place)
    for _, group in groupby(ordered, key=_place):
        runs = tuple(group)
        side = LaneSide(counts=count_runs(runs), tallies=tally_runs(runs), runs=runs)
        yield name_lane(runs[0]), side


def _collect_from_summary(summary: Summary) -> Iterator[tuple[LaneName, LaneSide]]:
    for result in summary.results:
        name = name_lane(result)
        tallies = tally_rows(row for row in summary.tasks if name_lane(row) == name)
        yield name, LaneSide(counts=result, tallies=tallies, duration_s_p50=result.duration_s.p50)


def name_lane(row: RunRecord | LaneRow) -> LaneName:
    """The lane of a row."""
    return LaneName(catalog=row.catalog, agent=row.agent, model_name=row.model_name, setup=row.setup)


def describe_lanes(lanes: Iterable[LaneName]) -> str:
    """Lanes in a line."""
    return "; ".join(name.describe() for name in lanes) or "none"


def _place(row: RunRecord | LaneName) -> tuple[str, ...]:
    return row.catalog, row.agent, row.model_name or "", row.setup


def match_lanes(before: Collection[LaneName], after: Collection[LaneName]) -> dict[LaneName, LaneName]:
    """For each lane of `after`, in order, the one of `before` that it is held against; others are left out.

    That is the lane of the same name. Where a model was replaced by another one, so that exactly one lane is
    left on either side for a catalog, agent and setup, these two are held against each other.
    """
    matched = {name: name for name in after if name in before}
    rest = [name for name in before if name not in matched]
    for name in after:
        rivals = [other for other in after if other not in matched and _is_model_aside(other, name)]
        candidates = [other for other in rest if _is_model_aside(other, name)]
        if rivals == [name] and len(candidates) == 1:
            matched[name] = candidates[0]
    return {name: matched[name] for name in sorted(matched, key=_place)}


def _is_model_aside(one: LaneName, other: LaneName) -> bool:
    return one.model_copy(update={"model_name": other.model_name}) == other
