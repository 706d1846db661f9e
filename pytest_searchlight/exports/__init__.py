"""The runs of a session or a measured report for other tools: CSV, Parquet, junit, Inspect logs.

    source     -> columns -> csv_rows, parquet
               -> junit
               -> inspect_logs (also reads the evidence: prompts, tool results, answers)

pyarrow and inspect-ai are extras, and slow to import: their modules are imported where a user asks for them.
"""

from __future__ import annotations

from pytest_searchlight.exports.placing import FORMATS, Format, choose_place, write_export
from pytest_searchlight.exports.source import RowSource, open_source

__all__ = ["FORMATS", "Format", "RowSource", "choose_place", "open_source", "write_export"]
