"""A stage for pages: Debian's chromium, a page that tolerates no error and no foreign address, axe-core.

A ``conftest.py`` that wants it says ``from browser_stage.fixtures import chromium, page  # noqa: F401``.
"""

from __future__ import annotations

from browser_stage.accessibility import find_barriers
from browser_stage.watched_page import NARROW, PHONE, WIDE, Viewport, WatchedPage

__all__ = ["NARROW", "PHONE", "WIDE", "Viewport", "WatchedPage", "find_barriers"]
