"""A built site on disk: written, and held against what the reports give today."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import ReportError
from pytest_searchlight.evidence import write_atomic
from pytest_searchlight.website.building import DRAWN_FILE, SHARE_FILE, Site

RUNS_FOLDER: Final = "runs"
"""Where pages of single runs may lie (``--runs SESSION --out site/runs``); they are left alone here."""

_DRAWING: Final = re.compile(rb"<svg viewBox.*?</svg>", re.DOTALL)


def write_site(site: Site, out: Path) -> None:
    """Put `site` into `out`, and remove the pages of an earlier build that belong to no report any more.

    Raises:
        ReportError: `out` holds other files than a site's, so it may be meant for something else.
        DiskError: the disk refuses.
    """
    if any(out.glob("*")) and not (out / DRAWN_FILE).exists():
        raise ReportError(f"{out}: holds files but no site ({DRAWN_FILE} is missing); choose an empty folder")
    for path, content in site.items():
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_bytes() != content:
            write_atomic(file, content)
    for path in _list_extra(site, out):
        (out / path).unlink()


def find_stale(site: Site, out: Path) -> list[str]:
    """One line for each file in `out` that is missing, differs from `site`, or belongs to no page of it.

    Drawings are compared where the same matplotlib drew both: another version may place a line elsewhere.
    """
    with_drawings = explain_skipped(site, out) is None
    problems = []
    for path, content in site.items():
        file = out / path
        old = file.read_bytes() if file.is_file() else None
        if old is None:
            problems.append(f"missing: {path}")
        elif old != content and (
            with_drawings or _leave_out_drawings(old, path=path) != _leave_out_drawings(content, path=path)
        ):
            problems.append(f"stale: {path}")
    return [*problems, *(f"extra: {path}" for path in _list_extra(site, out))]


def explain_skipped(site: Site, out: Path) -> str | None:
    """A sentence when drawings cannot be compared, or None when they can."""
    try:
        old = json.loads((out / DRAWN_FILE).read_bytes())["matplotlib"]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # the file itself is missing or stale, and no other version is known
    new = json.loads(site[DRAWN_FILE])["matplotlib"]
    if old == new:
        return None
    return f"drawings are not compared: matplotlib {old} drew the site, and {new} is installed"


def _leave_out_drawings(content: bytes, *, path: str) -> bytes:
    return b"" if path in {SHARE_FILE, DRAWN_FILE} else _DRAWING.sub(b"", content)


def _list_extra(site: Site, out: Path) -> Iterator[str]:
    for file in sorted(out.rglob("*")):
        path = file.relative_to(out)
        if file.is_file() and path.as_posix() not in site and path.parts[0] != RUNS_FOLDER:
            yield path.as_posix()
