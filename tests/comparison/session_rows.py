"""Sessions to compare, made by hand from rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stats.battery_rows import Passes, make_rows

from pytest_searchlight.comparison.comparing import compare_sessions
from pytest_searchlight.comparison.records import LaneChange, SessionComparison
from pytest_searchlight.comparison.sources import Measured
from pytest_searchlight.domain import RunRecord, Usage
from pytest_searchlight.summary import summarize

DRAWS = 1000


def make_session(
    rows: Iterable[RunRecord], *, name: str = "session", facts: Mapping[str, Any] | None = None
) -> Measured:
    """A session with its rows and the summary of them."""
    kept = tuple(rows)
    summary = summarize(kept, facts={"name": name, **(facts or {})}, extra={})
    return Measured(name=name, rows=kept, summary=summary)


def make_shop(passes: Passes, **facts: Any) -> Measured:  # noqa: ANN401 - any field of a row
    """A session of the setup ``shop`` alone; `facts` replace what every row has."""
    return make_session(make_rows({"shop": passes}, **facts))


def drop_rows(session: Measured) -> Measured:
    """What a summary alone tells of a session."""
    return Measured(name=session.name, rows=None, summary=session.summary)


def compare(before: Measured, after: Measured) -> SessionComparison:
    """The comparison with few resamples."""
    return compare_sessions(before, after, draws=DRAWS)


def compare_one(before: Measured, after: Measured) -> LaneChange:
    """The only lane that two sessions share."""
    (change,) = compare(before, after).lanes
    return change


def use_tokens(tokens: int) -> dict[str, Usage]:
    """The usage of every row."""
    return {"usage": Usage(input_tokens=tokens, output_tokens=0)}


def write_session(session: Measured, folder: Path, *, rows: bool = True) -> Path:
    """Write a session's files as pytest leaves them."""
    folder.mkdir(parents=True, exist_ok=True)
    if session.summary is not None:
        (folder / "summary.json").write_text(session.summary.model_dump_json(), encoding="utf-8")
    if rows and session.rows is not None:
        lines = "".join(row.model_dump_json() + "\n" for row in session.rows)
        (folder / "runs.jsonl").write_text(lines, encoding="utf-8")
    return folder
