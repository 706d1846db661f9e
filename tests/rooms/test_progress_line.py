"""When the progress line is shown, and that passes are told from failures."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pytest

from pytest_searchlight.reporting.progress import Progress


@dataclass
class Report:
    """One phase of an item, as pytest reports it."""

    nodeid: str
    when: str
    outcome: str = "passed"
    user_properties: list[tuple[str, object]] = field(default_factory=list)


def run_one(progress: Progress, name: str, outcome: str | None) -> None:
    """Report a run of the setup ``shop``; without an outcome its call phase never came."""
    told: list[tuple[str, object]] = [("setup", "shop"), ("status", "graded"), ("cost", "-"), ("calls", "1")]
    if outcome is not None:
        progress.add(Report(name, "call", outcome))
    assert progress.add(Report(name, "teardown", user_properties=told))


def test_only_a_call_phase_that_passed_is_a_pass() -> None:
    progress = Progress(planned=4)
    for number, outcome in enumerate(("passed", "failed", "skipped", None)):
        run_one(progress, str(number), outcome)
    assert (progress.passes["shop"], progress.graded["shop"], progress.calls) == (1, 4, 4)


@pytest.mark.parametrize(("age_s", "due"), [(3600, True), (0, False)])
def test_a_line_is_due_some_seconds_after_the_last_and_then_not_again(age_s: float, due: bool) -> None:
    progress = Progress(planned=2, _shown_at_s=time.monotonic() - age_s)
    assert [progress.is_due(), progress.is_due()] == [due, False]


def test_no_line_is_due_once_every_run_is_done() -> None:
    progress = Progress(planned=1, _shown_at_s=time.monotonic() - 3600)
    run_one(progress, "only", "passed")
    assert not progress.is_due()
