"""The habits of one run, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import NonNegativeFloat, NonNegativeInt

from pytest_searchlight.domain import Record, RunRecord, SetupKind, Task
from pytest_searchlight.evidence import SealedBundle
from pytest_searchlight.searching.calls import WebCall, measure_covered_s, read_web_calls
from pytest_searchlight.searching.contamination import Sign, scan_calls
from pytest_searchlight.searching.primary_source import Access, find_access
from pytest_searchlight.searching.queries import QueryTraits, count_reformulations, describe_query
from pytest_searchlight.searching.results import found_nothing


class RunHabits(Record):
    """How one run searched. Refused calls are counted as such and as nothing else.

    `told_searches` are those whose result tells whether there were hits; `empty_searches` of them had none.
    `shown_chars` is what all results together showed the model. `provider_s` is the time in seconds during
    which at least one call waited for the provider. `access` and `signs` are None when the task, or a result
    that they depend on, is not known; `access` also where the prompt holds the answer.
    """

    searches: NonNegativeInt
    fetches: NonNegativeInt
    queries: tuple[QueryTraits, ...]
    reformulations: NonNegativeInt
    told_searches: NonNegativeInt
    empty_searches: NonNegativeInt
    refused_calls: NonNegativeInt
    shown_chars: NonNegativeInt | None
    provider_s: NonNegativeFloat | None
    access: Access | None
    signs: tuple[Sign, ...] | None

    @property
    def is_fetch_only(self) -> bool:
        """Whether the run fetched pages and never searched."""
        return self.fetches > 0 and self.searches == 0


@dataclass(frozen=True, kw_only=True)
class StudiedRun:
    """A measured run: its row, and its habits."""

    record: RunRecord
    habits: RunHabits


def study_run(bundle: SealedBundle, record: RunRecord, *, task: Task | None) -> StudiedRun:
    """Read a run's habits from its bundle.

    Args:
        bundle: the sealed bundle of a run that was made.
        record: its row.
        task: the task as the catalog has it, or None when the catalog has another or none. A task that was
            changed since the run in what it asks or in how it is graded is not taken for the run's.

    Raises:
        pydantic.ValidationError: a line of the bundle is not of its kind.
    """
    same = task is not None and _is_task_of(record, task, prompt=bundle.read_text("prompt.md"))
    habits = measure_habits(read_web_calls(bundle), task=task if same else None, kind=record.setup_kind)
    return StudiedRun(record=record, habits=habits)


def _is_task_of(record: RunRecord, task: Task, *, prompt: str) -> bool:
    return task.grading_hash == record.grading_hash and task.prompt in prompt


def measure_habits(calls: Sequence[WebCall], *, task: Task | None, kind: SetupKind) -> RunHabits:
    """The habits that show in the web calls of a run under a setup of this kind."""
    made = [call for call in calls if not call.refused]
    searches = [call.queries for call in made if call.searches]
    told = [_tell_empty(call) for call in made if call.searches]
    return RunHabits(
        searches=len(searches),
        fetches=sum(call.fetches for call in made),
        queries=tuple(describe_query(query) for queries in searches for query in queries),
        reformulations=count_reformulations(searches),
        told_searches=sum(nothing is not None for nothing in told),
        empty_searches=sum(nothing is True for nothing in told),
        refused_calls=len(calls) - len(made),
        shown_chars=_add_chars(made),
        provider_s=_measure_provider_s(made),
        access=_find_access(made, task=task, kind=kind),
        signs=None if task is None else scan_calls(made, task),
    )


def _tell_empty(call: WebCall) -> bool | None:
    """Whether a search found nothing. Some servers say that by way of an error; other errors tell nothing."""
    nothing = found_nothing(call.result_text)
    return nothing if call.succeeded or (nothing and call.result_text) else None


def _add_chars(calls: Sequence[WebCall]) -> int | None:
    shown = [call.shown_chars for call in calls]
    return None if None in shown else sum(filter(None, shown))


def _measure_provider_s(calls: Sequence[WebCall]) -> float | None:
    spans_s = [call.span_s for call in calls if call.span_s is not None]
    return measure_covered_s(spans_s) if len(spans_s) == len(calls) else None


def _find_access(calls: Sequence[WebCall], *, task: Task | None, kind: SetupKind) -> Access | None:
    if task is None or task.reference is None or kind is SetupKind.CEILING:
        return None
    return find_access(calls, source=task.reference.source)
