"""Takes out of a session what a report must not hold, and nothing that a published number needs.

Transcripts, answers, results and captured pages never come near a report: only rows do. What may still quote
them, or a process's complaints, is a row's `reason`; the status and the verdicts of the row stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from pydantic import JsonValue

from pytest_searchlight.domain import RunRecord


def strip_row(row: RunRecord) -> RunRecord:
    """`row` without the text that an agent, a page or a process may have written."""
    return row.model_copy(update={"reason": ""})


def strip_facts(facts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The facts of a session; a path outside its project is cut down to its last name."""
    selection = facts.get("selection")
    paths = selection.get("paths") if isinstance(selection, dict) else None
    if not isinstance(selection, dict) or not isinstance(paths, list):
        return dict(facts)
    return {**facts, "selection": {**selection, "paths": [_shorten_path(str(path)) for path in paths]}}


def _shorten_path(path: str) -> str:
    return PurePath(path).name if PurePath(path).is_absolute() else path
