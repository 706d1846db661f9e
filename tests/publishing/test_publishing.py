"""From a session to a report: what is published, what stays behind, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from publishing.reports_for_tests import NAME, TASKS, Reports
from rooms.records_for_tests import make_record

from pytest_searchlight.calibration import read_calibration
from pytest_searchlight.cli import main
from pytest_searchlight.domain import Cost, Usage
from pytest_searchlight.domain.records import JudgeCost
from pytest_searchlight.publishing.sources import select_records
from pytest_searchlight.publishing.stripping import strip_row
from pytest_searchlight.report_folder import read_row_file

FILES = {
    "report.json",
    "summary.json",
    "runs.jsonl",
    "calibration.json",
    "REPORT.md",
    "methodology.md",
    "reproduce.md",
}


def read(file: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    return json.loads(file.read_bytes())


def read_rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def session(reports: Reports, tmp_path: Path) -> Path:
    """A copy of the session's numbers, to be changed."""
    folder = tmp_path / "session"
    folder.mkdir()
    for name in ("session.json", "summary.json", "runs.jsonl"):
        shutil.copy(reports.project.root / "session" / name, folder)
    return folder


# --- what is published -----------------------------------------------------------------------------------


def test_a_report_holds_numbers_rows_calibration_and_texts(published: Path) -> None:
    assert {file.name for file in published.iterdir()} == FILES
    assert published.name.endswith(f"-{NAME}")
    assert read(published / "report.json")["title"] == "Battery"


def test_published_numbers_are_the_sessions_own(reports: Reports, published: Path) -> None:
    ours, theirs = read(published / "summary.json"), read(reports.project.root / "session/summary.json")
    assert ours == theirs
    assert ours["counts"]["graded"] > 0


@pytest.mark.parametrize("name", ["report", "summary", "calibration"])
def test_published_files_conform_to_the_schema_that_sew_prints(
    published: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", name]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema).validate(read(published / f"{name}.json"))


def test_published_rows_conform_to_the_schema_that_sew_prints(
    published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", "run"]) == 0
    validator = jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))
    for row in read_rows(published / "runs.jsonl"):
        validator.validate(row)


def test_rows_keep_every_fact_but_the_reason(reports: Reports, published: Path) -> None:
    theirs = read_rows(reports.project.root / "session/runs.jsonl")
    assert any(row["reason"] for row in theirs)
    assert read_rows(published / "runs.jsonl") == [{**row, "reason": ""} for row in theirs]


def test_reasons_without_a_price_are_left_out_and_what_is_null_stays() -> None:
    judging = JudgeCost(judge="lexical", model_name="x", usage=Usage(), usd=None, unpriced=("no price",))
    row = make_record(cost=Cost(provider_usd=0.0, unpriced=("ignore_all_rules: no tariff",)), judging=judging)
    stripped = strip_row(row)
    assert stripped.cost == Cost(provider_usd=0.0)
    assert stripped.judging is not None
    assert (stripped.judging.usd, stripped.judging.unpriced) == (None, ())


def test_a_path_outside_the_project_is_published_as_its_last_name(reports: Reports, session: Path) -> None:
    summary = read(session / "summary.json")
    summary["session"]["selection"]["paths"] = ["catalogs", "/srv/someone/catalogs/small"]
    (session / "summary.json").write_text(json.dumps(summary))
    said = reports.publish(source=session)
    assert said.code == 0, said.err
    facts = read(reports.find() / "summary.json")["session"]
    assert facts["selection"]["paths"] == ["catalogs", "small"]


def test_only_records_of_the_sessions_runs_are_published(reports: Reports) -> None:
    rows = read_row_file(reports.project.root / "session/runs.jsonl")
    calibration = read_calibration(reports.project.root / ".searchlight/calibration.json")
    assert {record.agent for record in calibration.records} == {"reader", "wrong"}
    chosen = select_records(calibration, [row for row in rows if row.agent == "wrong"])
    assert [record.place for record in chosen.records] == [("small", task, "wrong", "") for task in TASKS]


