"""Fixtures: one chromium a module, a fresh watched page a test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from browser_stage.watched_page import WIDE, WatchedPage


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for the tests of a module.

    While it is open an event loop runs in this thread, so that no other test could open a second one or call
    `asyncio.run`; it must not outlive its module.
    """
    program = shutil.which("chromium")
    assert program, "chromium is missing; `make system` installs it"
    with sync_playwright() as playwright:
        # The tests run as root in a container, where chromium's own sandbox cannot start.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[WatchedPage]:
    """A page that fails its test at the end for any complaint of the browser or any foreign request."""
    context = chromium.new_context(viewport=WIDE, color_scheme="light", reduced_motion="reduce")
    context.set_default_timeout(15_000)
    watched = WatchedPage(context.new_page())
    yield watched
    context.close()
    assert watched.problems == []
