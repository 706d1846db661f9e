"""The pages as files that open from a disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from pytest_searchlight.errors import ReportError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.run_pages.listing import RunList
from pytest_searchlight.run_pages.pages import INDEX, RunPages

_FOLDERS = ("runs", "attempts")


def write_run_pages(session: SessionFolder, out: Path) -> int:
    """Write every page of `session` into the folder `out`, in the place of earlier ones.

    Returns:
        How many pages were written.

    Raises:
        EvidenceError: the session's plan cannot be read.
        ReportError: `out` holds something else, or cannot be written.
    """
    pages = RunPages(session=session, runs=RunList(session).read(), shown_root=session.root.resolve().name)
    try:
        _clear(out)
        return sum(_write_page(pages, path, out=out) for path in pages.list_paths())
    except OSError as error:
        raise ReportError(f"{out}: cannot write run pages ({error.strerror or error})") from error


def _write_page(pages: RunPages, path: str, *, out: Path) -> bool:
    page = pages.render(path)
    if page is not None:
        (out / path).write_bytes(page)
    return page is not None


def _clear(out: Path) -> None:
    """Make room in `out`. Whatever is not ours to delete is refused."""
    present = {entry.name for entry in out.iterdir()} if out.exists() else set()
    strange = sorted(present - {INDEX, *_FOLDERS})
    if strange:
        raise ReportError(
            f"{out}: holds {strange[0]!r}, which is no part of run pages; name an empty or a new folder"
        )
    for name in _FOLDERS:
        shutil.rmtree(out / name, ignore_errors=True)
        (out / name).mkdir(parents=True)
