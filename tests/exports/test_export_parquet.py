from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from exports.exported import Ended, make_source
from rooms.records_for_tests import make_record

from pytest_searchlight.exports.columns import COLUMNS
from pytest_searchlight.exports.parquet import encode_parquet

if TYPE_CHECKING:
    from pytest_searchlight.exports import RowSource


def read_table(source: RowSource) -> Any:  # noqa: ANN401 - pyarrow has no types
    return pq.read_table(BytesIO(encode_parquet(source)))


def test_every_planned_run_has_a_row_whose_cells_are_those_of_its_record(ended: Ended) -> None:
    rows = read_table(ended.source).to_pylist()
    for row, record in zip(rows, ended.records, strict=True):
        assert row["run_id"] == record.run_id
        assert (row["status"], row["passed"]) == (record.status, record.passed)
        assert row["total_tokens"] == record.usage.total_tokens
        assert row["duration_s"] == record.duration_s
        assert row["checks"] == len(record.verdicts)


def test_columns_have_types_of_their_own() -> None:
    table = read_table(make_source(make_record(provider_latencies_s=(0.5,), tags=("a", "b"))))
    types = {name: table.schema.field(name).type for name in table.schema.names}
    assert types["passed"] == pa.bool_()
    assert types["total_tokens"] == pa.int64()
    assert types["total_usd"] == pa.float64()
    assert types["setup"] == pa.dictionary(pa.int32(), pa.string())
    assert types["started_at"] == pa.timestamp("us", tz="UTC")
    assert types["provider_latencies_s"] == pa.list_(pa.float64())
    assert types["tags"] == pa.list_(pa.string())


def test_a_column_that_is_unknown_in_every_row_keeps_its_type() -> None:
    table = read_table(make_source(make_record(duration_s=None)))
    assert table.schema.field("duration_s").type == pa.float64()
    assert table["duration_s"].to_pylist() == [None]


def test_times_are_points_in_time() -> None:
    table = read_table(make_source(make_record(started_at="2026-11-30T13:00:00.250+01:00")))
    assert table["started_at"].to_pylist() == [datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)]


def test_the_file_tells_its_schema_version_and_the_units_of_its_columns() -> None:
    schema = read_table(make_source()).schema
    assert schema.metadata[b"schema_version"] == b"1"
    assert schema.field("duration_s").metadata[b"unit"] == b"s"
    assert schema.field("total_usd").metadata[b"unit"] == b"USD"
    assert all(schema.field(column.name).metadata[b"meaning"] for column in COLUMNS)
