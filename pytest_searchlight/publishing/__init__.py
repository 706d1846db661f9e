"""From a session to a report folder that can be shown to anyone, and the check that recomputes it."""

from pytest_searchlight.publishing.checking import ExaminedReport, check_reports
from pytest_searchlight.publishing.scanning import PrivacyScan, prepare_scan
from pytest_searchlight.publishing.sources import Publication, prepare_session, prepare_transcription
from pytest_searchlight.publishing.writing import Heading, refresh_report, write_report

__all__ = [
    "ExaminedReport",
    "Heading",
    "PrivacyScan",
    "Publication",
    "check_reports",
    "prepare_scan",
    "prepare_session",
    "prepare_transcription",
    "refresh_report",
    "write_report",
]
