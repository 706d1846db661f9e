"""Light rows say what records say, and refuse what records refuse."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import pytest
from pydantic import AfterValidator, field_validator
from rooms.records_for_tests import make_record, make_searching

from pytest_searchlight.domain import (
    Access,
    CheckOutcome,
    Cost,
    JudgeCost,
    Record,
    RunRecord,
    RunStatus,
    SetupKind,
    Sign,
    Usage,
)
from pytest_searchlight.domain.records import VerdictLine
from pytest_searchlight.errors import ReportError
from pytest_searchlight.report_folder import Manifest, Report, read_rows
from pytest_searchlight.report_folder.light_rows import _make_light, read_light_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FULL = make_record(
    tags=("a", "b"),
    model_name="m-1",
    flags=("late",),
    reason="Ünïcode \U0001f4a1 and \x00",
    usage=Usage(input_tokens=1, cached_input_tokens=2, cache_write_tokens=3, output_tokens=10**15),
    cost=Cost(agent_usd=0.1, provider_usd=5e-324, cli_reported_usd=1e300, unpriced=("x",)),
    provider_latencies_s=(0.0, 0.1, 1.0),
    result_chars=7,
    verdicts=(VerdictLine(kind="equal", target="/a", outcome=CheckOutcome.WRONG),),
    searching=make_searching(
        access=Access.SURFACED, signs=(Sign(kind="task-text", call=0),), provider_s=0.5, fetches=2
    ),
    judging=JudgeCost(judge="lexical", model_name=None, usage=Usage(), usd=0.0),
)
EXCLUDED = make_record(
    status=RunStatus.NOT_RUN, passed=None, setup_kind=SetupKind.FLOOR, usage=Usage(), duration_s=None
)


@pytest.fixture
def write_rows(tmp_path: Path) -> Callable[..., Report]:
    """Writes rows, as records or as JSON objects, and gives the report that they stand in."""

    def write(*rows: RunRecord | dict[str, Any]) -> Report:
        dumped = (row if isinstance(row, dict) else row.model_dump(mode="json") for row in rows)
        (tmp_path / "runs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in dumped))
        manifest = Manifest(name="light", date=dt.date(2026, 1, 1), title="Light", kind="measured")
        return Report(folder=tmp_path, manifest=manifest, summary=None, transcription=None, calibration=None)

    return write


def write_json(row: RunRecord) -> object:
    """What a light row says, as JSON."""
    return json.loads(msgspec.json.encode(row))


def test_a_light_row_holds_what_the_record_holds(write_rows: Callable[..., Report]) -> None:
    rows = read_light_rows(write_rows(FULL, EXCLUDED))
    assert all(isinstance(row, msgspec.Struct) for row in rows)
    assert [write_json(row) for row in rows] == [
        record.model_dump(mode="json") for record in (FULL, EXCLUDED)
    ]
    assert rows[0].status is RunStatus.GRADED
    assert rows[0].passed is True


def test_a_light_row_has_the_properties_of_the_record(write_rows: Callable[..., Report]) -> None:
    for row, record in zip(read_light_rows(write_rows(FULL, EXCLUDED)), (FULL, EXCLUDED), strict=True):
        assert row.access is record.access
        assert bool(row.signs) == bool(record.signs)
        assert row.usage.total_tokens == record.usage.total_tokens
        assert row.cost.total_usd == record.cost.total_usd


def test_fields_that_rows_of_early_sessions_lack_may_be_absent(write_rows: Callable[..., Report]) -> None:
    row = FULL.model_dump(mode="json")
    for name in ("schema_version", "job_hash", "searching", "judging", "offloaded_chars"):
        del row[name]
    report = write_rows(row)
    (light,), (record,) = read_light_rows(report), read_rows(report)
    assert write_json(light) == record.model_dump(mode="json")


@pytest.mark.parametrize(
    "fault",
    [
        {"attempts": -1},
        {"provider_calls": -1},
        {"usage": {"input_tokens": -1}},
        {"usage": {"input_tokens": 10**15 + 1}},
        {"searching": {**make_searching().model_dump(mode="json"), "fetches": -1}},
        {"searching": {**make_searching().model_dump(mode="json"), "provider_s": -0.5}},
        {"searching": {"searches": 1}},
        {"status": "won"},
        {"setup_kind": "search"},
        {"passed": "perhaps"},
        {"schema_version": 2},
        {"duration_s": float("nan")},
        {"duration_s": float("inf")},
        {"tags": [1]},
        {"run_id": None},
        {"transcript": "what the agent said"},
        {"cost": {"agent_usd": 0.1, "price": 1}},
        {"verdicts": [{"kind": "equal", "target": "/a", "outcome": "maybe"}]},
    ],
    ids=repr,
)
def test_what_is_no_row_is_refused_with_its_line(
    fault: dict[str, Any], write_rows: Callable[..., Report]
) -> None:
    report = write_rows(FULL, {**FULL.model_dump(mode="json"), **fault}, EXCLUDED)
    with pytest.raises(ReportError, match=r"runs\.jsonl, line 2: not a readable row"):
        read_light_rows(report)


@pytest.mark.parametrize("field", ["run_id", "status", "usage", "verdicts"])
def test_a_missing_field_is_refused(field: str, write_rows: Callable[..., Report]) -> None:
    row = FULL.model_dump(mode="json")
    del row[field]
    with pytest.raises(ReportError, match=rf"line 1: not a readable row.*{field}"):
        read_light_rows(write_rows(row))


def test_what_json_may_write_in_two_ways_is_read_in_both(write_rows: Callable[..., Report]) -> None:
    report = write_rows({**FULL.model_dump(mode="json"), "provider_calls": 2.0, "duration_s": 3})
    (row,) = read_light_rows(report)
    assert (row.provider_calls, row.duration_s) == (2, 3.0)


def test_a_missing_file_is_told(write_rows: Callable[..., Report], tmp_path: Path) -> None:
    report = write_rows()
    (tmp_path / "runs.jsonl").unlink()
    with pytest.raises(ReportError, match="cannot be read"):
        read_light_rows(report)


def test_a_rule_that_light_rows_do_not_know_is_an_error() -> None:
    class Strict(Record):
        name: Annotated[str, AfterValidator(str.upper)]

    class Careful(Record):
        name: str

        @field_validator("name")
        @classmethod
        def _raise(cls, name: str) -> str:
            return name.upper()

    for kind in (Strict, Careful):
        with pytest.raises(TypeError, match="light rows do not know"):
            _make_light(kind)
