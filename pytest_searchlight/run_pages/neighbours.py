"""Which runs a reader goes to from a run: the others of its task, and its cell under the other setups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from pytest_searchlight.run_pages.listing import ListedRun


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """The neighbours of a run.

    Attributes:
        previous: the run of the same task before it in the plan, None for the first.
        following: the one behind it, None for the last.
        cell: the same task, agent, model and repetition under every setup, this one included.
    """

    previous: ListedRun | None
    following: ListedRun | None
    cell: tuple[ListedRun, ...]


class Neighbourhood:
    """The runs of a session by what they have in common."""

    def __init__(self, runs: Sequence[ListedRun]) -> None:
        self._of_task = _group(runs, _name_task)
        self._of_cell = _group(runs, _name_cell)

    def find(self, run: ListedRun) -> Neighbours:
        """The neighbours of `run`."""
        same_task = self._of_task[_name_task(run)]
        place = same_task.index(run)
        return Neighbours(
            previous=same_task[place - 1] if place else None,
            following=same_task[place + 1] if place + 1 < len(same_task) else None,
            cell=tuple(self._of_cell[_name_cell(run)]),
        )


def _group(
    runs: Sequence[ListedRun], key: Callable[[ListedRun], Hashable]
) -> dict[Hashable, list[ListedRun]]:
    groups: defaultdict[Hashable, list[ListedRun]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(run)
    return groups


def _name_task(run: ListedRun) -> Hashable:
    return run.record.catalog, run.record.task


def _name_cell(run: ListedRun) -> Hashable:
    record = run.record
    return record.catalog, record.task, record.agent, record.model_name, record.repetition
