"""What is done about judges outside sessions: ``sew judge-audit`` and ``sew agree``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from plugin.small_project import Finished, Project

from pytest_searchlight.judge_audits import is_passed, locate_audits, read_audits
from pytest_searchlight.judges import LexicalJudge

if TYPE_CHECKING:
    from pathlib import Path

JUDGES_CONFTEST = """
from judge_stage import ScriptedJudge

class AbsentJudge(ScriptedJudge):
    def explain_unavailable(self):
        return "it went out"

def pytest_searchlight_register(registry):
    registry.judges.add("generous", ScriptedJudge(name="generous"))
    registry.judges.add("absent", AbsentJudge(name="absent"))
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
    assert done.code == 0, done.err
    assert "judge lexical passes its audit" in done.out
    for line in ("accuracy", "false passes", "kappa", "injected-source"):
        assert line in done.out


def test_the_audit_is_kept_for_sessions_to_refer_to(audited: tuple[Project, Finished]) -> None:
    project, done = audited
    path = locate_audits(project.root)
    assert f"written: {path}" in done.out
    audit = read_audits(path).find(LexicalJudge())
    assert audit is not None
    assert is_passed(audit)


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
