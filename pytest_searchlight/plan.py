"""The dry run: which runs there would be, what they may use at most, and what would be skipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_searchlight.domain import TestRun
from pytest_searchlight.reporting import format_duration
from pytest_searchlight.session import BenchmarkSession


def describe_plan(runs: Sequence[TestRun], *, session: BenchmarkSession) -> Iterator[str]:
    """The runs, a line each, then their limits added up."""
    for run in runs:
        reason = session.explain_unfit(run)
        model = f" {run.model_name}" if run.model_name else ""
        note = f"  skipped: {reason}" if reason else ""
        yield f"{run.catalog}  {run.task.id}  {run.setup.name}  {run.agent}{model}  r{run.repetition}{note}"
    fit = [run for run in runs if session.explain_unfit(run) is None]
    yield f"{len(runs)} runs planned, {len(runs) - len(fit)} of them would be skipped"
    yield from _describe_limits(fit)


def _describe_limits(runs: Sequence[TestRun]) -> Iterator[str]:
    wall = sum(run.task.budgets.wall_clock_s for run in runs)
    yield f"at most {format_duration(wall)} of agent time, one after the other"
    calling = [run for run in runs if run.setup.kind.gives_tools]
    yield f"at most {_add_limits([run.task.budgets.provider_calls for run in calling])} provider calls"
    yield f"at most {_add_limits([run.task.budgets.tokens for run in runs])} tokens"


def _add_limits(limits: Sequence[int | None]) -> str:
    known = [limit for limit in limits if limit is not None]
    return f"{sum(known):,}" if len(known) == len(limits) else "an unlimited number of"
