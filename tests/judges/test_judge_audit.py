"""The hand-made set that tells what a judge is worth, and how the embedded judge does on it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from judge_stage import ScriptedJudge

from pytest_searchlight.judges import LexicalJudge
from pytest_searchlight.judges.audit import JudgeAudit, audit_judge, list_cases


@pytest.fixture(scope="module")
def lexical_audit(tmp_path_factory: pytest.TempPathFactory) -> JudgeAudit:
    return audit_judge(LexicalJudge(), record=tmp_path_factory.mktemp("audit"))


def test_the_set_has_enough_cases_of_every_kind_with_ids_of_their_own() -> None:
    cases = list(list_cases())
    kinds = Counter(case.kind for case in cases)
    assert len({case.id for case in cases}) == len(cases) >= 60
    assert set(kinds) == {
        *("right", "reworded", "wrong", "subtle", "padded", "turned", "empty", "position-swapped"),
        *("injected-answer", "injected-source"),
    }
    assert min(kinds.values()) >= 8


def test_the_lexical_judge_is_taken_in_by_nothing_but_a_pages_own_words_turned_round(
    lexical_audit: JudgeAudit,
) -> None:
    taken_in = [each for each in lexical_audit.verdicts if each.passed and not each.should_pass]
    assert {each.kind for each in taken_in} == {"turned"}
    assert len(taken_in) == lexical_audit.false_passes <= 3


def test_the_lexical_judge_is_right_about_nine_briefs_of_ten(lexical_audit: JudgeAudit) -> None:
    assert lexical_audit.judged == len(lexical_audit.verdicts)
    assert lexical_audit.right_verdicts >= 0.9 * lexical_audit.judged
    assert lexical_audit.agreement.kappa is not None
    assert lexical_audit.agreement.kappa > 0.8


def test_every_case_tells_why_it_was_judged_so(lexical_audit: JudgeAudit) -> None:
    (case,) = (each for each in lexical_audit.verdicts if each.case == "harbour-crane.wrong")
    assert "recall of key facts" in case.reason
    assert any(label.startswith("fact 1 not covered: ") for label in case.labels)
    assert any(label.startswith("claim 1 not supported: ") for label in case.labels)
    assert all(each.reason for each in lexical_audit.verdicts)


def test_the_order_of_facts_and_claims_moves_no_verdict(lexical_audit: JudgeAudit) -> None:
    by_case = {each.case: each.passed for each in lexical_audit.verdicts}
    right = {case: passed for case, passed in by_case.items() if case.endswith(".right")}
    assert right == {case: by_case[f"{case.removesuffix('.right')}.position-swapped"] for case in right}


def test_a_judge_that_passes_everything_is_found_out(tmp_path: Path) -> None:
    audit = audit_judge(ScriptedJudge(), record=tmp_path)
    # Empty briefs fail without any judge.
    empty = sum(each.kind == "empty" for each in audit.verdicts)
    assert audit.false_passes == audit.should_fail - empty
    assert audit.agreement.kappa is not None
    assert audit.agreement.kappa < 0.3


def test_a_judge_that_says_nothing_has_no_accuracy_rather_than_none_right(tmp_path: Path) -> None:
    audit = audit_judge(ScriptedJudge(failures=1000), record=tmp_path)
    empty = sum(each.kind == "empty" for each in audit.verdicts)
    assert (audit.judged, audit.false_passes) == (empty, 0)
    assert audit.agreement.kappa is None
