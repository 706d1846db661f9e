"""How every way a run can end is told to pytest, to junit and to the rows; bare and distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import AGENTS_CONFTEST, Finished, Project

if TYPE_CHECKING:
    from pathlib import Path

FAILED = {
    "wrong": ("graded", "wrong"),
    "prose": ("graded", "malformed"),
    "stray": ("contaminated", "outside the contract"),
    "late": ("timeout", "its time was over"),
    "wasteful": ("budget_exhausted", "its own budget was used up"),
    "refuser": ("refused", "the model declined"),
    "odd": ("graded", "wrong answer"),
}
ERRORS = {
    "broken": ("agent_error", "it crashed"),
    "odd-broken": ("agent_error", "lone"),
    "toolless": ("setup_unavailable", "no tools came up"),
    "unserved": ("provider_error", "the provider is down"),
    "limited": ("rate_limited", "too many requests"),
}
SKIPPED = {"unfit": ("skipped", "unfit never searches")}
PASSED = ("right", "held-back", "recovering", "throwing")


@pytest.fixture(scope="module", params=[(), ("-n2",)], ids=["bare", "n2"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    project = Project(tmp_path_factory.mktemp("statuses"))
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky"])
    agents = ",".join([*FAILED, *ERRORS, *SKIPPED, *PASSED])
    return project.run(f"--searchlight-agent={agents}", "-rA", *request.param)


def test_every_kind_of_end_has_its_outcome(session: Finished) -> None:
    assert session.code == 1
    assert session.counts == {
        "passed": len(PASSED),
        "failed": len(FAILED),
        "errors": len(ERRORS),
        "skipped": len(SKIPPED),
    }


@pytest.mark.parametrize("agent", FAILED)
def test_what_counts_as_a_failure_is_failed_with_its_reason(session: Finished, agent: str) -> None:
    status, reason = FAILED[agent]
    assert session.get_row(agent=agent)["status"] == status
    assert f"FAILED catalogs/small/tasks.yaml::sky[{agent}-no-search-r1]" in session.out
    assert reason in find_section(session.out, agent)


@pytest.mark.parametrize("agent", ERRORS)
def test_a_fault_of_infrastructure_is_an_error_with_its_reason(session: Finished, agent: str) -> None:
    status, reason = ERRORS[agent]
    row = session.get_row(agent=agent)
    assert (row["status"], row["passed"]) == (status, None)
    assert f"ERROR catalogs/small/tasks.yaml::sky[{agent}-no-search-r1]" in session.out
    assert reason in find_section(session.out, agent)


def test_a_setup_that_an_agent_does_not_support_is_skipped_with_its_reason(session: Finished) -> None:
    assert session.get_row(agent="unfit")["status"] == "skipped"
    assert "unfit never searches" in session.out


@pytest.mark.parametrize("agent", PASSED)
def test_a_right_answer_passes(session: Finished, agent: str) -> None:
    row = session.get_row(agent=agent)
    assert (row["status"], row["passed"]) == ("graded", True)


def test_a_call_that_was_held_back_is_flagged_and_changes_nothing(session: Finished) -> None:
    assert "calls-in-contract" in session.get_row(agent="held-back")["flags"]


def test_only_faults_of_infrastructure_are_tried_again(session: Finished) -> None:
    attempts = {row["agent"]: row["attempts"] for row in session.rows}
    assert {attempts[agent] for agent in ERRORS} == {3}
    assert {attempts[agent] for agent in (*FAILED, "right", "held-back")} == {1}
    assert attempts["recovering"] == attempts["throwing"] == 2
    assert attempts["unfit"] == 0


def test_each_earlier_attempt_has_a_sealed_folder_of_its_own(session: Finished) -> None:
    assert session.session is not None
    kept = [folder.name for folder in session.session.attempts.iterdir() if (folder / "run.json").is_file()]
    assert len(kept) == 2 * len(ERRORS) + 2
    assert sum(".recovering." in name for name in kept) == 1


def test_a_recovered_run_counts_by_its_last_attempt_only(session: Finished) -> None:
    (lane,) = (lane for lane in session.summary["results"] if lane["agent"] == "recovering")
    assert (lane["planned"], lane["passes"], sum(lane["excluded"].values())) == (1, 1, 0)


def test_junit_carries_the_facts_of_every_run(session: Finished) -> None:
    properties = session.read_properties()
    assert len(properties) == len(session.rows)
    for row in session.rows:
        facts = properties[f"sky[{row['agent']}-no-search-r1]"]
        assert facts["status"] == row["status"]
        assert (facts["setup"], facts["agent"], facts["repetition"]) == ("no-search", row["agent"], "1")
        assert set(facts) == {"setup", "agent", "model", "repetition", "status", "tokens", "cost", "calls"}


def test_junit_shows_a_dash_for_what_is_unknown(session: Finished) -> None:
    facts = session.read_properties()["sky[broken-no-search-r1]"]
    assert (facts["tokens"], facts["model"]) == ("-", "-")


def test_odd_strings_reach_reports_as_plain_text(session: Finished) -> None:
    shown = session.out + session.junit_file.read_text(encoding="utf-8")
    assert not set(shown) & {"\x00", "\x1b", "\u2028"}
    assert len(find_section(session.out, "odd-broken")) < 10_000


def test_odd_strings_are_kept_whole_in_the_evidence(session: Finished) -> None:
    assert session.session is not None
    (bundle,) = session.session.runs.glob("small.sky.odd.*")
    text = (bundle / "answer.txt").read_text(encoding="utf-8")
    assert len(text) > 200_000
    assert "\x00" in text


def test_counts_of_the_summary_reconcile(session: Finished) -> None:
    counts = session.summary["counts"]
    assert counts["planned"] == counts["passes"] + counts["failures"] + sum(counts["excluded"].values())
    assert counts["failures"] == len(FAILED)
    assert counts["contaminated"] == 1
    assert counts["excluded"]["agent_error"] == 2


def test_the_table_shows_coverage_and_says_what_was_left_out(session: Finished) -> None:
    assert (
        "not counted: 1 setup_unavailable, 2 agent_error, 1 provider_error, 1 rate_limited, 1 skipped"
        in session.out
    )
    line = next(line for line in session.out.splitlines() if " broken " in line and "no-search" in line)
    assert " 0/1 " in line
    assert "%" not in line


def test_nothing_is_left_behind(session: Finished) -> None:
    scratch: Path = session.junit_file.parent / "scratch"
    assert [path.name for path in scratch.glob("searchlight-*")] == []


def find_section(out: str, agent: str) -> str:
    """What pytest printed below a run's headline."""
    _, _, rest = out.partition(f" sky[{agent}-no-search-r1] ")
    return rest.partition("\n_")[0]


BROKEN_RULE = """

def look_closely(observed):
    raise LookupError("no such lens")

def pytest_searchlight_register(registry):
    registry.audit_rules.add("close-look", look_closely)
"""


def test_an_audit_rule_that_fails_costs_the_grade_and_not_the_session(project: Project) -> None:
    project.write("conftest.py", BROKEN_RULE)
    project.write_catalog(["sky", "sea"])
    done = project.run("--searchlight-agent=oracle")
    assert done.counts == {"errors": 2}
    assert "ungraded: audit rule 'close-look' of conftest failed on run small.sky.oracle" in done.out
    assert "LookupError: no such lens" in done.out
    assert "Traceback" not in done.out + done.err
    assert done.summary["counts"]["planned"] == 2
    assert "not counted: 2 ungraded" in done.out
    assert "go on with what is missing" not in done.out
    project.write("conftest.py", "")
    again = project.run("--searchlight-resume")
    assert again.summary["counts"]["passes"] == 2
