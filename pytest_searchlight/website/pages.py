"""The pages of the site, each from records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_searchlight.domain import name_agent
from pytest_searchlight.report_folder import Manifest, Report, Transcription
from pytest_searchlight.summary_schema import Summary
from pytest_searchlight.website.formats import count_things, show_count
from pytest_searchlight.website.house import House
from pytest_searchlight.website.html import render_page
from pytest_searchlight.website.provenance import read_provenance
from pytest_searchlight.website.sections import Banner, Section, describe_house, describe_report, list_banners
from pytest_searchlight.website.sections.parts import place_setup


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A report as lists show it; `facts` are terms with what is known of each."""

    manifest: Manifest
    facts: tuple[tuple[str, str], ...]
    size: str
    is_uncalibrated: bool = False


def describe_entry(report: Report) -> Entry:
    """What a list says of a report."""
    if report.transcription is not None:
        return _describe_transcribed(report, report.transcription)
    assert report.summary is not None  # a report is measured or transcribed
    return _describe_measured(report, report.summary)


def _describe_measured(report: Report, summary: Summary) -> Entry:
    size = f"{show_count(summary.counts.graded)} of {count_things(summary.counts.planned, 'run')} graded"
    return Entry(
        manifest=report.manifest,
        facts=(
            ("Agents", _join(name_agent(row.agent, row.model_name) for row in summary.results)),
            ("Catalogs", _join(row.catalog for row in summary.results)),
            ("Search setups", _join(row.setup for row in summary.results)),
            ("Size", size),
        ),
        size=size,
        is_uncalibrated=read_provenance(summary).is_uncalibrated,
    )


def _describe_transcribed(report: Report, transcription: Transcription) -> Entry:
    batteries = transcription.batteries
    runs = sum(row.runs for battery in batteries for row in battery.rows)
    size = f"{count_things(runs, 'run')}, as printed" if batteries else "figures without runs"
    facts = (
        ("Agents", _join(name_agent(battery.agent, battery.model_name) for battery in batteries)),
        (
            "Tables",
            # A title may hold a comma.
            " · ".join([*(each.title for each in batteries), *(each.title for each in transcription.tables)]),
        ),
        ("Search setups", _join(_list_setups(transcription))),
        ("Size", size),
    )
    known = tuple((term, text) for term, text in facts if text)
    return Entry(manifest=report.manifest, facts=known, size=size)


def _list_setups(transcription: Transcription) -> list[str]:
    """The setups of the batteries; without any, what the columns of the tables are called."""
    rows = [row for battery in transcription.batteries for row in battery.rows]
    ordered = sorted(rows, key=lambda row: place_setup(row.setup_kind, row.setup))
    return [row.setup for row in ordered] or [
        name for table in transcription.tables for name in table.columns
    ]


def _join(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def render_report_page(report: Report) -> bytes:
    """A report's own page."""
    return render_page(
        "report",
        here=f"results/{report.manifest.folder_name}.html",
        up="../",
        report=report,
        entry=describe_entry(report),
        sections=describe_report(report),
        banners=tuple(list_banners(report)),
    )


def render_index(entries: Sequence[Entry], *, latest: Report | None) -> bytes:
    """The overview.

    Args:
        entries: all reports, newest first.
        latest: the measured report whose results are shown at a glance, with its limitations first.
    """
    glance = None if latest is None else _describe_glance(latest)
    return render_page("index", here="index.html", entries=entries, latest=glance)


@dataclass(frozen=True, kw_only=True)
class Glance:
    """What the overview shows of a report; `sections` are by id."""

    entry: Entry
    banners: tuple[Banner, ...]
    sections: Mapping[str, Section]


def _describe_glance(report: Report) -> Glance:
    return Glance(
        entry=describe_entry(report),
        banners=tuple(list_banners(report)),
        sections={section.id: section for section in describe_report(report)},
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
