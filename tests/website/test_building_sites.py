"""A site is the same everywhere, small, and found out when it is stale."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from website.staged_reports import AGENTS, SETUPS, make_rows, write_measured, write_transcribed

from pytest_searchlight.cli import main
from pytest_searchlight.errors import ReportError
from pytest_searchlight.report_folder import read_report
from pytest_searchlight.website.building import DRAWN_FILE, SHARE_FILE, Site, build_site
from pytest_searchlight.website.house import House
from pytest_searchlight.website.pages import render_report_page
from pytest_searchlight.website.upkeep import explain_skipped, find_stale, write_site

_LARGEST_PAGE: int = 300_000
_PNG_SIZE: bytes = (1200).to_bytes(4, "big") + (630).to_bytes(4, "big")


def test_the_same_reports_give_the_same_bytes_on_another_machine(
    all_reports: Path, site: Path, tmp_path: Path
) -> None:
    elsewhere = {
        **os.environ,
        "TZ": "Pacific/Chatham",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "C",
        "PYTHONHASHSEED": "4711",
        "SOURCE_DATE_EPOCH": "0",
        "MPLCONFIGDIR": str(tmp_path),
    }
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nsvg.fonttype: path\nsavefig.facecolor: red\n")
    sew = Path(sys.executable).with_name("sew")
    done = subprocess.run(
        [sew, "build-site", "--check", "--reports", all_reports, "--out", site],
        env=elsewhere,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "up to date" in done.stdout


def test_many_reports_are_built_on_all_cores_to_the_same_bytes(
    all_reports: Path, built: Site, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_searchlight.website.building._WORTH_PROCESSES", 1)

    assert build_site(all_reports, house=house) == built


def test_a_cell_of_the_task_table_is_small(tmp_path: Path) -> None:
    pages = [
        render_report_page(
            read_report(write_measured(tmp_path / name, records=list(make_rows(tasks=tasks, repetitions=1))))
        )
        for name, tasks in (("few", 5), ("more", 25))
    ]

    assert len(pages[1]) - len(pages[0]) < 20 * len(AGENTS) * len(SETUPS) * 40


def test_pages_are_small(built: Site) -> None:
    sizes = {path: len(content) for path, content in built.items() if path.endswith(".html")}

    assert {path: size for path, size in sizes.items() if size >= _LARGEST_PAGE} == {}
    assert len(sizes) == 6


def test_the_share_image_has_the_size_that_sites_expect(built: Site) -> None:
    assert built[SHARE_FILE].startswith(b"\x89PNG")
    assert built[SHARE_FILE][16:24] == _PNG_SIZE


def test_the_leaderboard_fits_its_schema_and_holds_measured_reports_only(built: Site) -> None:
    leaderboard = json.loads(built["leaderboard.json"])
    schema = json.loads(built["leaderboard.schema.json"])

    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(leaderboard)
    assert [report["report"] for report in leaderboard["reports"]] == [
        "2026-11-30-second",
        "2026-11-01-first",
    ]
    assert leaderboard["reports"][1]["corrected_by"] == ["2026-11-30-second"]


def test_a_leaderboard_row_has_its_uncertainty_and_no_rank(built: Site) -> None:
    row = json.loads(built["leaderboard.json"])["reports"][0]["rows"][0]

    assert (row["setup"], row["graded"], row["coverage"]) == ("exa", 10, 1.0)
    assert row["pass_rate_ci95"][0] < row["pass_rate"] < row["pass_rate_ci95"][1]
    assert {each["reference"] for each in row["differences"]} == {"floor", "no-search", "built-in"}
    assert all("detectable_difference" in each for each in row["differences"])
    assert not [name for name in row if "rank" in name]


def test_cost_that_is_not_known_is_null(built: Site) -> None:
    rows = json.loads(built["leaderboard.json"])["reports"][0]["rows"]

    assert {row["cost_per_success_usd"] for row in rows if row["agent"] == "codex"} == {None}


@pytest.fixture
def copied(built: Site, tmp_path: Path) -> Path:
    """A site of its own, to spoil."""
    out = tmp_path / "site"
    write_site(built, out)
    return out


def test_a_fresh_site_is_not_stale(built: Site, copied: Path) -> None:
    assert find_stale(built, copied) == []


def test_a_changed_page_is_stale_a_lost_one_missing_and_a_foreign_one_extra(
    built: Site, copied: Path
) -> None:
    index = copied / "index.html"
    index.write_text(index.read_text("utf-8").replace("Searchlight", "Searchlights", 1), "utf-8")
    (copied / "results/2026-11-01-first.html").unlink()
    (copied / "results/2020-01-01-gone.html").write_text("old")

    assert find_stale(built, copied) == [
        "stale: index.html",
        "missing: results/2026-11-01-first.html",
        "extra: results/2020-01-01-gone.html",
    ]


def test_drawings_of_another_matplotlib_are_not_held_against_ours(built: Site, copied: Path) -> None:
    (copied / DRAWN_FILE).write_text('{"matplotlib": "3.0.0"}')
    (copied / SHARE_FILE).write_bytes(b"another")
    page = copied / "results/2026-11-30-second.html"
    page.write_text(page.read_text("utf-8").replace('<path d="M ', '<path d="M 1'), "utf-8")

    assert find_stale(built, copied) == []
    assert "matplotlib 3.0.0 drew the site" in str(explain_skipped(built, copied))

    page.write_text(page.read_text("utf-8").replace("exa", "axe", 1), "utf-8")
    assert find_stale(built, copied) == ["stale: results/2026-11-30-second.html"]


def test_pages_of_single_runs_are_left_alone(built: Site, copied: Path) -> None:
    (copied / "runs").mkdir()
    (copied / "runs/index.html").write_text("runs")

    assert find_stale(built, copied) == []
    write_site(built, copied)
    assert (copied / "runs/index.html").exists()


def test_a_page_whose_report_is_gone_is_removed(built: Site, copied: Path) -> None:
    gone = copied / "results/2020-01-01-gone.html"
    gone.write_text("old")

    write_site(built, copied)

    assert not gone.exists()


def test_a_folder_that_holds_no_site_is_not_written_into(built: Site, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")

    with pytest.raises(ReportError, match="holds files but no site"):
        write_site(built, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_command_writes_then_finds_nothing_then_what_a_new_report_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports, out = tmp_path / "reports", tmp_path / "site"
    write_transcribed(reports)
    arguments = ["build-site", "--reports", str(reports), "--out", str(out)]

    assert main([*arguments, "--check"]) == 1
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    write_measured(reports)
    capsys.readouterr()
    assert main([*arguments, "--check"]) == 1
    assert "missing: results/2026-11-30-battery.html" in capsys.readouterr().out


def test_a_folder_of_reports_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build-site", "--reports", str(tmp_path / "none"), "--out", str(tmp_path / "site")]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_a_broken_report_is_told_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports, out = tmp_path / "reports", tmp_path / "site"
    (write_measured(reports) / "summary.json").write_text("{}")

    assert main(["build-site", "--reports", str(reports), "--out", str(out)]) == 2
    assert "summary.json" in capsys.readouterr().err
    assert not out.exists()
