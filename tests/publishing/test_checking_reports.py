"""A published report is held against its rows, its renderer and its neighbours."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from publishing.reports_for_tests import Reports, change_json, change_row, rehash

from pytest_searchlight.publishing.differences import find_differences

ROOT = Path(__file__).parents[2]
PUBLISHED = (
    "report.json",
    "summary.json",
    "runs.jsonl",
    "calibration.json",
    "REPORT.md",
    "methodology.md",
    "reproduce.md",
)


def assert_found(reports: Reports, *sentences: str) -> None:
    said = reports.check()
    assert said.code == 1, said.out
    for sentence in sentences:
        assert sentence in said.out


def run_program(command: list[str], *, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


def test_a_report_as_it_was_published_holds(reports: Reports, report: Path) -> None:
    said = reports.check()
    assert said == (0, f"{report.name}: measured, 84 rows: holds\n", "")


def test_the_command_prints_json_for_programs(reports: Reports, report: Path) -> None:
    (found,) = json.loads(reports.check("--json").out)
    assert found == {"name": report.name, "kind": "measured", "rows": 84, "problems": [], "notes": []}


def test_the_script_is_the_command(reports: Reports, report: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts/check_reports.py"), "--reports", str(reports.folder)]
    done = run_program(script, cwd=reports.project.root)
    assert (done.returncode, done.stdout) == (0, f"{report.name}: measured, 84 rows: holds\n"), done.stderr


SCRIPTS = ("check_reports", "build_site")


def call_without_packages(name: str, root: Path) -> subprocess.CompletedProcess[str]:
    """Call a script of a repository at `root` with a python that knows of no installed package."""
    (root / "scripts").mkdir()
    script = str(shutil.copy(ROOT / f"scripts/{name}.py", root / "scripts"))
    return run_program([sys.executable, "-S", script, "--help"], cwd=root)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_says_what_to_install(tmp_path: Path, name: str) -> None:
    done = call_without_packages(name, tmp_path)
    assert done.returncode == 1
    assert "install the package first" in done.stderr


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_finds_what_make_setup_installed(tmp_path: Path, name: str) -> None:
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    done = call_without_packages(name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: sew ")


@pytest.mark.parametrize("command", ["check-reports", "render-reports"])
def test_reports_that_are_not_there_are_a_mistake_of_the_user(reports: Reports, command: str) -> None:
    said = reports.sew(command)
    assert said.code == 2
    assert "no such folder of reports" in said.err


def test_several_processes_find_what_one_finds(reports: Reports, report: Path) -> None:
    reports.publish(name="second")
    change_json(report / "summary.json", lambda summary: summary["counts"].update(passes=3))
    alone = reports.check()
    assert alone.out.count("holds") == 1
    program = (
        "import sys; from pytest_searchlight.cli import main;"
        "from pytest_searchlight.publishing import checking;"
        "checking._WORTH_PROCESSES = 0; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "check-reports", "--reports", str(reports.folder)]
    done = run_program(command, cwd=reports.project.root)
    assert (done.returncode, done.stdout) == (1, alone.out), done.stderr


def test_a_seed_that_is_none_is_found(reports: Reports, report: Path) -> None:
    change_json(report / "summary.json", lambda summary: summary["session"].update(seed="x"))
    assert_found(reports, "summary.json: session: invalid literal")


# --- a changed digit -------------------------------------------------------------------------------------


def list_digits(file: Path) -> list[int]:
    return [place for place, letter in enumerate(file.read_text(encoding="utf-8")) if letter.isdigit()]


def change_digit(file: Path, place: int) -> None:
    text = file.read_text(encoding="utf-8")
    other = str((int(text[place]) + 1) % 10)
    file.write_text(text[:place] + other + text[place + 1 :], encoding="utf-8")


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_changed_digit_is_found_wherever_it_is(reports: Reports, report: Path, name: str) -> None:
    file = report / name
    text = file.read_text(encoding="utf-8")
    for place in random.Random(name).sample(list_digits(file), k=6):
        change_digit(file, place)
        said = reports.check()
        assert said.code == 1, f"{name}: {text[place - 40 : place + 1]}"
        assert name in said.out or report.name not in said.out
        file.write_text(text, encoding="utf-8")


def test_a_change_in_a_row_that_no_number_is_made_of_is_named_with_its_line(
    reports: Reports, report: Path
) -> None:
    file = report / "runs.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for number in (3, 17):
        lines[number - 1] = lines[number - 1].replace('"started_at": "2', '"started_at": "1')
    file.write_text("".join(lines), encoding="utf-8")
    assert_found(reports, "runs.jsonl: was changed in line 3, 17: its SHA-256 is ")


def test_marks_of_lines_are_no_place_to_hide_a_change(reports: Reports, report: Path) -> None:
    change_json(report / "report.json", lambda manifest: manifest["lines"].update({"runs.jsonl": "0" * 8}))
    assert_found(reports, "report.json: lines of runs.jsonl are not those of the file, whose hash holds")


def change_numbers(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """`value` with another number in the place of each."""
    if isinstance(value, dict):
        return {key: change_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [change_numbers(each) for each in value]
    return value + 1 if is_number(value) else value


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def list_numbers(value: object, path: str = "") -> Iterator[str]:
    """The place of every number in a JSON value."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from list_numbers(each, f"{path}.{key}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from list_numbers(each, f"{path}[{index}]")
    elif is_number(value):
        yield path.removeprefix(".")


