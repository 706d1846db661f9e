"""The budgets of a session: the options ``--searchlight-max-...``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import AGENTS_CONFTEST, Project

if TYPE_CHECKING:
    from plugin.small_project import Finished

TASKS = [f"task-{number}" for number in range(1, 9)]
TOKENS_A_RUN = 1000


@pytest.fixture
def spending(project: Project) -> Project:
    """A project of eight runs, each of which uses 1,000 tokens."""
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(TASKS, agents=["spender"])
    return project


def count_skipped(done: Finished) -> int:
    return int(done.summary["counts"]["excluded"]["skipped"])


def test_once_the_tokens_are_spent_no_run_is_started(spending: Project) -> None:
    done = spending.run("--searchlight-max-tokens=2500", "-rs")
    assert done.code == 0
    assert done.counts == {"passed": 3, "skipped": 5}
    assert count_skipped(done) == 5
    assert "session budget used up: 3000 of 2500 tokens spent (--searchlight-max-tokens)" in done.out


def test_workers_share_one_budget_and_exceed_it_by_no_more_than_what_was_in_flight(spending: Project) -> None:
    done = spending.run("--searchlight-max-tokens=3000", "-n2")
    used = sum(row["status"] == "graded" for row in done.rows) * TOKENS_A_RUN
    assert 3000 <= used <= 3000 + 1 * TOKENS_A_RUN
    assert count_skipped(done) + used // TOKENS_A_RUN == len(TASKS)


def test_a_budget_of_nothing_lets_nothing_run(spending: Project) -> None:
    assert spending.run("--searchlight-max-wall-clock-s=0").counts == {"skipped": 8}
    assert spending.run("--searchlight-max-provider-calls=0").counts == {"skipped": 8}
    assert spending.run("--searchlight-max-cost-usd=0").counts == {"skipped": 8}


def test_after_an_attempt_of_unknown_use_no_budget_can_be_held(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"], agents=["uncounted"])
    done = project.run("--searchlight-max-tokens=5", "-rs")
    assert done.counts == {"passed": 1, "skipped": 1}
    assert (
        "session budget cannot be held: tokens of 1 attempt(s) unknown (--searchlight-max-tokens)" in done.out
    )


def test_failed_attempts_spend_too(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"], agents=["costly-fault"])
    done = project.run("--searchlight-max-tokens=2500", "--searchlight-repetitions=2")
    assert done.summary["counts"]["excluded"] == {
        **done.summary["counts"]["excluded"],
        "skipped": 3,
        "agent_error": 1,
    }


def test_a_resumed_session_remembers_what_it_spent_and_goes_on_with_a_larger_budget(
    spending: Project,
) -> None:
    spending.run("--searchlight-max-tokens=2500")
    again = spending.run("--searchlight-resume")
    assert again.counts == {"passed": 3, "skipped": 5}
    more = spending.run("--searchlight-resume", "--searchlight-max-tokens=5000")
    assert more.counts == {"passed": 5, "skipped": 3}


def test_the_ini_twins_are_defaults(spending: Project) -> None:
    spending.write("pytest.ini", "[pytest]\nsearchlight_max_tokens = 1\nsearchlight_max_wall_clock_s = 60\n")
    done = spending.run("catalogs")
    assert count_skipped(done) == 7
    assert done.summary["session"]["options"]["max_wall_clock_s"] == 60
