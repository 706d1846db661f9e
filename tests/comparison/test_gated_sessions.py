"""A session in CI: held against a baseline and to limits, in every way of running pytest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from comparison.drifting_agent import DRIFTER_CONFTEST
from plugin.small_project import Finished, Project

TASKS = [f"t{number:02}" for number in range(14)]
GATE = "--searchlight-fail-on=no-search: drop>5pp"
AGAINST_BASE = ("--searchlight-baseline=base", GATE)
SOUNDNESS = "--searchlight-exit=soundness"
WAYS = {"bare": (), "n2": ("-n2",)}


def prepare(project: Project, tasks: list[str]) -> Project:
    project.write("conftest.py", DRIFTER_CONFTEST)
    project.write_catalog(tasks, agents=["drifter"])
    done = project.run("catalogs", "--searchlight-output=base")
    assert done.code == 0, done.out
    return project


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a baseline in which every task passed; a test leaves no file behind in it."""
    return prepare(Project(tmp_path_factory.mktemp("gated")), TASKS)


@pytest.fixture
def measured(shared: Project) -> Project:
    """The same, whose agent has forgotten nothing yet."""
    for name in ("forgotten.txt", "lost.txt", "pytest.ini"):
        (shared.root / name).unlink(missing_ok=True)
    return shared


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def forget(project: Project, tasks: list[str]) -> None:
    project.write("forgotten.txt", "\n".join(tasks))


def read_gates(done: Finished) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((done.folder / "gates.json").read_bytes())
    return report


# --- regressions ------------------------------------------------------------------------------------------


def test_an_unchanged_agent_passes_and_is_told_what_could_have_been_seen(measured: Project) -> None:
    done = measured.run("catalogs", *AGAINST_BASE)
    assert done.code == 0, done.out
    assert "against baseline base:" in done.out
    assert "14/14 (100 %) -> 14/14 (100 %), no significant change" in done.out
    assert "passed, with a blind spot: this size can only show drops of 51 points or more" in done.out
    (result,) = read_gates(done)["results"]
    assert result["outcome"] == "warned"


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_significant_regression_fails_even_where_the_exit_code_tells_of_soundness(
    measured: Project, way: tuple[str, ...]
) -> None:
    forget(measured, TASKS[:10])
    done = measured.run("catalogs", *AGAINST_BASE, SOUNDNESS, *way)
    assert done.code == 1
    assert "FAILED: dropped by 71 points (95 %: " in done.out
    comparison = read_gates(done)["comparison"]
    assert [each["task"] for each in comparison["lanes"][0]["worse"]] == TASKS[:10]


def test_a_drop_that_may_be_chance_passes_with_a_warning(measured: Project) -> None:
    forget(measured, TASKS[:3])
    done = measured.run("catalogs", *AGAINST_BASE, SOUNDNESS)
    assert done.code == 0, done.out
    assert "21 points fewer passed, which is not significant" in done.out


def test_gates_do_not_make_wrong_answers_pass(measured: Project) -> None:
    forget(measured, TASKS[:1])
    assert measured.run("catalogs", *AGAINST_BASE).code == 1


@pytest.mark.parametrize("baseline", ["base", "base/summary.json", "base/runs.jsonl"])
def test_the_baseline_is_a_folder_or_either_of_its_files(measured: Project, baseline: str) -> None:
    forget(measured, TASKS[:10])
    done = measured.run("catalogs", f"--searchlight-baseline={baseline}", GATE, SOUNDNESS)
    assert done.code == 1
    assert read_gates(done)["comparison"]["lanes"][0]["paired"] is True


def test_a_summary_alone_is_a_baseline_too(measured: Project) -> None:
    (measured.root / "old.json").write_bytes((measured.root / "base/summary.json").read_bytes())
    forget(measured, TASKS[:10])
    done = measured.run("catalogs", "--searchlight-baseline=old.json", GATE, SOUNDNESS)
    assert done.code == 1
    (lane,) = read_gates(done)["comparison"]["lanes"]
    assert (lane["paired"], lane["tasks_checked"]) == (False, True)


def test_a_baseline_without_limits_is_compared_with_and_fails_nothing(measured: Project) -> None:
    forget(measured, TASKS)
    done = measured.run("catalogs", "--searchlight-baseline=base", SOUNDNESS)
    assert done.code == 0
    assert "dropped by 100 points" in done.out
    assert read_gates(done)["results"] == []


def test_a_session_without_gates_writes_no_record_of_them(measured: Project) -> None:
    done = measured.run("catalogs")
    assert not (done.folder / "gates.json").exists()
    assert "gate '" not in done.out


def test_runs_lost_to_faults_are_in_no_comparison(measured: Project) -> None:
    measured.write("lost.txt", "\n".join(TASKS))
    done = measured.run("catalogs", *AGAINST_BASE, SOUNDNESS)
    assert done.code == 1
    assert "FAILED for want of a measurement: not compared: no task was measured on both sides" in done.out


def test_a_changed_task_is_left_out_of_the_comparison(project: Project) -> None:
    prepare(project, ["sky", "sea"])
    catalog = project.root / "catalogs/small/tasks.yaml"
    text = catalog.read_text(encoding="utf-8")
    catalog.write_text(text.replace("Which colour has sea?", "Of which colour is sea?"), encoding="utf-8")
    done = project.run("catalogs", *AGAINST_BASE)
    (lane,) = read_gates(done)["comparison"]["lanes"]
    assert lane["left_out"]["changed_tasks"] == ["sea"]
    assert lane["tasks"] == 1
    assert "differs: catalog small" in done.out