def test_every_number_of_a_summary_is_compared_and_named(published: Path) -> None:
    summary = json.loads((published / "summary.json").read_bytes())
    places = list(list_numbers(summary))
    assert len(places) > 1000
    differences = find_differences(change_numbers(summary), summary, rounding=1e-9)
    assert [difference.path for difference in differences] == places


def test_a_forged_number_is_named_with_the_one_that_the_rows_give(reports: Reports, report: Path) -> None:
    change_json(report / "summary.json", lambda summary: summary["results"][0].update(pass_rate=0.5))
    assert_found(reports, "summary.json: results[0].pass_rate is 0.5, and the rows give ")


def test_a_forged_row_is_found_by_the_numbers_made_of_it(reports: Reports, report: Path) -> None:
    change_row(report / "runs.jsonl", 3, usage={"input_tokens": 77, "output_tokens": 0})
    assert_found(reports, "tokens.total is ", "and the rows give ")


def test_a_late_digit_is_named_where_the_file_was_changed(reports: Reports, report: Path) -> None:
    file = report / "summary.json"
    content = json.loads(file.read_bytes())
    content["results"][0]["pass_rate_ci95"][1] -= 1e-13
    file.write_text(json.dumps(content), encoding="utf-8")
    assert_found(reports, "summary.json: was changed", "results[0].pass_rate_ci95[1] is 0.")


def test_numbers_may_differ_by_what_other_libraries_round() -> None:
    assert list(find_differences({"a": 0.1 + 0.2}, {"a": 0.3}, rounding=1e-9)) == []
    assert list(find_differences({"a": 0.1 + 0.2}, {"a": 0.3}, rounding=0.0)) != []


@pytest.mark.parametrize(
    ("found", "expected", "path"),
    [
        ({"a": 1}, {}, "a"),
        ({}, {"a": 1}, "a"),
        ({"a": [1]}, {"a": [1, 2]}, "a"),
        ({"a": [{"b": None}]}, {"a": [{"b": 0}]}, "a[0].b"),
        ({"a": True}, {"a": 1}, "a"),
        ([1], {"a": 1}, ""),
    ],
)
def test_what_is_absent_or_of_another_kind_differs(found: Any, expected: Any, path: str) -> None:  # noqa: ANN401
    (difference,) = find_differences(found, expected, rounding=1e-9)
    assert difference.path == path


