"""What is done about judges outside sessions: ``sew judge-audit`` and ``sew agree``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from plugin.small_project import Finished, Project, make_task

from pytest_searchlight.agreements import AGREEMENT_FILE, read_opinions
from pytest_searchlight.judge_audits import is_passed, locate_audits, read_audits
from pytest_searchlight.judges import LexicalJudge

if TYPE_CHECKING:
    from typing import Any

PAGE = "https://harbour.example/rules.html"
RULES = "<h1>Rules of the harbour</h1><p>Ships above 80 metres need a pilot. The pilot costs 300 crowns.</p>"
JUDGES_CONFTEST = """
import json

from judge_stage import ScriptedJudge
from plugin.scripted_agents import ScriptedAgent, answer


class AbsentJudge(ScriptedJudge):
    def explain_unavailable(self):
        return "it went out"


def answer_wrong(job):
    return answer(json.dumps(job.run.task.wrong_answers[0].answer))


def pytest_searchlight_register(registry):
    registry.agents.add("generous", ScriptedAgent("generous", answer_wrong))
    registry.judges.add("generous", ScriptedJudge(name="generous"))
    registry.judges.add("absent", AbsentJudge(name="absent"))
    registry.judges.add("silent", ScriptedJudge(name="silent", failures=100))
"""


def make_project(root: Path) -> Project:
    project = Project(root)
    project.write("conftest.py", JUDGES_CONFTEST)
    return project


# --- judge-audit -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Finished]:
    """A project whose embedded judge was audited, without naming it."""
    project = make_project(tmp_path_factory.mktemp("audited"))
    return project, project.sew("judge-audit")


def test_the_embedded_judge_is_audited_unless_another_is_named(audited: tuple[Project, Finished]) -> None:
    _, done = audited
    assert done.code == 1, done.err
    assert "judge lexical does NOT pass its audit" in done.out
    for line in ("accuracy", "false passes", "kappa", "turned", "injected-source"):
        assert line in done.out


def test_the_audit_is_kept_for_sessions_to_refer_to(audited: tuple[Project, Finished]) -> None:
    project, done = audited
    path = locate_audits(project.root)
    assert f"written: {path}" in done.out
    audit = read_audits(path).find(LexicalJudge())
    assert audit is not None
    assert not is_passed(audit)


def test_a_judge_that_passes_everything_does_not_pass_and_none_hides_that_another_is_out(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path)
    done = project.sew("judge-audit", "--judge", "absent,generous", "--json")
    assert done.code == 1
    assert "judge 'absent' is unavailable: it went out" in done.err
    (figures,) = json.loads(done.out)
    assert (figures["judge"], figures["model_name"], figures["passed"]) == ("generous", "scripted-1", False)
    assert figures["false_passes"]["rate"] > 0.8
    assert figures["kinds"]["wrong"]["rate"] == 0
    assert "wrong" in {case["kind"] for case in figures["went_wrong"]}


def test_an_unavailable_judge_leaves_no_audit(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    done = project.sew("judge-audit", "--judge", "absent")
    assert (done.code, done.out) == (1, "")
    assert not locate_audits(project.root).exists()


def test_a_judge_that_nobody_knows_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    done = make_project(tmp_path).sew("judge-audit", "--judge", "lexicall")
    assert done.code == 2
    assert "unknown judge 'lexicall'; did you mean 'lexical'?" in done.err


# --- agree -----------------------------------------------------------------------------------------------


def make_brief(claim: str) -> dict[str, Any]:
    return {"brief": claim, "claims": [{"text": claim, "citation_urls": [PAGE]}]}


def write_harbour(project: Project, *, fact: str = "Ships above 80 metres need a pilot.") -> None:
    """A catalog of one brief over a closed web of one page."""
    task = make_task(
        "pilots",
        prompt="Which ships need a pilot?",
        deliverable={
            "type": "object",
            "required": ["brief", "claims"],
            "properties": {"brief": {"type": "string"}, "claims": {"type": "array"}},
        },
        checks=[],
        rubric={"key_facts": [{"id": "length", "text": fact}]},
        reference_answer=make_brief("Ships above 80 metres need a pilot."),
        wrong_answers=[{"why": "length", "answer": make_brief("Ships above 60 metres need a pilot.")}],
    )
    project.write_catalog([task], agents=["oracle", "generous"])
    project.write("catalogs/small/web/harbour.example/rules.html", RULES)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """A session whose two briefs, a right and a wrong one, were judged by the embedded judge; and its folder.

    The page that both cite is gone since.
    """
    project = make_project(tmp_path_factory.mktemp("judged"))
    write_harbour(project)
    done = project.run("catalogs")
    assert {row["agent"]: row["passed"] for row in done.rows} == {"oracle": True, "generous": False}, done.out
    (project.root / "catalogs/small/web/harbour.example/rules.html").unlink()
    return project, str(done.folder)


def find_run(project: Project, agent: str) -> str:
    session = project.find_session()
    assert session is not None
    heads = {path.parent.name: json.loads(path.read_bytes()) for path in session.runs.glob("*/run.json")}
    return next(name for name, head in heads.items() if head["record"]["agent"] == agent)


@pytest.fixture(scope="module")
def opinion(judged: tuple[Project, str]) -> tuple[Project, Finished]:
    """The session with a second judge added."""
    project, folder = judged
    return project, project.sew("agree", folder, "--judge", "generous")


def test_a_second_judge_is_held_against_the_first_from_what_is_stored(
    opinion: tuple[Project, Finished],
) -> None:
    project, done = opinion
    assert done.code == 0, done.err
    assert "generous beside lexical, which decides" in done.out
    assert "verdicts  agreement 0.500 (1/2), kappa 0.000" in done.out
    assert f"disputed  {find_run(project, 'generous')}" in done.out


def test_the_agreement_is_stored_in_the_sessions_folder(opinion: tuple[Project, Finished]) -> None:
    project, done = opinion
    (path,) = project.root.glob(".searchlight/*/agreement.json")
    assert f"written: {path}" in done.out
    (stored,) = (each for each in json.loads(path.read_bytes())["opinions"] if each["second"] == "generous")
    assert (stored["second"], stored["model_name"], stored["changed"]) == ("generous", "scripted-1", [])
    assert stored["cost"]["unpriced"] == ["no price for model 'scripted-1' in prices.yaml"]
    (agreement,) = stored["agreements"]
    assert agreement["facts"] == {"pairs": 2, "agreed": 1, "kappa": 0.0}
    assert agreement["claims"] == {"pairs": 2, "agreed": 1, "kappa": 0.0}
    assert {run["run_id"]: (run["primary_passed"], run["second_passed"]) for run in agreement["runs"]} == {
        find_run(project, "oracle"): (True, True),
        find_run(project, "generous"): (False, True),
    }
    assert agreement["leans"] == [{"judge": "generous", "own_runs": 1, "other_runs": 1, "lean": 1.0}]


def test_a_second_judge_that_says_nothing_is_paired_with_nothing_and_replaces_no_other(
    judged: tuple[Project, str], opinion: tuple[Project, Finished]
) -> None:
    project, folder = judged
    assert opinion[1].code == 0
    done = project.sew("agree", folder, "--judge", "silent", "--json")
    assert done.code == 0, done.err
    (agreement,) = json.loads(done.out)["agreements"]
    assert agreement["verdicts"] == {"pairs": 0, "agreed": 0, "kappa": None}
    path = Path(folder) / AGREEMENT_FILE
    assert [each.second for each in read_opinions(path).opinions] == ["generous", "silent"]
    assert set(agreement["unpaired"]) == {find_run(project, agent) for agent in ("oracle", "generous")}


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("absent", "judge 'absent' is unavailable: it went out"),
        ("lexical", "no brief there was read by another judge than 'lexical'"),
    ],
)
def test_a_judge_that_cannot_be_second_is_refused(
    judged: tuple[Project, str], judge: str, message: str
) -> None:
    project, folder = judged
    done = project.sew("agree", folder, "--judge", judge)
    assert done.code == 2
    assert message in done.err


def test_runs_whose_task_was_changed_since_are_left_out(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    write_harbour(project)
    folder = str(project.run("catalogs").folder)
    write_harbour(project, fact="The pilot costs 300 crowns.")
    done = project.sew("agree", folder, "--judge", "generous")
    assert done.code == 1
    (line,) = (line for line in done.out.splitlines() if "changed since" in line)
    assert find_run(project, "oracle") in line
    assert find_run(project, "generous") in line
    assert "verdicts" not in done.out
