"""Judges that extensions bring: what they do wrong costs no run that was made and paid for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from judge_stage import GOOD_CLAIMS, ScriptedJudge, assess, make_deliverable

from pytest_searchlight.domain import CheckOutcome
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import DiskError
from pytest_searchlight.judges import RecordedJudge

DELIVERABLE = make_deliverable(*GOOD_CLAIMS)


@dataclass
class BrokenJudge(ScriptedJudge):
    """Raises what it is told."""

    error: Exception | None = None

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:  # noqa: ARG002 - of a Protocol
        if self.error is not None:
            raise self.error
        return None  # type: ignore[return-value]  # what a guest may well do


class HastyJudge(ScriptedJudge):
    """Leaves out the claims that it would have to call unsupported."""

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        judgement = super().judge(payload, record=record)
        return judgement.model_copy(update={"claims": judgement.claims[:1]})


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LookupError("no key\ud83d"), "judge scripted failed: LookupError: no key"),
        (None, "judge scripted failed: "),
    ],
)
def test_a_judge_that_breaks_leaves_the_brief_ungraded(
    tmp_path: Path, error: Exception | None, reason: str
) -> None:
    found = assess(DELIVERABLE, tmp_path, judge=BrokenJudge(error=error))
    assert found.verdict.outcome is CheckOutcome.UNGRADED
    assert found.verdict.reason.startswith(reason)
    assert found.payload is not None, "with it, grading again can have the brief judged"


def test_a_judge_that_leaves_out_a_claim_has_not_judged(tmp_path: Path) -> None:
    found = assess(DELIVERABLE, tmp_path, judge=HastyJudge())
    assert found.verdict.outcome is CheckOutcome.UNGRADED
    assert found.verdict.reason == "judge scripted: labels claims [1] where [1, 2, 3, 4] were asked about"


def test_what_is_no_judgement_is_not_kept_as_one(tmp_path: Path) -> None:
    judge = RecordedJudge(original=HastyJudge(), folder=tmp_path / "judgements")
    assert assess(DELIVERABLE, tmp_path, judge=judge).verdict.outcome is CheckOutcome.UNGRADED
    assert not (tmp_path / "judgements").exists()


def test_a_full_disk_is_no_fault_of_the_judge(tmp_path: Path) -> None:
    with pytest.raises(DiskError):
        assess(DELIVERABLE, tmp_path, judge=BrokenJudge(error=DiskError("full")))
