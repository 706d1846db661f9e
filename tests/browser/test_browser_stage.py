"""The stage itself must notice what it is there to notice."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_stage import PHONE, WatchedPage, find_barriers
from playwright.sync_api import Browser

_SOUND = "<!doctype html><html lang='en'><title>Sound</title><main><h1>Sound</h1><p>Fine.</p></main></html>"


def write_page(folder: Path, html: str) -> Path:
    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    return file


def test_a_sound_page_has_no_problems_and_no_barriers(page: WatchedPage, tmp_path: Path) -> None:
    opened = page.open(write_page(tmp_path, _SOUND))

    assert opened.title() == "Sound"
    assert find_barriers(opened) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<script>console.error('broken')</script>", "console error: broken"),
        ("<script>nowhere()</script>", "uncaught: nowhere is not defined"),
        ("<img src='https://elsewhere.example/x.png' alt=''>", "asked a stranger: https://elsewhere.example"),
    ],
)
def test_a_complaint_of_the_browser_is_noted(
    chromium: Browser, tmp_path: Path, body: str, complaint: str
) -> None:
    watched = WatchedPage(chromium.new_page())
    watched.open(write_page(tmp_path, _SOUND.replace("<p>", f"{body}<p>")))
    watched.page.close()

    assert any(problem.startswith(complaint) for problem in watched.problems), watched.problems


def test_a_barrier_is_found(page: WatchedPage, tmp_path: Path) -> None:
    pale = _SOUND.replace("<p>", "<p style='color:#ccc;background:#fff'>")

    barriers = find_barriers(page.open(write_page(tmp_path, pale)))

    assert [barrier.partition(":")[0] for barrier in barriers] == ["color-contrast"]


def test_a_page_too_wide_for_a_phone_does_not_fit(page: WatchedPage, tmp_path: Path) -> None:
    page.page.set_viewport_size(PHONE)

    page.open(write_page(tmp_path, _SOUND.replace("<p>", "<p style='width:900px'>")))
    assert not page.fits()

    page.open(write_page(tmp_path, _SOUND))
    assert page.fits()
