"""What the metering proxy saw, read from its spool after the run and kept as evidence.

`read_metering` turns the raw record into one `Metering`; `describe_metering` turns that into the lines of
``metering.jsonl``, and `read_metering_events` those lines back into the same `Metering`.
"""

from pytest_searchlight.metering.evidence_lines import (
    describe_metering,
    read_metering_events,
    write_metering_jsonl,
)
from pytest_searchlight.metering.reader import read_metering
from pytest_searchlight.metering.records import MeteredCall, MeteredTool, Metering, ServerExit, ServerInfo
from pytest_searchlight.metering.spend import find_reported_spend

__all__ = [
    "MeteredCall",
    "MeteredTool",
    "Metering",
    "ServerExit",
    "ServerInfo",
    "describe_metering",
    "find_reported_spend",
    "read_metering",
    "read_metering_events",
    "write_metering_jsonl",
]
