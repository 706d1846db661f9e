"""A session of sealed bundles of runs that searched, made through the functions that real runs use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from plugin.small_project import make_task
from rooms.records_for_tests import SHOP, make_run, observe

from pytest_searchlight.domain import CatalogTask, Cost, RunStatus, SearchSetup, ToolCall
from pytest_searchlight.evidence import Scrubber, SessionFolder, open_bundle, seal_bundle
from pytest_searchlight.extensions import AgentTrace, Registry
from pytest_searchlight.grading import describe_files, describe_head, describe_unrun, grade_run
from pytest_searchlight.habit_lines import SessionHabits, read_habits
from pytest_searchlight.metering import MeteredCall, Metering
from pytest_searchlight.run_rows import PlannedRun, write_plan
from pytest_searchlight.summary_schema import ResultRow
from pytest_searchlight.validators import register_validators

PROMPT = (
    "Which colour has the sky above the harbour of Norrvik on a clear morning of November, and who says so?"
)
SOURCE = "https://colours.example/sky"
RIGHT, WRONG = '{"colour": "blue"}', '{"colour": "red"}'


def make_searched_task(**fields: Any) -> CatalogTask:  # noqa: ANN401 - any field of a task
    """A task with a prompt long enough to be recognised; `fields` replace what it has."""
    reference = {"excerpt": "The sky is blue.", "source": SOURCE, "event_date": "2026-01-01"}
    return CatalogTask.model_validate(
        make_task("sky", **{"prompt": PROMPT, "reference": reference, **fields})
    )


def meter_search(
    query: str,
    result: str | None = "1. Nothing much\n   URL: https://other.example/",
    **facts: Any,  # noqa: ANN401 - any field of a call
) -> MeteredCall:
    """A search that the metering proxy saw."""
    return _meter("find", {"query": query}, result, facts)


def meter_fetch(url: str, result: str | None = "A page.", **facts: Any) -> MeteredCall:  # noqa: ANN401
    """A fetch that the metering proxy saw."""
    return _meter("read", {"url": url}, result, facts)


def _meter(tool: str, arguments: Any, result: str | None, facts: dict[str, Any]) -> MeteredCall:  # noqa: ANN401
    seen = {
        "request_id": 1,
        "tool": tool,
        "arguments": arguments,
        "started_s": 0.0,
        "latency_s": 0.5,
        "request_bytes": 100,
        "model_visible_chars": None if result is None else len(result),
        "result_text": result,
        "outcome": "ok",
    }
    return MeteredCall.model_validate({**seen, **facts})


@dataclass
class SearchedSession:
    """A session to which runs are added; all runs are on one task unless they bring their own."""

    folder: SessionFolder
    task: CatalogTask

    def __post_init__(self) -> None:
        self.folder.create()
        self._numbers = count(1)

    def add_run(
        self,
        *metered: MeteredCall,
        setup: SearchSetup = SHOP,
        answer: str = WRONG,
        status: RunStatus = RunStatus.GRADED,
        reported: Sequence[ToolCall] = (),
        intact: bool = True,
        offloaded_chars: int | None = 0,
        task: CatalogTask | None = None,
    ) -> str:
        """Seal a run that made these calls, and give its id. It took 2.5 s."""
        number = next(self._numbers)
        run_id = f"small.sky.agent.{setup.name}.r{number}.0123456789"
        run = make_run(setup, run_id=run_id, repetition=number, task=task or self.task)
        trace = AgentTrace(
            status=status,
            reason="",
            answer_text=answer,
            tool_calls=tuple(reported),
            offloaded_chars=offloaded_chars,
        )
        metering = Metering(calls=metered, started=True, intact=intact) if setup.server else None
        registry = Registry()
        register_validators(registry)
        observed = replace(observe(trace, run=run, metering=metering), prompt=run.task.prompt)
        graded = grade_run(observed, registry=registry, price=lambda _: Cost())
        self._plan(run_id, graded.record)
        seal_bundle(
            open_bundle(self.folder, run_id),
            destination=self.folder.runs / run_id,
            head=describe_head(graded),
            files=describe_files(graded),
            scrub=Scrubber(()),
            sync=False,
        )
        return run_id

    def plan_run(self) -> None:
        """Plan a run that is never made."""
        number = next(self._numbers)
        run = make_run(SHOP, run_id=f"small.sky.agent.shop.r{number}.0", repetition=number, task=self.task)
        self._plan(run.run_id, describe_unrun(run, status=RunStatus.NOT_RUN, reason="over"))

    def _plan(self, run_id: str, record: Any) -> None:  # noqa: ANN401
        write_plan(self.folder, [PlannedRun(nodeid=f"catalogs/tasks.yaml::{run_id}", record=record)])

    def study(self) -> SessionHabits:
        """The session's habits."""
        return read_habits(self.folder)

    def study_lane(self) -> ResultRow:
        """The row of the session's only lane."""
        (lane,) = self.study().lanes
        return lane


def open_searched_session(root: Path, **fields: Any) -> SearchedSession:  # noqa: ANN401 - any field of a task
    """An empty session under `root` on a task with these fields."""
    return SearchedSession(SessionFolder(root), make_searched_task(**fields))
