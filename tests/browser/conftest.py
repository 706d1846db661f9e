from __future__ import annotations

from browser_stage.fixtures import chromium, page

__all__ = ["chromium", "page"]