# --- each rule -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["summary.json", "runs.jsonl", "REPORT.md", "methodology.md", "reproduce.md"]
)
def test_a_missing_file_is_named(reports: Reports, report: Path, name: str) -> None:
    (report / name).unlink()
    assert_found(reports, f"{report.name}/{name}")


def test_a_report_without_its_manifest_does_not_go_unseen(reports: Reports, report: Path) -> None:
    (report / "report.json").unlink()
    assert_found(reports, f"{report.name}/report.json: ", f"{report.name}: unreadable: 1 PROBLEMS")


def test_other_folders_among_reports_are_left_alone(reports: Reports, report: Path) -> None:
    (reports.folder / "coverage").mkdir()
    assert reports.check().out == f"{report.name}: measured, 84 rows: holds\n"


def test_a_file_that_does_not_belong_there_is_named(reports: Reports, report: Path) -> None:
    (report / "transcript.jsonl").write_text("{}")
    assert_found(reports, "transcript.jsonl: does not belong in a measured report")


def test_a_renamed_report_is_found(reports: Reports, report: Path) -> None:
    report.rename(report.with_name("2026-01-01-battery"))
    assert_found(reports, "report.json says")


def test_another_schema_version_is_found(reports: Reports, report: Path) -> None:
    change_json(report / "summary.json", lambda summary: summary.update(schema_version=2))
    assert_found(reports, "summary.json: not a readable summary (schema_version: ")


def test_a_line_that_is_no_row_is_named(reports: Reports, report: Path) -> None:
    change_row(report / "runs.jsonl", 5, repetition="first")
    assert_found(reports, "runs.jsonl, line 5: not a readable row (repetition: ")


def test_the_first_line_that_the_renderer_does_not_give_is_named(reports: Reports, report: Path) -> None:
    file = report / "REPORT.md"
    lines = file.read_text(encoding="utf-8").split("\n")
    file.write_text("\n".join([*lines[:6], "Search wins.", *lines[7:]]), encoding="utf-8")
    assert_found(reports, "REPORT.md, line 7: is 'Search wins.', and the renderer gives ")


def test_texts_are_rendered_anew_without_a_change_of_numbers(reports: Reports, report: Path) -> None:
    data = {name: (report / name).read_bytes() for name in ("report.json", "summary.json", "runs.jsonl")}
    (report / "REPORT.md").write_text("Search wins.", encoding="utf-8")
    assert f"written: {report}/" in reports.sew("render-reports").out
    assert reports.check().code == 0
    assert {name: (report / name).read_bytes() for name in data} == data
    assert "all texts are as they are rendered" in reports.sew("render-reports").out


def test_a_second_row_for_a_run_is_found(reports: Reports, report: Path) -> None:
    file = report / "runs.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join([*lines, lines[0]]), encoding="utf-8")
    rehash(file)
    assert_found(reports, "runs.jsonl, line 85: a second row for small.thing-0.")


def test_a_row_whose_name_is_not_its_own_is_found(reports: Reports, report: Path) -> None:
    change_row(report / "runs.jsonl", 2, identity="0" * 64)
    assert_found(reports, "runs.jsonl, line 2: run_id does not end in its repetition and identity")


def test_a_reason_is_found(reports: Reports, report: Path) -> None:
    change_row(report / "runs.jsonl", 2, reason="the page says: buy now")
    assert_found(reports, "runs.jsonl, line 2: gives a reason, which may quote an answer")


def test_something_private_in_a_row_is_found(reports: Reports, report: Path) -> None:
    change_row(report / "runs.jsonl", 2, agent_version="built in /home/jane/agent")
    assert_found(reports, "runs.jsonl, line 2: '/hom'... looks like a path of somebody's machine")


def test_a_catalog_that_the_session_does_not_name_is_found(reports: Reports, report: Path) -> None:
    change_json(report / "summary.json", lambda summary: summary["session"].update(catalogs={}))
    assert_found(reports, "session.catalogs does not name small")


