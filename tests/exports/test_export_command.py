from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from exports.exported import Ended, export

from pytest_searchlight.exports import placing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("format_name", "file"), [("csv", "runs.csv"), ("parquet", "runs.parquet"), ("junit", "junit.xml")]
)
def test_an_export_lands_in_the_session_unless_a_place_is_given(
    ended: Ended, capsys: pytest.CaptureFixture[str], format_name: str, file: str
) -> None:
    assert export(ended.folder, "--format", format_name) == 0
    place = ended.folder / "exports" / file
    assert capsys.readouterr().out == f"written: {place}, from {len(ended.records)} rows\n"
    assert place.stat().st_size > 1000


def test_a_place_may_be_new_and_an_earlier_export_there_is_replaced(ended: Ended, tmp_path: Path) -> None:
    place = tmp_path / "new" / "rows.csv"
    assert export(ended.folder, "--format=csv", "--output", place) == 0
    content = place.read_bytes()
    place.write_bytes(b"old")
    assert export(ended.folder, "--format=csv", "--output", place) == 0
    assert place.read_bytes() == content
    assert list(place.parent.iterdir()) == [place]


def test_inspect_logs_are_said_to_be_private(
    ended: Ended, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(ended.folder, "--format=inspect", "--output", tmp_path) == 0
    out = capsys.readouterr().out
    assert "not for publishing" in out
    assert f"inspect view --log-dir {tmp_path}" in out


@pytest.mark.parametrize("format_name", ["csv", "parquet", "junit"])
def test_a_measured_report_can_be_exported_to_a_place(report: Path, tmp_path: Path, format_name: str) -> None:
    place = tmp_path / "export"
    assert export(report, "--format", format_name, "--output", place) == 0
    assert place.stat().st_size > 1000


def test_rows_of_a_report_are_those_of_its_session(ended: Ended, report: Path, tmp_path: Path) -> None:
    places = [tmp_path / "session.csv", tmp_path / "report.csv"]
    for folder, place in zip((ended.folder, report), places, strict=True):
        export(folder, "--format=csv", "--output", place)
    assert places[0].read_bytes() == places[1].read_bytes()


def test_a_session_can_be_exported_before_it_is_summed_up(ended: Ended, tmp_path: Path) -> None:
    """The evidence tells, not the files that were made from it."""
    folder = tmp_path / "session"
    shutil.copytree(ended.folder, folder)
    (folder / "runs.jsonl").unlink()
    assert export(folder, "--format=csv") == 0


def test_altered_evidence_is_not_shown_as_if_it_were_observed(
    ended: Ended, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "session"
    shutil.copytree(ended.folder, folder)
    (folder / "runs" / ended.by_agent["stray"].run_id / "tool_calls.jsonl").write_text('{"tool"')
    assert export(folder, "--format=inspect") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "tool_calls.jsonl: differs from its hash in run.json" in line


def test_the_columns_are_explained_without_a_session(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        export("--columns")
    assert exit_info.value.code in {0, None}
    assert "provider_latencies_s" in capsys.readouterr().out


# --- refusals --------------------------------------------------------------------------------------------


def refuse(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The one sentence that a wrong call ends with."""
    assert export(*arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_folder_that_holds_no_runs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "neither a session nor a report" in refuse(capsys, tmp_path, "--format=csv")


def test_a_report_is_not_exported_into_its_own_folder(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "say with --output where" in refuse(capsys, report, "--format=csv")
    assert not (report / "exports").exists()


def test_a_report_has_no_evidence_for_inspect_logs(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refuse(capsys, report, "--format=inspect", "--output", tmp_path)
    assert "needs a session's evidence" in line


def test_a_transcribed_report_has_no_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "2026-10-03-old"
    folder.mkdir()
    manifest = {"name": "old", "date": "2026-10-03", "title": "Old", "kind": "transcribed"}
    (folder / "report.json").write_text(json.dumps(manifest), encoding="utf-8")
    transcription = {"source": "a paper", "read_on": "2026-11-30", "batteries": [], "limitations": ["few"]}
    (folder / "transcribed.json").write_text(json.dumps(transcription), encoding="utf-8")
    line = refuse(capsys, folder, "--format=csv", "--output", tmp_path / "rows.csv")
    assert "a transcribed report has no rows" in line


@pytest.mark.parametrize("format_name", ["parquet", "inspect"])
def test_an_extra_that_is_not_installed_is_named(
    ended: Ended,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    format_name: str,
) -> None:
    monkeypatch.setattr(placing, "find_spec", lambda _: None)
    line = refuse(capsys, ended.folder, "--format", format_name)
    assert f"pip install 'pytest-searchlight[{format_name}]'" in line


def test_a_place_that_cannot_be_written_is_named(
    ended: Ended, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    line = refuse(capsys, ended.folder, "--format=csv", "--output", tmp_path / "file" / "runs.csv")
    assert "choose another place with --output" in line
    line = refuse(capsys, ended.folder, "--format=csv", "--output", tmp_path)
    assert "cannot be written" in line


def test_helping_imports_nothing_that_only_an_export_needs() -> None:
    code = (
        "import sys\n"
        "from pytest_searchlight.cli import main\n"
        "try: main(['export', '--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('pyarrow', 'inspect_ai', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
