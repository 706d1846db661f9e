"""The fixtures of a test run. Agent and grading work happens here, in the setup phase.

So a fault of infrastructure is an ERROR, a setup that cannot run is a SKIP, and only what the call phase
asserts about a measured answer is a FAILURE.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pydantic import JsonValue

    from pytest_searchlight.domain import RunRecord, Score, TestRun, ToolCall
    from pytest_searchlight.grading import GradedRun
    from pytest_searchlight.items.live import LiveRun
    from pytest_searchlight.runner import MeteringProxy, OpenWorkspace


@dataclass(frozen=True)
class AgentRun:
    """A finished run, for assertions.

    A test written in Python reads `answer`, `text` and `tool_calls`; a catalog's checks are in `verdict`.
    """

    live: LiveRun
    graded: GradedRun

    @property
    def answer(self) -> JsonValue:
        """The deliverable as JSON, or None when the final message holds none."""
        return None if self.graded.answer is None else self.graded.answer.deliverable

    @property
    def text(self) -> str:
        """The whole final message."""
        return self.graded.observed.trace.answer_text or ""

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Every tool call the agent reported, in order."""
        return self.graded.observed.trace.tool_calls

    @property
    def record(self) -> RunRecord:
        """The run's row: status, usage, cost, calls, audit flags."""
        return self.graded.record

    @property
    def score(self) -> Score:
        """All verdicts on the answer."""
        return self.graded.score

    @property
    def evidence(self) -> str:
        """Where the evidence bundle is or will be."""
        folder = self.live.folder or self.live.session.folder.runs / self.live.run.run_id
        return str(folder)


@pytest.fixture
def searchlight_run(pytestconfig: pytest.Config) -> TestRun:
    """The run behind this item: task, search setup, agent, model, repetition."""
    from pytest_searchlight.items.collection import ITEM_KEY, RUN_KEY

    return pytestconfig.stash[ITEM_KEY].stash[RUN_KEY]


@pytest.fixture(scope="session")
def workspace(pytestconfig: pytest.Config) -> OpenWorkspace:
    """Opens a fresh scratch folder for each attempt at the run; override it to put files there first."""
    from pytest_searchlight.items.collection import SESSION_KEY

    return pytestconfig.stash[SESSION_KEY].open_workspace


@pytest.fixture
def metering_proxy(pytestconfig: pytest.Config, searchlight_run: TestRun) -> MeteringProxy | None:
    """The proxy between the agent and the provider's server; None when the run has no server."""
    from pytest_searchlight.items.collection import SESSION_KEY

    return pytestconfig.stash[SESSION_KEY].make_proxy(searchlight_run)


@pytest.fixture
def agent_run(
    pytestconfig: pytest.Config,
    searchlight_run: TestRun,
    workspace: OpenWorkspace,
    metering_proxy: MeteringProxy | None,
) -> Iterator[AgentRun]:
    """The run, made, audited and graded: what the agent did and answered.

    A catalog's run is stored before the call phase. A test written in Python is stored after it, since its
    assertions are the checks.
    """
    from pytest_searchlight.items import phases
    from pytest_searchlight.items.collection import ITEM_KEY

    item = pytestconfig.stash[ITEM_KEY]
    live = phases.start(item, searchlight_run)
    phases.bring_about(item, live, open_workspace=workspace, proxy=metering_proxy)
    yield AgentRun(live, phases.require_graded(item, live))
    phases.finish(item, live)


@pytest.fixture
def verdict(agent_run: AgentRun) -> Score:
    """All verdicts on the answer; an ERROR when they could not be reached."""
    if agent_run.score.passed is None and agent_run.record.status == "ungraded":
        pytest.fail(f"ungraded: {agent_run.record.reason}", pytrace=False)
    return agent_run.score
