"""What planned runs will cost, going by what like runs cost in the project's past sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from pydantic import ValidationError

from pytest_searchlight.domain import RunRecord, TestRun

_Place = tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class ExpectedCost:
    """What the planned runs should cost together.

    Attributes:
        total_usd: for the runs that past ones tell of; None when they tell of none.
        known_runs: how many planned runs that are.
        past_runs: how many past runs it rests on.
    """

    total_usd: float | None
    known_runs: int
    past_runs: int


def expect_cost(runs: Sequence[TestRun], *, state: Path) -> ExpectedCost:
    """Add up, for each of `runs`, the mean of its task's past runs under the same setup, agent and model.

    Where the task itself was never run so, all tasks that were stand in for it.

    Args:
        runs: what is planned.
        state: the folder of past sessions; one that cannot be read tells nothing.
    """
    of_task, of_lane = defaultdict[_Place, list[float]](list), defaultdict[_Place, list[float]](list)
    places = [(_name_lane(run), (run.catalog, run.task.id)) for run in runs]
    lanes, told = {lane for lane, _ in places}, 0
    for record, cost_usd in _list_past(state):
        if (lane := _name_lane(record)) in lanes:
            of_task[(*lane, record.catalog, record.task)].append(cost_usd)
            of_lane[lane].append(cost_usd)
            told += 1
    means = [fmean(known) for lane, task in places if (known := of_task.get(lane + task) or of_lane[lane])]
    return ExpectedCost(total_usd=sum(means) if means else None, known_runs=len(means), past_runs=told)


def _name_lane(run: TestRun | RunRecord) -> _Place:
    return run.agent, run.model_name, run.setup if isinstance(run, RunRecord) else run.setup.name


def _list_past(state: Path) -> Iterator[tuple[RunRecord, float]]:
    """The runs of past sessions whose cost is known, with it; one that was graded again counts once."""
    seen = set[tuple[str, str | None]]()
    for record in _read_rows(sorted(state.glob("*/runs.jsonl"))):
        made = record.run_id, record.started_at
        if record.cost.total_usd is not None and record.attempts and made not in seen:
            seen.add(made)
            yield record, record.cost.total_usd


def _read_rows(files: Iterable[Path]) -> Iterator[RunRecord]:
    for file in files:
        try:
            with file.open("rb") as lines:
                yield from map(RunRecord.model_validate_json, lines)
        except (OSError, ValidationError):
            continue  # written by another version, or cut off: it has nothing to say
