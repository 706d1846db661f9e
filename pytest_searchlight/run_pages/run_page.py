"""The page of a run, or of an earlier attempt at it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.run_pages.attempts import Attempt
from pytest_searchlight.run_pages.listing import ListedRun
from pytest_searchlight.run_pages.neighbours import Neighbours
from pytest_searchlight.run_pages.reading import read_run
from pytest_searchlight.run_pages.rendering import render_template
from pytest_searchlight.run_pages.second_readings import SecondReading


def render_run_page(  # noqa: PLR0913 - a page stands among others
    run: ListedRun,
    *,
    folder: Path,
    session: SessionFolder,
    shown_root: str,
    neighbours: Neighbours,
    attempts: Sequence[Attempt] = (),
    readings: Sequence[SecondReading] = (),
) -> str:
    """The page that is made of the evidence in `folder`.

    Args:
        run: the run.
        folder: its bundle, or that of an earlier attempt; there is none when it was not made yet.
        session: the session that it belongs to.
        shown_root: what the session's folder is called on the page.
        neighbours: where a reader may go from there.
        attempts: its earlier attempts.
        readings: what second judges said of it.
    """
    found = read_run(folder, session=session, readings=readings)
    record = found.record or run.record
    return render_template(
        "run",
        run=run,
        record=record,
        shown=ListedRun(nodeid=run.nodeid, record=record),
        is_attempt=folder.parent == session.attempts,
        place=f"{shown_root}/{folder.relative_to(session.root).as_posix()}",
        neighbours=neighbours,
        attempts=attempts,
        problem=found.problem,
        file_names=found.file_names,
        evidence=found.evidence,
        steps=found.steps,
        judged=found.judged,
    )
