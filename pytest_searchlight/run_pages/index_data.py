"""What the list of runs is filtered and sorted by in the browser, in few bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.domain import CheckOutcome, RunRecord
from pytest_searchlight.run_pages.listing import ListedRun
from pytest_searchlight.run_pages.texts import cut_text, show_unseen

COLUMNS: Final = (
    "id", "task", "setup", "agent", "repetition", "status", "outcome", "checks_passed", "checks",
    "tokens", "cost_usd", "calls", "duration_s", "started_at", "note",
)  # fmt: skip
"""What a row holds, in this order; `task`, `setup`, `agent`, `status` and `outcome` are places in `names`."""

_NAMED: Final = ("task", "setup", "agent", "status", "outcome")
_NOTE_CHARS: Final = 160


def describe_index(runs: Sequence[ListedRun]) -> dict[str, JsonValue]:
    """The rows of all runs; words that many rows share stand once, in ``names``."""
    rows = [_describe_run(run) for run in runs]
    names: dict[str, list[JsonValue]] = {}
    for column in _NAMED:
        place = COLUMNS.index(column)
        names[column] = list(dict.fromkeys(row[place] for row in rows))
        numbers = {name: number for number, name in enumerate(names[column])}
        for row in rows:
            row[place] = numbers[row[place]]
    return {"columns": list(COLUMNS), "names": dict(names), "rows": list(rows)}


def name_agent(record: RunRecord) -> str:
    """Agent and model, as one choice."""
    return " with ".join(filter(None, [record.agent, record.model_name]))


def name_task(record: RunRecord) -> str:
    """Catalog and task, as one choice."""
    return f"{record.catalog}/{record.task}"


def _describe_run(run: ListedRun) -> list[JsonValue]:
    record = run.record
    note = cut_text(record.reason, most_chars=_NOTE_CHARS)
    return [
        record.run_id,
        *map(show_unseen, (name_task(record), record.setup, name_agent(record))),
        record.repetition,
        run.status,
        run.outcome,
        sum(verdict.outcome is CheckOutcome.PASS for verdict in record.verdicts),
        len(record.verdicts),
        record.usage.total_tokens,
        record.cost.total_usd,
        record.provider_calls,
        record.duration_s,
        record.started_at,
        show_unseen(note),
    ]
