"""What an audit of a judge comes to: rates, kappa and its interval, and whether the judge passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_stage import ScriptedJudge

from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.judge_audits import JudgeAudits, is_passed, make_audit, measure_audit, read_audits
from pytest_searchlight.judge_audits.figures import estimate_kappa_interval
from pytest_searchlight.judges.agreement import measure_agreement
from pytest_searchlight.judges.audit import CaseVerdict, JudgeAudit


def make_audit_of(*pairs: tuple[bool, bool | None], model_name: str | None = None) -> JudgeAudit:
    """An audit whose cases should pass, and did, as `pairs` say."""
    verdicts = tuple(
        CaseVerdict(
            case=f"case-{number}", kind="right" if should else "wrong", should_pass=should, passed=did
        )
        for number, (should, did) in enumerate(pairs)
    )
    judged = [(should, did) for should, did in pairs if did is not None]
    return JudgeAudit(
        judge="fake",
        model_name=model_name,
        set_sha256="0" * 64,
        verdicts=verdicts,
        right_verdicts=sum(should == did for should, did in judged),
        judged=len(judged),
        false_passes=sum(did for should, did in judged if not should),
        should_fail=sum(not should for should, _ in judged),
        agreement=measure_agreement(judged),
    )


ALL_RIGHT = [(True, True)] * 24 + [(False, False)] * 48


def test_a_judge_that_is_always_right_is_not_known_to_be_perfect() -> None:
    figures = measure_audit(make_audit_of(*ALL_RIGHT))
    assert (figures.accuracy.rate, figures.false_passes.rate, figures.kappa) == (1.0, 0.0, 1.0)
    assert figures.accuracy.ci95 == pytest.approx((0.949, 1.0), abs=0.001)
    assert figures.false_passes.ci95 == pytest.approx((0.0, 0.074), abs=0.001)
    assert figures.kappa_ci95 is not None
    low, high = figures.kappa_ci95
    assert 0.7 < low < 0.95
    assert high == 1.0


@pytest.mark.parametrize(("missed", "passed_wrongly"), [(0, 3), (5, 0), (12, 24), (24, 48), (24, 0), (0, 48)])
def test_the_interval_of_kappa_holds_kappa(missed: int, passed_wrongly: int) -> None:
    right = [(True, number >= missed) for number in range(24)]
    wrong = [(False, number < passed_wrongly) for number in range(48)]
    audit = make_audit_of(*right, *wrong)
    interval = estimate_kappa_interval(audit)
    assert interval is not None
    assert audit.agreement.kappa is not None
    assert -1 <= interval[0] <= audit.agreement.kappa <= interval[1] <= 1


def test_the_interval_of_kappa_is_close_to_the_large_sample_one() -> None:
    # Of 3000 right and 3000 wrong briefs 2700 each are judged as labelled: kappa 0.8, standard error 0.00775.
    right = [(True, number >= 300) for number in range(3000)]
    wrong = [(False, number < 300) for number in range(3000)]
    audit = make_audit_of(*right, *wrong)
    assert audit.agreement.kappa == pytest.approx(0.8)
    assert estimate_kappa_interval(audit) == pytest.approx((0.785, 0.815), abs=0.001)


@pytest.mark.parametrize(
    "pairs", [[], [(True, True)] * 3, [(False, True)] * 3, [(True, None), (False, None)]]
)
def test_kappa_has_no_interval_where_one_label_was_not_judged(pairs: list[tuple[bool, bool | None]]) -> None:
    assert estimate_kappa_interval(make_audit_of(*pairs)) is None


def test_cases_without_a_verdict_are_in_no_rate_and_speak_against_the_judge() -> None:
    silent = make_audit_of((True, None), (False, None), (False, False))
    figures = measure_audit(silent)
    assert (figures.ungraded, figures.accuracy.cases, figures.false_passes.cases) == (2, 1, 1)
    assert figures.kinds["right"].rate is None
    assert [each.case for each in figures.went_wrong] == ["case-0", "case-1"]
    assert not figures.passed


@pytest.mark.parametrize(
    ("changed", "passed"),
    [
        ([], True),
        ([(True, False)] * 10, True),
        ([(True, False)] * 20, False),
        ([(False, True)] * 2, True),
        ([(False, True)] * 3, False),
    ],
)
def test_a_judge_passes_within_both_limits(changed: list[tuple[bool, bool]], passed: bool) -> None:
    assert is_passed(make_audit_of(*ALL_RIGHT, *changed)) is passed


@pytest.mark.parametrize(
    "pairs",
    [
        [(True, True)] * 17 + [(True, False)] * 3,
        [(True, True)] * 20 + [(False, False)] * 19 + [(False, True)],
    ],
)
def test_a_judge_that_stands_at_a_limit_keeps_to_it(pairs: list[tuple[bool, bool]]) -> None:
    assert is_passed(make_audit_of(*pairs))


def test_a_later_audit_replaces_that_of_the_same_judge_and_model_only() -> None:
    first, other, again = (
        make_audit_of(*pairs, model_name=model)
        for pairs, model in (([(True, True)], None), ([(True, True)], "m-1"), ([(True, False)], None))
    )
    assert JudgeAudits().add(first).add(other).add(again).audits == (again, other)


@pytest.mark.parametrize("content", ["{", '{"audits": [{"judge": "fake"}]}', '{"schema_version": 2}'])
def test_a_record_that_cannot_be_read_is_told_by_its_path(tmp_path: Path, content: str) -> None:
    path = tmp_path / "judge-audit.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"judge-audit\.json: not a readable record"):
        read_audits(path)


class InterruptedJudge(ScriptedJudge):
    """A judge whose user loses patience at its tenth brief."""

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        if len(self.seen) == 9:
            raise KeyboardInterrupt
        return super().judge(payload, record=record)


def test_an_interrupted_audit_goes_on_where_it_was_and_a_finished_one_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "judge-audit.json"
    with pytest.raises(KeyboardInterrupt):
        make_audit(InterruptedJudge(), path=path)
    resumed, repeated = ScriptedJudge(), ScriptedJudge()
    audit = make_audit(resumed, path=path)
    assert make_audit(repeated, path=path) == audit
    assert len(resumed.seen) == len(repeated.seen) - 9
    assert read_audits(path).audits == (audit,)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
