"""A row a run as CSV: RFC 4180, UTF-8, a header, unknown cells empty.

Lists are JSON. A spreadsheet runs a cell that begins like a formula, and reasons quote what agents and pages
wrote: such text gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from datetime import datetime
from io import StringIO
from typing import Final

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.exports.columns import COLUMNS, Value
from pytest_searchlight.exports.source import RowSource

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def encode_csv(source: RowSource) -> bytes:
    """The rows of `source` as a CSV file."""
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([column.name for column in COLUMNS])
    writer.writerows(_list_cells(source.records))
    return text.getvalue().encode()


def _list_cells(records: Iterable[RunRecord]) -> Iterable[list[str]]:
    return ([_format_cell(column.read(run)) for column in COLUMNS] for run in records)


def _format_cell(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{value}" if value.startswith(_FORMULA_STARTS) else value
        case datetime():
            return value.isoformat()
        case tuple():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)
