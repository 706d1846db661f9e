"""What a report's page says, part by part: the same sections become REPORT.md and a page of the site."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_searchlight.report_folder import Report
from pytest_searchlight.website.house import House
from pytest_searchlight.website.provenance import read_provenance
from pytest_searchlight.website.sections.comparing import (
    describe_closures,
    describe_comparisons,
)
from pytest_searchlight.website.sections.contracts import (
    describe_contracts,
    describe_model_prices,
    describe_providers,
)
from pytest_searchlight.website.sections.grounds import (
    describe_agreement,
    describe_calibration,
    describe_judges,
    describe_versions,
)
from pytest_searchlight.website.sections.limitations import describe_limitations
from pytest_searchlight.website.sections.parts import Banner, Section
from pytest_searchlight.website.sections.results import (
    describe_exclusions,
    describe_results,
    describe_tasks,
    describe_times,
)
from pytest_searchlight.website.sections.rules import (
    describe_admission,
    describe_counting,
    describe_grading,
    describe_limits,
)
from pytest_searchlight.website.sections.searching import (
    describe_access,
    describe_contamination,
    describe_searching,
)
from pytest_searchlight.website.sections.spending import describe_expenses
from pytest_searchlight.website.sections.transcribed import describe_transcription

__all__ = ["Banner", "Section", "describe_house", "describe_report", "list_banners"]


def describe_report(report: Report) -> tuple[Section, ...]:
    """The sections of a report's page, limitations first."""
    if report.transcription is not None:
        return describe_limitations(report), *describe_transcription(report.transcription)
    return describe_limitations(report), *_describe_measured(report)


def _describe_measured(report: Report) -> Iterator[Section]:
    assert report.summary is not None  # a report is measured or transcribed
    summary, facts = report.summary, read_provenance(report.summary)
    found = (
        describe_results(summary),
        describe_closures(summary.comparisons),
        describe_comparisons(summary.comparisons),
        describe_expenses(summary),
        describe_exclusions(summary),
        describe_tasks(summary),
        describe_searching(summary),
        describe_access(summary),
        describe_contamination(summary),
        describe_times(summary),
        describe_calibration(report.calibration, facts),
        describe_judges(summary, facts),
        describe_agreement(report.agreement),
        describe_versions(facts),
    )
    yield from (section for section in found if section is not None)


def describe_house(house: House) -> tuple[Section, ...]:
    """The sections of the methodology page that are made of what this installation measures with."""
    return (
        describe_contracts(house),
        describe_limits(house),
        describe_admission(house),
        describe_grading(house),
        describe_counting(),
        describe_providers(house),
        describe_model_prices(house),
    )


def list_banners(report: Report) -> Iterator[Banner]:
    """What must be known of a report before any of its numbers."""
    manifest = report.manifest
    for later in manifest.corrected_by:
        yield Banner(title="Corrected.", text="A later report corrects this one:", report=later)
    if manifest.corrects is not None:
        yield Banner(
            title="Correction.",
            text="This report corrects an earlier one:",
            report=manifest.corrects,
            tone="notice",
        )
    if report.transcription is not None:
        yield Banner(
            title="Transcribed.",
            text="These figures were published elsewhere and cannot be recomputed; no row of theirs is here.",
        )
    if report.summary is not None and read_provenance(report.summary).is_uncalibrated:
        yield Banner(
            title="Uncalibrated.",
            text=(
                "Tasks count here whether or not a calibration admits them, so search may not matter to some."
            ),
        )
