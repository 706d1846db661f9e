"""Briefs are judged against the pages they cite, once, and again from what is kept."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from plugin.small_project import AGENTS_CONFTEST, make_task

from pytest_searchlight.judges import support

if TYPE_CHECKING:
    from plugin.small_project import Project

PAGE = "https://harbour.example/rules.html"
RULES = "<h1>Rules of the harbour</h1><p>Ships above 80 metres need a pilot. The pilot costs 300 crowns.</p>"


OTHER_JUDGE = """
from dataclasses import dataclass
from typing import ClassVar

from pytest_searchlight.judges import LexicalJudge

@dataclass(frozen=True)
class Solomon(LexicalJudge):
    name: ClassVar[str] = "solomon"

def pytest_searchlight_register(registry):
    registry.judges.add("solomon", Solomon())
"""


def make_brief(claim: str) -> dict[str, Any]:
    return {"brief": claim, "claims": [{"text": claim, "citation_urls": [PAGE]}]}


@pytest.fixture
def harbour(project: Project) -> Project:
    """A project whose one task is a brief over a closed web of one page."""
    project.write("conftest.py", AGENTS_CONFTEST)
    task = make_task(
        "pilots",
        prompt="Which ships need a pilot?",
        deliverable={
            "type": "object",
            "required": ["brief", "claims"],
            "properties": {"brief": {"type": "string"}, "claims": {"type": "array"}},
        },
        checks=[],
        rubric={"key_facts": [{"id": "length", "text": "Ships above 80 metres need a pilot."}]},
        reference_answer=make_brief("Ships above 80 metres need a pilot."),
        wrong_answers=[
            {"why": "another length", "answer": make_brief("Ships above 60 metres need a pilot.")}
        ],
    )
    project.write_catalog([task])
    project.write("catalogs/small/web/harbour.example/rules.html", RULES)
    return project


def read_judgement(project: Project, folder: str) -> dict[str, Any]:
    (path,) = (project.root / ".searchlight" / folder).glob("runs/*/judgement.json")
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


def test_a_brief_that_its_source_supports_passes_and_the_judgement_is_kept(harbour: Project) -> None:
    done = harbour.run("catalogs")
    (row,) = done.rows
    assert (row["status"], row["passed"]) == ("graded", True), done.out
    assert {"kind": "rubric", "target": "lexical", "outcome": "pass"} in row["verdicts"]
    assert (row["judging"]["judge"], row["judging"]["usd"]) == ("lexical", 0.0)
    (lane,) = done.summary["results"]
    assert lane["judging"] == {"judged_runs": 1, "tokens": 0, "cost_usd": 0.0}
    assert done.summary["session"]["judges"] == {"lexical": {"model_name": None, "audit": None}}
    kept = read_judgement(harbour, done.folder.name)
    assert kept["judgement"]["judge"] == "lexical"
    assert "oracle" not in json.dumps(kept["payload"])
    assert "no-search" not in json.dumps(kept["payload"])


PYTHON_BRIEF = """
import pytest

CLAIM = "Ships above 80 metres need a pilot."
BRIEF = {"brief": CLAIM, "claims": [{"text": CLAIM, "citation_urls": ["https://harbour.example/rules.html"]}]}

@pytest.mark.searchlight(
    prompt="Which ships need a pilot?", deliverable={"type": "object"}, reference_answer=BRIEF,
    rubric={"key_facts": [{"id": "length", "text": CLAIM}]}, agents=["right"], setups=["no-search"],
)
def test_pilots(agent_run):
    assert agent_run.answer["brief"] == CLAIM
