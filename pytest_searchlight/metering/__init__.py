"""What the metering proxy saw, read from its spool after the run and kept as evidence.

`read_metering` turns the raw record into one `Metering`; `describe_metering` turns that into the lines of
``metering.jsonl``, and `read_metering_events` those lines back into the same `Metering`.
"""

from pathlib import Path
from typing import Final

from pytest_searchlight.metering.evidence_lines import (
    describe_metering,
    read_metering_events,
)
from pytest_searchlight.metering.reader import read_metering
from pytest_searchlight.metering.records import MeteredCall, MeteredTool, Metering, ServerExit, ServerInfo
from pytest_searchlight.metering.spend import find_reported_spend

METER_PROGRAM: Final = Path(__file__).parents[1] / "meter" / "__main__.py"
"""What stands in an agent's configuration in place of the server: run it with ``python -I -S``."""

__all__ = [
    "METER_PROGRAM",
    "MeteredCall",
    "MeteredTool",
    "Metering",
    "ServerExit",
    "ServerInfo",
    "describe_metering",
    "find_reported_spend",
    "read_metering",
    "read_metering_events",
]
