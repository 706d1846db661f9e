"""The dry run: which runs there would be, what they may use at most, and what would be skipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_searchlight.costs.expectation import expect_cost
from pytest_searchlight.domain import TestRun
from pytest_searchlight.reporting.texts import format_duration, format_usd
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.settings import STATE_FOLDER


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
    yield _describe_cost(fit, session)
    yield from _describe_resolution(fit)


def _describe_limits(runs: Sequence[TestRun]) -> Iterator[str]:
    wall = sum(run.task.budgets.wall_clock_s for run in runs)
    yield f"at most {format_duration(wall)} of agent time, one after the other"
    calling = [run for run in runs if run.setup.kind.gives_tools]
    yield f"at most {_add_limits([run.task.budgets.provider_calls for run in calling])} provider calls"
    yield f"at most {_add_limits([run.task.budgets.tokens for run in runs])} tokens"


def _describe_cost(runs: Sequence[TestRun], session: BenchmarkSession) -> str:
    expected = expect_cost(runs, state=session.settings.root / STATE_FOLDER)
    if expected.total_usd is None:
        return "expected cost unknown: no past session tells what such runs cost"
    past_runs = _count(expected.past_runs, "past run")
    told = f"expected cost {format_usd(expected.total_usd)}, going by {past_runs}"
    unknown = len(runs) - expected.known_runs
    return f"{told}; nothing is known of {unknown} of the {len(runs)} runs" if unknown else told


def _describe_resolution(runs: Sequence[TestRun]) -> Iterator[str]:
    tasks = {(run.catalog, run.task.id) for run in runs if not run.task.control}
    repetitions = max((run.repetition for run in runs), default=0)
    if not tasks:
        return
    from pytest_searchlight.stats.resolution import ASSUMED_SPREAD, tell_resolution  # loads scipy

    tests = len({run.setup.name for run in runs if run.setup.kind.gives_tools}) or 1
    found = tell_resolution(ASSUMED_SPREAD, tasks=len(tasks), repetitions=repetitions, tests=tests)
    size = f"{_count(len(tasks), 'task')} x {_count(repetitions, 'repetition')}"
    which = "between two setups" if tests == 1 else f"in one of {tests} comparisons with a reference"
    difference, needed = found.detectable_difference, found.tasks_for_10_points
    if difference.value is None:
        yield f"{size} could show no difference {which}: {difference.reason}"
    else:
        yield f"{size} could show a difference of {100 * difference.value:.0f} points {which}"
    if needed.value is not None:
        yield f"10 points would take {needed.value} tasks at that many repetitions"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _add_limits(limits: Sequence[int | None]) -> str:
    known = [limit for limit in limits if limit is not None]
    return f"{sum(known):,}" if len(known) == len(limits) else "an unlimited number of"
