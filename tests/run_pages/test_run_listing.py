"""Which runs a session has at any moment, and what is read of them again."""

from __future__ import annotations

import shutil

import pytest
from rooms.records_for_tests import make_record
from run_pages.staged_session import StagedSession, make_rows

from pytest_searchlight.domain import RunStatus
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.run_pages import listing
from pytest_searchlight.run_pages.listing import RunList


def test_runs_that_are_sealed_later_are_seen_then(staged: StagedSession) -> None:
    first, second = list(make_rows(2))
    staged.add_rows([first])
    runs = RunList(staged.folder)
    assert [run.outcome for run in runs.read()] == ["fail"]
    staged.add_rows([second])
    assert [run.outcome for run in runs.read()] == ["fail", "pass"]


def test_a_planned_run_without_evidence_is_listed_as_not_run(staged: StagedSession) -> None:
    staged.plan(make_record())
    (run,) = RunList(staged.folder).read()
    assert (run.status, run.outcome, run.is_unreadable) == ("not_run", "uncounted", False)


def test_what_did_not_change_is_not_read_again(
    staged: StagedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged.add_rows(make_rows(3))
    runs = RunList(staged.folder)
    before = runs.read()
    monkeypatch.setattr(listing, "find_record", None)
    monkeypatch.setattr(listing, "read_plan", None)
    assert runs.read() == before


def test_a_run_that_is_graded_again_is_read_again(staged: StagedSession) -> None:
    (record,) = make_rows(1)
    staged.add_rows([record])
    runs = RunList(staged.folder)
    assert runs.read()[0].outcome == "fail"
    shutil.rmtree(staged.folder.runs / record.run_id)
    staged.folder.plan_file.unlink()
    staged.add_rows([record.model_copy(update={"passed": True})])
    assert runs.read()[0].outcome == "pass"


@pytest.mark.parametrize(
    ("seal", "complaint"),
    [("", "EOF"), ("[]", "an object"), ('{"record": {}}', "required")],
)
def test_a_run_whose_seal_is_torn_is_listed_with_what_is_wrong(
    staged: StagedSession, seal: str, complaint: str
) -> None:
    (record,) = make_rows(1)
    staged.add_rows([record])
    (staged.folder.runs / record.run_id / "run.json").write_text(seal)
    (run,) = RunList(staged.folder).read()
    assert (run.status, run.outcome, run.record.status) == ("unreadable", "uncounted", RunStatus.NOT_RUN)
    assert complaint in run.record.reason


def test_the_seal_of_another_run_is_recognised(staged: StagedSession) -> None:
    first, second = list(make_rows(2))
    staged.add_rows([first, second])
    shutil.copy(staged.folder.runs / first.run_id / "run.json", staged.folder.runs / second.run_id)
    assert first.run_id in RunList(staged.folder).read()[1].record.reason


def test_a_session_that_has_only_begun_has_no_runs_yet(staged: StagedSession) -> None:
    assert RunList(staged.folder).read() == ()


def test_a_session_with_a_torn_plan_cannot_be_listed(staged: StagedSession) -> None:
    staged.folder.plan_file.write_text("{torn")
    with pytest.raises(EvidenceError, match="not a readable plan"):
        RunList(staged.folder).read()
