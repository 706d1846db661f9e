"""Cited pages as readable text: captured once per session, safely, and kept by their content."""

from pytest_searchlight.sources.addresses import (
    AddressError,
    Destination,
    IpAddress,
    canonical_source_url,
    is_public,
    parse_destination,
)
from pytest_searchlight.sources.capture import capture, capture_closed
from pytest_searchlight.sources.gathering import gather_sources
from pytest_searchlight.sources.policy import CapturePolicy
from pytest_searchlight.sources.received import find_received, read_received
from pytest_searchlight.sources.records import CapturedSource, CaptureStatus
from pytest_searchlight.sources.store import SourceStore

__all__ = [
    "AddressError",
    "CapturePolicy",
    "CaptureStatus",
    "CapturedSource",
    "Destination",
    "IpAddress",
    "SourceStore",
    "canonical_source_url",
    "capture",
    "capture_closed",
    "find_received",
    "gather_sources",
    "is_public",
    "parse_destination",
    "read_received",
]