def test_title_and_note_stand_in_the_report(reports: Reports, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("We sell none of this.\n\nThe tasks are public.\n", encoding="utf-8")
    reports.publish("--title", "A battery of things", "--note", str(note))
    text = (reports.find() / "REPORT.md").read_text(encoding="utf-8")
    assert "# A battery of things\n" in text
    assert text.index("We sell none of this.") < text.index("The tasks are public.") < text.index("Results")


# --- corrections -----------------------------------------------------------------------------------------


def test_a_correction_marks_the_report_that_it_corrects_and_leaves_its_numbers(
    reports: Reports, report: Path
) -> None:
    before = {file.name: file.read_bytes() for file in report.iterdir()}
    said = reports.publish("--corrects", report.name, name="mended")
    assert said.code == 0, said.err
    changed = {file.name for file in report.iterdir() if file.read_bytes() != before[file.name]}
    assert (
        {"report.json", "REPORT.md"}
        <= changed
        <= {"report.json", "REPORT.md", "methodology.md", "reproduce.md"}
    )
    mended = reports.find("mended")
    assert read(mended / "report.json")["corrects"] == report.name
    assert read(report / "report.json")["corrected_by"] == [mended.name]
    assert mended.name in (report / "REPORT.md").read_text(encoding="utf-8")
    assert reports.check().code == 0


def test_a_correction_of_nothing_is_refused(reports: Reports) -> None:
    said = reports.publish("--corrects", "2026-01-01-never")
    assert said.code == 2
    assert "2026-01-01-never is no report" in said.err
    assert not reports.folder.exists()


# --- what is refused -------------------------------------------------------------------------------------


def test_a_report_is_never_overwritten(reports: Reports, report: Path) -> None:
    before = (report / "report.json").read_bytes()
    said = reports.publish("--title", "Another")
    assert said.code == 2
    assert "exists, and a report is never overwritten; choose another --name" in said.err
    assert (report / "report.json").read_bytes() == before


@pytest.mark.parametrize("name", ["My Battery", "../up", ""])
def test_a_name_that_is_no_slug_is_refused(reports: Reports, name: str) -> None:
    said = reports.publish(name=name)
    assert said.code == 2
    assert "--name" in said.err


def test_a_folder_that_is_no_session_is_refused(reports: Reports, tmp_path: Path) -> None:
    said = reports.publish(source=tmp_path)
    assert said.code == 2
    assert "is not a session folder" in said.err


def test_a_session_without_a_summary_is_refused(reports: Reports, session: Path) -> None:
    (session / "summary.json").unlink()
    said = reports.publish(source=session)
    assert said.code == 2
    assert "`sew summarize" in said.err


def test_a_session_that_measured_nothing_is_refused(reports: Reports, session: Path) -> None:
    summary = read(session / "summary.json")
    summary["counts"]["graded"] = 0
    (session / "summary.json").write_text(json.dumps(summary))
    said = reports.publish(source=session)
    assert said.code == 2
    assert "there is nothing to report" in said.err


def test_a_session_that_tells_no_time_is_refused(reports: Reports, session: Path) -> None:
    summary = read(session / "summary.json")
    del summary["session"]["started_at"]
    (session / "summary.json").write_text(json.dumps(summary))
    said = reports.publish(source=session)
    assert said.code == 2
    assert "started at None, which is no time" in said.err


def test_a_summary_that_its_rows_do_not_give_is_refused(reports: Reports, session: Path) -> None:
    summary = read(session / "summary.json")
    summary["results"][0]["tokens"]["total"] = 5
    (session / "summary.json").write_text(json.dumps(summary))
    said = reports.publish(source=session)
    assert said.code == 2
    assert "results[0].tokens.total is 5.0, and the rows give" in said.err
    assert not reports.folder.exists()


@pytest.mark.parametrize(
    ("note", "looks_like"),
    [
        ("Call me at jane.doe@corp.test.", "an e-mail address"),
        ("The files lie in /home/jane/battery.", "a path of somebody's machine"),
        ("Made with tvly-dev-0123456789abcdef.", "a Tavily key"),
    ],
)
def test_what_is_private_keeps_a_report_from_being_written(
    reports: Reports, tmp_path: Path, note: str, looks_like: str
) -> None:
    file = tmp_path / "note.txt"
    file.write_text(note, encoding="utf-8")
    said = reports.publish("--note", str(file))
    assert said.code == 2
    assert looks_like in said.err
    assert "report.json, line 7" in said.err
    assert "0123456789abcdef" not in said.err
    assert list(reports.folder.iterdir()) == []


def test_the_value_of_a_key_keeps_a_report_from_being_written(
    reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLOUR_API_KEY", "purple-elephants")
    said = reports.publish("--title", "On purple-elephants")
    assert said.code == 2
    assert "the value of COLOUR_API_KEY" in said.err
    assert "purple-elephants" not in said.err


# --- figures of others -----------------------------------------------------------------------------------


def test_transcribed_figures_become_a_report(reports: Reports, tmp_path: Path) -> None:
    row = {
        "setup": "shop",
        "setup_kind": "provider",
        "runs": 42,
        "passes": 35,
        "pass_rate_percent_ci95": [69, 92],
    }
    battery = {
        "title": "A battery",
        "date": "2026-09-29",
        "agent": "claude-code",
        "model_name": "large",
        "tasks": 14,
        "repetitions": 3,
        "rows": [row],
    }
    content = {
        "source": "A leaflet",
        "read_on": "2026-11-01",
        "batteries": [battery],
        "limitations": ["No rows."],
    }
    file = tmp_path / "transcribed.json"
    file.write_text(json.dumps(content))
    said = reports.publish(name="leaflet", source=file)
    assert said.code == 0, said.err
    assert reports.find("leaflet").name == "2026-09-29-leaflet"
    assert "2026-09-29-leaflet: transcribed: holds" in reports.check().out