def test_a_session_is_judged_again_when_it_is_regraded_or_resumed(measured: Project) -> None:
    forget(measured, TASKS[:10])
    done = measured.run("catalogs", SOUNDNESS)
    assert done.code == 0
    session = f".searchlight/{done.folder.name}"
    again = measured.run(f"--searchlight-regrade={session}", *AGAINST_BASE, SOUNDNESS)
    assert again.code == 1
    assert again.folder != done.folder
    assert (again.folder / "gates.json").exists()
    resumed = measured.run(f"--searchlight-resume={session}", *AGAINST_BASE, SOUNDNESS)
    assert resumed.code == 1
    assert "dropped by 71 points" in resumed.out


# --- pass rates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "code"), [("0.7", 0), ("0.72", 1)])
def test_a_rate_below_its_limit_fails(measured: Project, limit: str, code: int) -> None:
    forget(measured, TASKS[:4])
    done = measured.run("catalogs", f"--searchlight-fail-under=no-search={limit}", SOUNDNESS)
    assert done.code == code
    assert ("10/14 passed, of 14 planned: 71 % is below 72 %" in done.out) is (code == 1)


def test_a_rate_that_stands_on_too_few_runs_fails(measured: Project) -> None:
    """Three faults in a row, and the setup is deferred: the runs that are skipped then are lost too."""
    measured.write("lost.txt", "\n".join(TASKS[2:]))
    done = measured.run("catalogs", "--searchlight-fail-under=no-search=0.8")
    assert done.code == 1
    assert done.summary["counts"]["excluded"]["skipped"] == 9
    assert "2/2 passed, of 14 planned; had the 12 lost run(s) failed, it would be too few" in done.out


def test_limits_may_be_given_one_by_one_and_in_the_ini_file(measured: Project) -> None:
    measured.write(
        "pytest.ini",
        "[pytest]\nsearchlight_baseline = base\nsearchlight_fail_under = no-search=0.9\n"
        "searchlight_fail_on =\n  *: drop>5pp\n  no-search: drop>50pp\n",
    )
    forget(measured, TASKS[:10])
    done = measured.run("catalogs", SOUNDNESS)
    assert done.code == 1
    assert [each["outcome"] for each in read_gates(done)["results"]] == ["failed"] * 3
    (measured.root / "pytest.ini").unlink()
    both = ("--searchlight-fail-on=*: drop>90pp", "--searchlight-fail-on=no-search: drop>50pp")
    done = measured.run("catalogs", "--searchlight-baseline=base", *both, SOUNDNESS)
    assert [each["outcome"] for each in read_gates(done)["results"]] == ["passed", "failed"]


PYTHON_TASK = """
import pytest

@pytest.mark.searchlight(deliverable={"type": "object"}, agents=["drifter"], setups=["no-search"])
def test_sky(agent_run):
    '''Which colour has the sky?'''
    assert agent_run.answer is None
"""


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_python_tasks_are_held_to_limits_of_the_ini_file(project: Project, way: tuple[str, ...]) -> None:
    project.write("conftest.py", DRIFTER_CONFTEST)
    project.write("test_sky.py", PYTHON_TASK)
    project.write_catalog(["sky"], agents=["drifter"])
    assert project.run("catalogs", "--searchlight-output=base").code == 0
    project.write(
        "pytest.ini",
        "[pytest]\nsearchlight_fail_under = no-search=0.5,exa=0.5\nsearchlight_baseline = base\n",
    )
    done = project.run("test_sky.py", *way)
    assert done.code == 1
    assert "against baseline base: nothing in common" in done.out
    outcomes = {each["gate"]: each["outcome"] for each in read_gates(done)["results"]}
    assert outcomes["exa=0.5"] == "unmeasured"
    assert outcomes["no-search=0.5"] in {"passed", "failed"}


# --- refused before anything is spent ---------------------------------------------------------------------

WRONG = {
    (
        "--searchlight-fail-on=no-search: drop>5%",
        "--searchlight-baseline=base",
    ): "is no limit; write SETUP: drop>Npp",
    ("--searchlight-fail-on=no-search: drop>5pp",): "needs --searchlight-baseline to compare with",
    ("--searchlight-fail-on=no-serch: drop>5pp", "--searchlight-baseline=base"): "did you mean 'no-search'?",
    (
        "--searchlight-fail-on=floor: drop>5pp",
        "--searchlight-baseline=base",
    ): "holds for no setup of this session, which runs no-search",
    ("--searchlight-fail-under=80%",): "write RATE or SETUP=RATE, from 0 to 1",
    ("--searchlight-fail-under=floor=0.8",): "holds for no setup of this session, which runs no-search",
    ("--searchlight-fail-under=0.8",): "'0.8' holds for no setup of this session",
    ("--searchlight-baseline=nowhere",): "nowhere: no summary.json or runs.jsonl there",
    ("--searchlight-baseline=catalogs/small/tasks.yaml",): "not a readable summary",
    (
        "--searchlight-agent=oracle",
        *AGAINST_BASE,
    ): "'base' has nothing to hold 'no-search: drop>5pp' against: "
    "it has small, drifter: no-search, and this session runs small, oracle: no-search",
    ("--searchlight-agent=oracle", "--searchlight-baseline=base"): "has nothing to hold this session against",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_cannot_be_judged_is_refused_in_a_sentence(
    measured: Project, arguments: tuple[str, ...]
) -> None:
    before = measured.list_sessions()
    done = measured.run("catalogs", *arguments)
    assert done.code == 4
    assert WRONG[arguments] in done.err
    assert len(done.err.strip().splitlines()) == 1, done.err
    assert measured.list_sessions() == before


def test_it_is_refused_in_the_controller_of_a_distributed_session_too(measured: Project) -> None:
    done = measured.run("catalogs", GATE, "-n2")
    assert done.code == 4
    assert "needs --searchlight-baseline" in done.err
