"""A browser page under watch: whatever it complains of, and whatever it asks a stranger for, is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Error, Page, Route, ViewportSize

REPOSITORY: Final = Path(__file__).resolve().parents[2]
SCREENSHOTS: Final = REPOSITORY / ".screenshots"

Viewport = ViewportSize
PHONE: Final = ViewportSize(width=360, height=740)
NARROW: Final = ViewportSize(width=768, height=1000)
WIDE: Final = ViewportSize(width=1400, height=900)

_OWN_SCHEMES: Final = frozenset({"file", "data", "blob", "about"})
_OWN_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass
class WatchedPage:
    """A page of the browser, and what went wrong on it.

    Attributes:
        page: Playwright's page, to act on.
        problems: errors and warnings of the console, uncaught exceptions, requests that failed or that left
            this machine (those are refused).
    """

    page: Page
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._note_message)
        self.page.on("pageerror", self._note_error)
        self.page.route("**/*", self._guard)

    def open(self, target: Path | str) -> Page:
        """Go to a file or an address, and wait until it is loaded."""
        self.page.goto(target.as_uri() if isinstance(target, Path) else target, wait_until="load")
        return self.page

    def fits(self) -> bool:
        """Whether the page can be read without scrolling sideways."""
        return bool(
            self.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        )

    def keep_screenshot(self, name: str) -> Path:
        """The whole page as a PNG under ``.screenshots/``, for people who look at a CI run."""
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{re.sub('[^a-z0-9-]+', '-', name.lower())}.png"
        try:
            self.page.screenshot(path=path, full_page=True, animations="disabled")
        except Error:  # on busy cores chromium fails to draw now and then, whatever the page is
            self.page.screenshot(path=path, full_page=True, animations="disabled")
        return path

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.problems.append(f"console {message.type}: {message.text}")

    def _note_error(self, error: Error) -> None:
        self.problems.append(f"uncaught: {error}")

    def _guard(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        if address.scheme in _OWN_SCHEMES or address.hostname in _OWN_HOSTS:
            route.continue_()
        else:
            self.problems.append(f"asked a stranger: {route.request.url}")
            route.abort()
