"""Run pages as files: whole, the same as served, and never in the place of something else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser_stage import WatchedPage
from playwright.sync_api import expect
from run_pages.staged_session import StagedSession

from pytest_searchlight.cli import main
from pytest_searchlight.errors import ReportError
from pytest_searchlight.run_pages import RunPages, write_run_pages
from pytest_searchlight.run_pages.listing import RunList

_REFERENCE = re.compile(r"href=\"(?!data:)([^\"#]+)")


@pytest.fixture
def out(staged: StagedSession, tmp_path: Path) -> Path:
    run_id = staged.add_run()
    staged.add_run(repetition=2)
    staged.add_run(attempt_of=run_id)
    return tmp_path / "out"


def test_every_page_is_written_and_every_reference_leads_to_one(staged: StagedSession, out: Path) -> None:
    count = write_run_pages(staged.folder, out)
    files = [path for path in out.rglob("*") if path.is_file()]
    assert len(files) == count == 4
    for file in out.rglob("*.html"):
        for reference in _REFERENCE.findall(file.read_text(encoding="utf-8")):
            assert (file.parent / reference).is_file(), (file, reference)


def test_files_are_what_the_server_gives(staged: StagedSession, out: Path) -> None:
    write_run_pages(staged.folder, out)
    runs = RunList(staged.folder).read()
    pages = RunPages(session=staged.folder, runs=runs, shown_root=staged.folder.root.name)
    for path in pages.list_paths():
        assert (out / path).read_bytes() == pages.render(path)


def test_no_path_of_this_machine_stands_in_the_files(staged: StagedSession, out: Path) -> None:
    write_run_pages(staged.folder, out)
    for file in out.rglob("*.html"):
        assert str(staged.folder.root.parent) not in file.read_text(encoding="utf-8")


def test_pages_of_an_earlier_writing_make_room(staged: StagedSession, out: Path) -> None:
    write_run_pages(staged.folder, out)
    (out / "runs/gone.html").touch()
    write_run_pages(staged.folder, out)
    assert not (out / "runs/gone.html").exists()


def test_a_folder_that_holds_something_else_is_left_alone(staged: StagedSession, out: Path) -> None:
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    with pytest.raises(ReportError, match=r"holds 'thesis.tex', which is no part of run pages"):
        write_run_pages(staged.folder, out)
    assert (out / "thesis.tex").read_text() == "years of work"


def test_a_folder_that_cannot_be_made_is_told(staged: StagedSession, out: Path) -> None:
    out.write_text("a file")
    with pytest.raises(ReportError, match="cannot write run pages"):
        write_run_pages(staged.folder, out)


def test_the_files_open_from_a_disk_and_lead_to_each_other(
    page: WatchedPage, staged: StagedSession, out: Path
) -> None:
    write_run_pages(staged.folder, out)
    shown = page.open(out / "index.html")
    shown.locator("#runs").get_by_role("link").first.click()
    expect(shown.get_by_role("heading", level=1)).to_have_text("sky under shop")
    shown.get_by_role("link", name="All runs").click()
    expect(shown.get_by_role("status")).to_contain_text("2 of 2 runs")


def test_sew_build_site_writes_the_run_pages_of_a_session(
    staged: StagedSession, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build-site", "--runs", str(staged.folder.root), "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"written: {out}/index.html and 3 other pages\n"
    assert (out / "index.html").is_file()


@pytest.mark.parametrize("more", [["--check"], []])
def test_sew_build_site_explains_why_it_writes_no_run_pages(
    tmp_path: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build-site", "--runs", str(tmp_path), "--out", str(tmp_path / "out"), *more]) == 2
    assert ("--check" if more else "not a session folder") in capsys.readouterr().err
