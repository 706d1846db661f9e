"""A report as it is examined, and what it is examined with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from pytest_searchlight.catalog import Catalog
from pytest_searchlight.domain import RunRecord
from pytest_searchlight.publishing.scanning import PrivacyScan
from pytest_searchlight.report_folder import Manifest, Report
from pytest_searchlight.report_folder.light_rows import read_light_rows
from pytest_searchlight.summary_schema import Summary


@dataclass(frozen=True, kw_only=True)
class KnownCatalog:
    """A catalog as it is in the repository today: its hash, and of each task what grades it and all of it."""

    content_hash: str
    grading_hashes: Mapping[str, str]
    task_hashes: Mapping[str, str]


def describe_catalog(catalog: Catalog) -> KnownCatalog:
    """What of `catalog` a report is held against."""
    return KnownCatalog(
        content_hash=catalog.content_hash,
        grading_hashes={task.id: task.grading_hash for task in catalog.tasks},
        task_hashes={task.id: task.content_hash for task in catalog.tasks},
    )


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What reports are examined with.

    Attributes:
        manifests: of all reports beside each other, by folder name.
        catalogs: those of the repository, by name.
        scan: for what is private.
    """

    manifests: Mapping[str, Manifest]
    catalogs: Mapping[str, KnownCatalog]
    scan: PrivacyScan


@dataclass(frozen=True, kw_only=True)
class MeasuredReport:
    """A measured report, with all that is read of it once."""

    report: Report
    summary: Summary
    rows: Sequence[RunRecord]

    @cached_property
    def facts(self) -> Mapping[str, JsonValue]:
        """The session's facts, which no row tells."""
        return self.summary.session

    @cached_property
    def options(self) -> Mapping[str, JsonValue]:
        """The options of the session."""
        options = self.facts.get("options")
        return options if isinstance(options, dict) else {}

    @cached_property
    def catalog_hashes(self) -> Mapping[str, JsonValue]:
        """The hash of each catalog as it was run, by name."""
        catalogs = self.facts.get("catalogs")
        return catalogs if isinstance(catalogs, dict) else {}


def read_measured(report: Report) -> MeasuredReport | None:
    """`report` with its rows, None for a transcribed one. Raises ReportError, naming the line."""
    if report.summary is None:
        return None
    return MeasuredReport(report=report, summary=report.summary, rows=read_light_rows(report))