def test_rows_of_a_task_that_were_graded_differently_are_found(reports: Reports, report: Path) -> None:
    change_row(report / "runs.jsonl", 50, grading_hash="f" * 64)
    assert_found(reports, "runs.jsonl, line 50: grading_hash is not that of earlier rows of")


def test_gradings_that_the_unchanged_catalog_does_not_give_are_found(reports: Reports, report: Path) -> None:
    text = (report / "runs.jsonl").read_text(encoding="utf-8")
    first = json.loads(text.splitlines()[0])
    (report / "runs.jsonl").write_text(text.replace(first["grading_hash"], "f" * 64), encoding="utf-8")
    rehash(report / "runs.jsonl")
    assert_found(reports, "is not that of small, whose hash is unchanged")


def test_a_catalog_that_was_changed_since_is_noted_and_no_problem(reports: Reports, report: Path) -> None:
    change_json(
        report / "summary.json", lambda summary: summary["session"]["catalogs"].update(small="ab" * 32)
    )
    assert reports.sew("render-reports").code == 0
    said = reports.check()
    assert said.code == 0, said.out
    assert "note: catalog small was changed since: abababababab then, " in said.out
    assert "note: catalog small is not in this repository" in reports.check("--catalogs", "nowhere").out


def test_a_task_that_counts_without_admission_is_found(reports: Reports, report: Path) -> None:
    (report / "calibration.json").unlink()
    change_json(report / "report.json", lambda manifest: manifest["files"].pop("calibration.json"))
    reports.sew("render-reports")
    assert_found(reports, "calibration.json: runs of thing-0 count for reader, but it has no record")


def test_an_admission_that_the_counts_contradict_is_found(reports: Reports, report: Path) -> None:
    change_json(report / "calibration.json", lambda known: known["records"][0]["ceiling"].update(passes=2))
    assert_found(reports, "calibration.json: not a readable calibration (records.0: ")


def test_softer_thresholds_are_found(reports: Reports, report: Path) -> None:
    def soften(known: dict[str, Any]) -> None:
        known["records"][0]["thresholds"]["fewest_ceiling_passes"] = 3

    change_json(report / "calibration.json", soften)
    assert_found(reports, "the thresholds of thing-0 are not those of the methodology")


def test_a_link_that_leads_nowhere_is_found(reports: Reports, report: Path) -> None:
    file = report / "REPORT.md"
    file.write_text(file.read_text(encoding="utf-8") + "[rows](rows.csv)\n", encoding="utf-8")
    assert_found(reports, "the link rows.csv leads nowhere")


def test_a_correction_that_only_one_report_tells_of_is_found(reports: Reports, report: Path) -> None:
    reports.publish("--corrects", report.name, name="mended")
    mended = reports.find("mended").name
    change_json(report / "report.json", lambda manifest: manifest.update(corrected_by=[]))
    assert_found(reports, f"{mended} corrects it, which corrected_by does not say")
    change_json(
        report / "report.json", lambda manifest: manifest.update(corrected_by=[mended, "2026-01-01-never"])
    )
    assert_found(reports, "corrected_by names '2026-01-01-never', which is no report here")


def test_a_correction_of_a_report_that_is_gone_is_found(reports: Reports, report: Path) -> None:
    change_json(report / "report.json", lambda manifest: manifest.update(corrects="2026-01-01-never"))
    assert_found(reports, "corrects '2026-01-01-never', which is no report here")


def test_a_calibration_of_another_task_than_the_unchanged_catalogs_is_found(
    reports: Reports, report: Path
) -> None:
    change_json(report / "calibration.json", lambda known: known["records"][0].update(task_hash="ab" * 32))
    assert_found(
        reports, "calibration.json: task_hash of thing-0 is not that of small, whose hash is unchanged"
    )
