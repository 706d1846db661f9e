"""``leaderboard.json``: the results of all measured reports for machines. No row has a rank.

Transcribed reports are not in it, as nobody can recompute them. A corrected report stays, and says by what.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt

from pytest_searchlight.domain import Record, SetupKind
from pytest_searchlight.report_folder import Report
from pytest_searchlight.stats.figures import Comparison, SetupComparisons
from pytest_searchlight.summary_schema import Rate, ResultRow, Share, Summary
from pytest_searchlight.website.provenance import read_provenance
from pytest_searchlight.website.sections.parts import index_comparisons, locate_lane

LEADERBOARD_FILE = "leaderboard.json"


class Difference(Record):
    """A setup's pass rate less a reference's, over the pairs graded under both; fractions, null is unknown.

    `detectable_difference` is the smallest true difference that a session of this size would find in four of
    five cases, at the level that the first of its family must reach.
    """

    reference: str
    pairs: NonNegativeInt
    difference: float | None
    difference_ci95: tuple[float, float] | None
    p_value_holm: float | None
    detectable_difference: float | None


class LeaderboardRow(Record):
    """One search setup under one agent and model on one catalog.

    `coverage` is graded over planned runs, `answerable` leaves out questions without an answer, what a
    success took includes the failed runs, and `gap_closure` is (setup - floor) / (ceiling - floor).
    """

    catalog: str
    agent: str
    model_name: str | None
    setup: str
    setup_kind: SetupKind
    planned: NonNegativeInt
    graded: NonNegativeInt
    passes: NonNegativeInt
    contaminated: NonNegativeInt
    pass_rate: Share | None
    pass_rate_ci95: tuple[Share, Share] | None
    coverage: Share | None
    answerable: Rate
    tokens_per_success: float | None
    cost_per_success_usd: float | None
    provider_calls: float | None
    gap_closure: float | None
    gap_closure_ci95: tuple[float, float] | None
    differences: tuple[Difference, ...]


class LeaderboardReport(Record):
    """A measured report; its rows stand by catalog, agent, model, kind of setup and name, never by rate."""

    report: str
    title: str
    date: str
    corrects: str | None
    corrected_by: tuple[str, ...]
    uncalibrated: bool
    rows: tuple[LeaderboardRow, ...]


class Leaderboard(Record):
    """``leaderboard.json``: newest report first. Fractions, US dollars, tokens and calls; null is unknown."""

    schema_version: Literal[1] = 1
    no_ranking: str = Field(
        default="Rows are not ranked: where intervals overlap, an order by pass rate may be chance.",
        description="What must be said wherever these rows are shown.",
    )
    reports: tuple[LeaderboardReport, ...]


def describe_standing(report: Report) -> LeaderboardReport | None:
    """The rows of a measured report, None for a transcribed one."""
    return None if report.summary is None else _describe_measured(report, report.summary)


def _describe_measured(report: Report, summary: Summary) -> LeaderboardReport:
    manifest = report.manifest
    compared = index_comparisons(summary.comparisons)
    return LeaderboardReport(
        report=manifest.folder_name,
        title=manifest.title,
        date=manifest.date.isoformat(),
        corrects=manifest.corrects,
        corrected_by=manifest.corrected_by,
        uncalibrated=read_provenance(summary).is_uncalibrated,
        rows=tuple(_describe_row(row, compared.get(locate_lane(row))) for row in summary.results),
    )


def _describe_row(row: ResultRow, compared: SetupComparisons | None) -> LeaderboardRow:
    closure = compared.gap_closure if compared else None
    same = {name: getattr(row, name) for name in LeaderboardRow.model_fields if name in _SAME}
    return LeaderboardRow(
        **same,
        tokens_per_success=row.tokens.per_success,
        cost_per_success_usd=row.cost_usd.per_success,
        provider_calls=row.provider_calls.total,
        gap_closure=closure and closure.value,
        gap_closure_ci95=closure and closure.ci95,
        differences=tuple(map(_describe_difference, compared.comparisons if compared else ())),
    )


_SAME = frozenset(ResultRow.model_fields) - {"provider_calls"}


def _describe_difference(comparison: Comparison) -> Difference:
    return Difference(
        reference=comparison.reference,
        pairs=comparison.pairs,
        difference=comparison.difference.value,
        difference_ci95=comparison.difference.ci95,
        p_value_holm=comparison.mcnemar.p_value_holm.value,
        detectable_difference=comparison.resolution.detectable_difference.value,
    )
