"""A row a run as Parquet: the columns of the CSV with types, units and meanings."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from pytest_searchlight import __version__
from pytest_searchlight.exports.columns import COLUMNS, Column, Kind
from pytest_searchlight.exports.source import RowSource
from pytest_searchlight.summary_schema import SCHEMA_VERSION

_TYPES: Final[dict[Kind, pa.DataType]] = {
    Kind.WORD: pa.dictionary(pa.int32(), pa.string()),
    Kind.TEXT: pa.string(),
    Kind.FLAG: pa.bool_(),
    Kind.COUNT: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TIME: pa.timestamp("us", tz="UTC"),
    Kind.WORDS: pa.list_(pa.string()),
    Kind.NUMBERS: pa.list_(pa.float64()),
}


def encode_parquet(source: RowSource) -> bytes:
    """The rows of `source` as a Parquet file; each field's metadata gives its meaning and unit."""
    fields = [_make_field(column) for column in COLUMNS]
    cells = [
        pa.array([column.read(run) for run in source.records], type=field.type)
        for column, field in zip(COLUMNS, fields, strict=True)
    ]
    facts = {"schema_version": str(SCHEMA_VERSION), "searchlight_version": __version__, "name": source.name}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(cells, schema=pa.schema(fields, metadata=facts)), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _make_field(column: Column) -> pa.Field:
    facts = {"meaning": column.meaning, **({"unit": column.unit} if column.unit else {})}
    return pa.field(column.name, _TYPES[column.kind], metadata=facts)
