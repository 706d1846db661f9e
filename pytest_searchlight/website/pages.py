"""The pages of the site, each from records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_searchlight.report_folder import Manifest, Report
from pytest_searchlight.website.formats import count_things, show_count
from pytest_searchlight.website.house import House
from pytest_searchlight.website.html import render_page
from pytest_searchlight.website.provenance import read_provenance
from pytest_searchlight.website.sections import describe_house, describe_report, list_banners
from pytest_searchlight.website.sections.parts import name_agent
from pytest_searchlight.website.sections.transcribed import name_row


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A report as lists show it."""

    manifest: Manifest
    catalogs: str
    agents: str
    setups: str
    size: str
    is_uncalibrated: bool


def describe_entry(report: Report) -> Entry:
    """What a list says of a report."""
    if report.transcription is not None:
        return _describe_transcribed(report)
    assert report.summary is not None  # a report is measured or transcribed
    summary = report.summary
    return Entry(
        manifest=report.manifest,
        catalogs=_join(row.catalog for row in summary.results),
        agents=_join(name_agent(row.agent, row.model_name) for row in summary.results),
        setups=_join(row.setup for row in summary.results),
        size=f"{show_count(summary.counts.graded)} of {count_things(summary.counts.planned, 'run')} graded",
        is_uncalibrated=read_provenance(summary).is_uncalibrated,
    )


def _describe_transcribed(report: Report) -> Entry:
    assert report.transcription is not None  # the caller looked
    batteries = report.transcription.batteries
    runs = sum(row.runs for battery in batteries for row in battery.rows)
    return Entry(
        manifest=report.manifest,
        catalogs=_join(battery.title for battery in batteries),
        agents=_join(name_agent(battery.agent, battery.model_name) for battery in batteries),
        setups=_join(name_row(row) for battery in batteries for row in battery.rows),
        size=f"{count_things(runs, 'run')}, as printed",
        is_uncalibrated=False,
    )


def _join(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def render_report_page(report: Report) -> bytes:
    """A report's own page."""
    return render_page(
        "report",
        here=f"results/{report.manifest.folder_name}.html",
        up="../",
        report=report,
        sections=describe_report(report),
        banners=tuple(list_banners(report)),
    )


def render_index(entries: Sequence[Entry], *, latest: Report | None) -> bytes:
    """The overview.

    Args:
        entries: all reports, newest first.
        latest: the measured report whose results are shown at a glance, with its limitations first.
    """
    sections = {section.id: section for section in describe_report(latest)} if latest else {}
    banners = tuple(list_banners(latest)) if latest else ()
    return render_page(
        "index", here="index.html", entries=entries, latest=latest, sections=sections, banners=banners
    )


def render_results(entries: Sequence[Entry]) -> bytes:
    """The list of all reports, measured and transcribed ones apart."""
    return render_page(
        "results",
        here="results.html",
        measured=[entry for entry in entries if entry.manifest.kind == "measured"],
        transcribed=[entry for entry in entries if entry.manifest.kind == "transcribed"],
    )


def render_methodology_page(house: House) -> bytes:
    """How numbers come about, from task to report."""
    return render_page("methodology", here="methodology.html", sections=describe_house(house))
