"""Runs, records and observations, with what a test does not care about filled in."""

from __future__ import annotations

from typing import Any

from plugin.small_project import make_task

from pytest_searchlight.domain import (
    Cost,
    RunRecord,
    RunStatus,
    SearchFacts,
    SearchSetup,
    ServerPin,
    SetupKind,
    Task,
    TestRun,
    ToolPin,
    Usage,
)
from pytest_searchlight.extensions import AgentTrace, ObservedRun
from pytest_searchlight.grading import describe_unrun
from pytest_searchlight.metering import MeteredCall, MeteredTool, Metering
from pytest_searchlight.searching import study_run

NO_SEARCH = SearchSetup(name="no-search", kind=SetupKind.NO_SEARCH)
SHOP = SearchSetup(
    name="shop",
    kind=SetupKind.PROVIDER,
    server=ServerPin(version="1", command=("shop-server",)),
    tools=(ToolPin(name="find"), ToolPin(name="read")),
)


def make_run(setup: SearchSetup = NO_SEARCH, **facts: Any) -> TestRun:  # noqa: ANN401 - any field of a run
    """A test run; `facts` replace what it has."""
    return TestRun(
        **{
            "run_id": "small.sky.agent.setup.r1.0123456789",
            "identity": "0123456789",
            "catalog": "small",
            "task": Task.model_validate(make_task("sky")),
            "setup": setup,
            "agent": "agent",
            "model_name": None,
            "repetition": 1,
            **facts,
        }
    )


def make_record(**facts: Any) -> RunRecord:  # noqa: ANN401 - any field of a record
    """The record of a measured run that passed; `facts` replace what it has."""
    unrun = describe_unrun(make_run(), status=RunStatus.NOT_RUN, reason="")
    measured = {
        "status": RunStatus.GRADED,
        "passed": True,
        "usage": Usage(input_tokens=10, output_tokens=5),
        "cost": Cost(agent_usd=0.25, provider_usd=0.0),
        "provider_calls": 2,
        "provider_latencies_s": (0.5, 1.5),
        "duration_s": 3.0,
    }
    return unrun.model_copy(update={**measured, **facts})


def make_searching(**facts: Any) -> SearchFacts:  # noqa: ANN401 - any fact
    """How a run searched that searched for nothing; `facts` replace what it has."""
    return study_run(observe()).facts.model_copy(update=facts)


def observe(
    trace: AgentTrace | None = None,
    *,
    run: TestRun | None = None,
    metering: Metering | None = None,
    own_tools: frozenset[str] = frozenset(),
) -> ObservedRun:
    """What was observed of a run that ended well with the right answer, unless something else is given."""
    return ObservedRun(
        run=run or make_run(),
        prompt="Which colour has the sky?",
        trace=trace or AgentTrace(status=RunStatus.GRADED, answer_text='{"colour": "blue"}'),
        metering=metering,
        own_tools=own_tools,
        agent_version="1.0",
        attempts=1,
        started_at="2026-11-30T12:00:00.000+00:00",
        duration_s=2.5,
    )


def meter_calls(*outcomes: str, listed: bool = True) -> Metering:
    """What the metering proxy saw of calls to the shop that ended so."""
    calls = [
        MeteredCall.model_validate(
            {"request_id": i, "tool": "find", "started_s": 0, "request_bytes": 1, "outcome": outcome}
        )
        for i, outcome in enumerate(outcomes)
    ]
    return Metering(
        started=True,
        tools_listed=listed,
        tools=tuple(
            MeteredTool(name=tool.name, description_chars=0, schema_sha256="0")
            for tool in SHOP.tools
            if listed
        ),
        calls=tuple(calls),
        stderr_tail="no key",
        recording_incomplete=False,
    )
