"""What axe-core finds on a page against WCAG 2.2 AA."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

_AXE: Final = Path(__file__).resolve().parents[1] / "npm-pages" / "node_modules" / "axe-core" / "axe.min.js"
_TAGS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")


def find_barriers(page: Page) -> list[str]:
    """One line for each element that breaks a rule: the rule, the element, what to do."""
    # Pages forbid foreign scripts; evaluating goes past that, as a browser extension would.
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    # Nor may they fetch anything, and axe would fetch their style sheets anew.
    found = page.evaluate(
        "tags => axe.run({preload: false, runOnly: {type: 'tag', values: tags}})", list(_TAGS)
    )
    return [
        f"{rule['id']}: {node['html'][:160]}: {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