"""


def test_a_python_tests_own_assertions_leave_the_judgement_and_its_cost_in_place(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write("test_harbour.py", PYTHON_BRIEF)
    project.write("web/harbour.example/rules.html", RULES)
    done = project.run("test_harbour.py")
    (row,) = done.rows
    assert [line["kind"] for line in row["verdicts"]] == ["schema", "rubric", "assertions"]
    assert (row["passed"], row["judging"]["judge"]) == (True, "lexical"), done.out
    assert read_judgement(project, done.folder.name)["judgement"]["judge"] == "lexical"


def test_grading_again_asks_nobody_and_fetches_nothing(harbour: Project) -> None:
    first = harbour.run("catalogs")
    (harbour.root / "catalogs/small/web/harbour.example/rules.html").unlink()
    again = harbour.run(f"--searchlight-regrade={first.folder}")
    assert [(row["status"], row["passed"]) for row in again.rows] == [("graded", True)], again.out
    assert "0 verdict(s) flipped" in again.out


def test_a_changed_rubric_is_judged_again_by_what_is_kept(harbour: Project) -> None:
    first = harbour.run("catalogs")
    catalog = harbour.root / "catalogs/small/tasks.yaml"
    catalog.write_text(
        catalog.read_text().replace("Ships above 80 metres need a pilot.\n", "Pilots are free.\n")
    )
    again = harbour.run(f"--searchlight-regrade={first.folder}")
    assert again.rows[0]["passed"] is False, again.out
    assert "1 verdict(s) flipped" in again.out
    assert "small, oracle: no-search passed 1/1 before and passes 0/1 now" in again.out
    (flip,) = json.loads((again.folder / "regrade.json").read_bytes())["flips"]
    assert (flip["passed_before"], flip["passed_after"]) == (True, False)
    assert "recall of key facts" in flip["reason"]
    assert flip["cause"] == "the task's checks or rubric were changed since"


def test_a_brief_that_failed_a_check_can_be_judged_once_the_check_is_mended(harbour: Project) -> None:
    catalog = harbour.root / "catalogs/small/tasks.yaml"
    mended = catalog.read_text()
    check = "checks:\n  - {kind: value-match, field: /brief, accept: [tugs]}"
    catalog.write_text(mended.replace("checks: []", check))
    first = harbour.run("catalogs")
    assert first.rows[0]["passed"] is False
    catalog.write_text(mended)
    (harbour.root / "catalogs/small/web/harbour.example/rules.html").unlink()
    again = harbour.run(f"--searchlight-regrade={first.folder}")
    assert again.rows[0]["passed"] is True, again.out
    assert "fail -> pass (before: " in again.out


def test_an_unavailable_judge_stops_the_session_before_anything_is_spent(harbour: Project) -> None:
    done = harbour.run("catalogs", "--searchlight-judge=codex", PATH="/usr/bin:/bin")
    assert done.code == 4
    assert "judge 'codex'" in done.err
    assert "--searchlight-judge=lexical" in done.err


def test_a_session_goes_on_with_the_judge_that_it_began_with(harbour: Project) -> None:
    harbour.write("conftest.py", OTHER_JUDGE)
    first = harbour.run("catalogs")
    mixed = harbour.run(f"--searchlight-resume={first.folder}", "--searchlight-judge=solomon")
    assert mixed.code == 4
    assert "briefs are judged by lexical, and now solomon would judge" in mixed.err
    assert harbour.run(f"--searchlight-resume={first.folder}", "--searchlight-judge=lexical").code == 0
    again = harbour.run(f"--searchlight-regrade={first.folder}", "--searchlight-judge=solomon")
    assert list(again.summary["session"]["judges"]) == ["solomon"]


def test_the_embedded_judge_reads_again_by_the_rules_that_it_has_then(
    harbour: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = harbour.run("catalogs")
    monkeypatch.setattr(support, "LEAST_COVERAGE", 2.0)
    again = harbour.run(f"--searchlight-regrade={first.folder}")
    assert "1 verdict(s) flipped" in again.out


def test_a_session_records_whether_its_judge_passed_its_audit(harbour: Project) -> None:
    assert harbour.sew("judge-audit").code == 1
    (judge,) = harbour.run("catalogs").summary["session"]["judges"].values()
    assert judge["audit"]["passed"] is False


def test_an_unknown_judge_is_told_in_a_sentence(harbour: Project) -> None:
    done = harbour.run("catalogs", "--searchlight-judge=solomon")
    assert done.code == 4
    assert "unknown judge 'solomon'" in done.err


@pytest.mark.parametrize(
    ("allow_http", "why"),
    [(False, "is http, which only a catalog may allow"), (True, "has port 0, which does not exist")],
)
def test_plain_http_is_fetched_only_where_the_catalog_says_so(
    harbour: Project, *, allow_http: bool, why: str
) -> None:
    catalog = harbour.root / "catalogs/small/tasks.yaml"
    shutil.rmtree(catalog.with_name("web"))
    text = catalog.read_text().replace(PAGE, "http://harbour.example:0/rules.html")
    catalog.write_text(text.replace("defaults:\n", f"defaults:\n  allow_http: {str(allow_http).lower()}\n"))
    done = harbour.run("catalogs")
    assert done.statuses == {"pilots": "ungraded"}, "a fault of the capture says nothing about the claim"
    (kept,) = (done.folder / "sources").glob("*.json")
    assert why in json.loads(kept.read_bytes())["reason"]


def test_a_brief_that_names_a_model_which_was_asked_for_is_seen_by_no_judge(harbour: Project) -> None:
    catalog = harbour.root / "catalogs/small/tasks.yaml"
    text = catalog.read_text().replace(
        "reference_answer:\n    brief: ", "reference_answer:\n    brief: By talk-2. "
    )
    catalog.write_text(text)
    done = harbour.run("catalogs", "--searchlight-agent=talker", "--searchlight-model=talker=talk-2")
    assert done.statuses == {"pilots": "ungraded"}
    assert done.rows[0]["reason"].startswith("blinding_failed")
