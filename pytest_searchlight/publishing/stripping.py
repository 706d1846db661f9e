"""Takes out of a session what a report must not hold, and nothing that a published number needs.

Transcripts, answers, results and captured pages never come near a report: only rows do. What may still quote
them is a row's `reason`, and why something has no price, since that names a tool as the agent called it or a
unit as the provider did. Status, verdicts and what is null stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TypeVar

from pydantic import JsonValue

from pytest_searchlight.domain import Cost, RunRecord
from pytest_searchlight.domain.records import JudgeCost

_CostT = TypeVar("_CostT", Cost, JudgeCost)


def strip_row(row: RunRecord) -> RunRecord:
    """`row` without the text that an agent, a page or a process may have written."""
    stripped: dict[str, object] = {"reason": "", "cost": _strip_reasons(row.cost)}
    if row.judging is not None:
        stripped["judging"] = _strip_reasons(row.judging)
    return row.model_copy(update=stripped)


def _strip_reasons(cost: _CostT) -> _CostT:
    return cost.model_copy(update={"unpriced": ()})


def strip_facts(facts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The facts of a session; a path outside its project is cut down to its last name."""
    selection = facts.get("selection")
    paths = selection.get("paths") if isinstance(selection, dict) else None
    if not isinstance(selection, dict) or not isinstance(paths, list):
        return dict(facts)
    return {**facts, "selection": {**selection, "paths": [_shorten_path(str(path)) for path in paths]}}


def _shorten_path(path: str) -> str:
    return PurePath(path).name if PurePath(path).is_absolute() else path
