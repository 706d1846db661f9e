from __future__ import annotations

from typing import TYPE_CHECKING

from plugin.scripted_agents import count_notes
from plugin.small_project import AGENTS_CONFTEST, make_task

if TYPE_CHECKING:
    from plugin.small_project import Project

BUDGETS = {"wall_clock_s": 90, "tokens": 1000, "provider_calls": 5}


def test_a_plan_lists_the_runs_and_runs_none(project: Project, way: tuple[str, ...]) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog([make_task("sky", budgets=BUDGETS)], agents=["right", "unfit"])
    done = project.run("--searchlight-plan", "--searchlight-setup=no-search,closed-web", *way)
    assert done.code == 0, done.out
    assert "small  sky  no-search  right  r1\n" in done.out
    assert "small  sky  no-search  unfit  r1  skipped: unfit never searches" in done.out
    assert "4 runs planned, 3 of them would be skipped" in done.out
    assert "results in" not in done.out
    assert count_notes(project.root, "attempt") == 0


def test_a_plan_adds_up_the_limits_of_what_would_run(project: Project) -> None:
    (project.root / "catalogs/small/web").mkdir(parents=True)
    project.write_catalog([make_task("sky", budgets=BUDGETS), make_task("sea", budgets=BUDGETS)])
    done = project.run("--searchlight-plan", "--searchlight-setup=no-search,closed-web")
    assert "at most 6:00 of agent time, one after the other" in done.out
    assert "at most 10 provider calls" in done.out
    assert "at most 4,000 tokens" in done.out


def test_a_plan_leaves_no_folder(project: Project) -> None:
    project.write_catalog(["sky"])
    project.run("--searchlight-plan")
    assert not (project.root / ".searchlight").exists()
    assert project.list_leftovers() == []


def test_a_plan_checks_what_a_session_would_check(project: Project) -> None:
    project.write_catalog(["sky"])
    done = project.run(
        "--searchlight-plan", "--searchlight-agent=baseline", "--searchlight-setup=exa", EXA_API_KEY=""
    )
    assert done.code == 4
    assert "EXA_API_KEY" in done.err


def test_the_ini_twin_is_a_default(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_plan = true\n")
    assert "1 runs planned" in project.run("catalogs").out


def test_a_plan_expects_the_cost_that_like_runs_had(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"])
    arguments = ("catalogs", "--searchlight-agent=right", "--searchlight-repetitions=2")
    assert "expected cost unknown" in project.run(*arguments, "--searchlight-plan").out
    measured = project.run("catalogs", "--searchlight-agent=right", "--searchlight-task=sky")
    rows = measured.folder / "runs.jsonl"
    rows.write_text(rows.read_text().replace('"agent_usd": 0.0', '"agent_usd": 0.25'))
    planned = project.run(*arguments, "--searchlight-setup=no-search,floor", "--searchlight-plan").out
    expected = "expected cost $1.00, going by 1 past run; nothing is known of 4 of the 8 runs"
    assert expected in planned, "the other task stands in for the one that was never run"


def test_a_past_run_that_was_graded_again_counts_once_and_unreadable_sessions_tell_nothing(
    project: Project,
) -> None:
    project.write_catalog(["sky"])
    done = project.run("catalogs")
    project.run(f"--searchlight-regrade={done.folder}")
    project.write(".searchlight/broken/runs.jsonl", '{"run_id": 3}\n')
    assert "going by 1 past run\n" in project.run("catalogs", "--searchlight-plan").out
