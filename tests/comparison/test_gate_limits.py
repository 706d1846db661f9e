"""Limits as they are typed, and when a session fails them."""

from __future__ import annotations

from typing import Any

import pytest
from comparison.session_rows import compare, drop_rows, make_session, make_shop, use_tokens
from stats.battery_rows import Passes, make_rows, spell

from pytest_searchlight.comparison.gating import GateOutcome, GateResult, judge_gates
from pytest_searchlight.comparison.sources import Measured
from pytest_searchlight.domain import Cost, RunStatus, Usage
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.gates import Gate, GatedMeasure, read_rate_gates, read_regression_gates
from pytest_searchlight.run_rows import PUT_OFF

MANY = spell(*[3] * 60)
MANY_WORSE = spell(*[3] * 40, *[1] * 20)
FEW = spell(*[3] * 6)
FEW_WORSE = spell(*[3] * 5, 1)


# --- as they are typed ------------------------------------------------------------------------------------


def read_one(text: str) -> tuple[str | None, GatedMeasure, float]:
    (gate,) = read_regression_gates(text)
    return gate.setup, gate.measure, gate.limit


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("exa: drop>5pp", ("exa", GatedMeasure.DROP, 0.05)),
        ("exa:drop>5pp", ("exa", GatedMeasure.DROP, 0.05)),
        (" *  :  drop > 2.5 pp ", (None, GatedMeasure.DROP, 0.025)),
        ("built-in: token-rise>20%", ("built-in", GatedMeasure.TOKEN_RISE, 0.2)),
        ("my.search: cost-rise>100%", ("my.search", GatedMeasure.COST_RISE, 1.0)),
        ("exa: drop>0pp", ("exa", GatedMeasure.DROP, 0.0)),
    ],
)
def test_a_limit_names_setup_measure_and_size(
    text: str, meant: tuple[str | None, GatedMeasure, float]
) -> None:
    assert read_one(text) == pytest.approx(meant)


def test_several_limits_are_separated_by_semicolons_or_lines() -> None:
    gates = read_regression_gates("exa: drop>5pp; *: cost-rise>20%;\n built-in: drop>10pp\n")
    assert [gate.text for gate in gates] == ["exa: drop>5pp", "*: cost-rise>20%", "built-in: drop>10pp"]
    assert read_regression_gates(" ; ") == ()


@pytest.mark.parametrize(
    "text",
    [
        "exa",
        "drop>5pp",
        "exa: drop>5%",
        "exa: drop>5",
        "exa: token-rise>5pp",
        "exa: drop<5pp",
        "exa: drop>-5pp",
        "exa: drop>nanpp",
        "exa: drop>\u0665pp",
        "exa: rate>5pp",
        "Exa: drop>5pp",
        "exa: drop>5pp, built-in: drop>5pp",
    ],
)
def test_what_is_no_limit_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_regression_gates(text)
    assert f"--searchlight-fail-on: {text!r} is no limit; write SETUP: drop>Npp" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0.8", [(None, 0.8)]),
        ("exa=0.8, built-in = 0.75;1", [("exa", 0.8), ("built-in", 0.75), (None, 1.0)]),
        ("0", [(None, 0.0)]),
        ("", []),
    ],
)
def test_a_rate_holds_for_one_setup_or_for_all(text: str, meant: list[tuple[str | None, float]]) -> None:
    assert [(gate.setup, gate.limit) for gate in read_rate_gates(text)] == meant


@pytest.mark.parametrize("text", ["80", "80%", "1.01", "-0.5", "exa", "exa=", "exa:0.8", "*=0.8", "nan"])
def test_what_is_no_rate_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(SettingsError, match="is no limit; write RATE or SETUP=RATE, from 0 to 1"):
        read_rate_gates(text)


def test_two_limits_of_the_same_are_refused() -> None:
    told = "--searchlight-fail-on: 'exa: drop>5pp' and 'exa: drop>9pp' limit the same"
    with pytest.raises(SettingsError, match=told):
        read_regression_gates("exa: drop>5pp; exa: drop>9pp")
    with pytest.raises(SettingsError, match=r"--searchlight-fail-under: '0\.8' and '0\.9' limit the same"):
        read_rate_gates("0.8,0.9")


# --- regressions ------------------------------------------------------------------------------------------


def judge(text: str, before: Measured, after: Measured) -> list[GateResult]:
    gates = read_regression_gates(text)
    return list(judge_gates(gates, session=after, comparison=compare(before, after)))


def judge_one(text: str, before: Passes, after: Passes) -> GateResult:
    (result,) = judge(text, make_shop(before), make_shop(after))
    return result


def test_a_significant_drop_beyond_its_limit_fails() -> None:
    result = judge_one("shop: drop>5pp", MANY, MANY_WORSE)
    assert result.outcome is GateOutcome.FAILED
    assert result.fails
    assert result.reason.startswith("dropped by 22 points (95 %: ")
    assert result.describe().startswith(
        "gate 'shop: drop>5pp' (small, agent: shop) FAILED: dropped by 22 points"
    )


def test_a_significant_drop_within_its_limit_passes() -> None:
    result = judge_one("shop: drop>30pp", MANY, MANY_WORSE)
    assert (result.outcome, result.fails) == (GateOutcome.PASSED, False)


def test_a_drop_of_just_the_limit_is_within_it() -> None:
    before, after = spell(*[2] * 100, of=2), spell(*[2] * 90, *[1] * 10, of=2)
    assert judge_one("shop: drop>5pp", before, after).outcome is not GateOutcome.FAILED
    assert judge_one("shop: drop>4.9pp", before, after).outcome is GateOutcome.FAILED


def test_a_size_that_could_not_have_shown_such_a_drop_is_told() -> None:
    result = judge_one("shop: drop>5pp", FEW, FEW_WORSE)
    assert (result.outcome, result.fails) == (GateOutcome.WARNED, False)
    assert "11 points fewer passed, which is not significant" in result.reason
    assert "this size can only show drops of " in result.reason


def test_a_size_that_could_have_shown_such_a_drop_passes_without_a_word() -> None:
    steady = spell(*[2, 1] * 100)
    assert judge_one("shop: drop>15pp", steady, steady).outcome is GateOutcome.PASSED


def test_one_task_can_show_no_drop() -> None:
    result = judge_one("shop: drop>5pp", {"a": "+++"}, {"a": "+++"})
    assert result.outcome is GateOutcome.WARNED
    assert "this size can show no drop: one task says nothing about how tasks differ" in result.reason


def test_what_could_not_be_measured_fails() -> None:
    result = judge_one("shop: drop>5pp", FEW, dict.fromkeys(FEW, "xxx"))
    assert result.outcome is GateOutcome.UNMEASURED
    assert result.fails
    assert "FAILED for want of a measurement: not compared: no task was measured" in result.describe()


def test_a_setup_that_nothing_was_compared_of_fails() -> None:
    (result,) = judge("exa: drop>5pp", make_shop(FEW), make_shop(FEW))
    assert (result.lane, result.outcome) == (None, GateOutcome.UNMEASURED)
    assert result.reason == "nothing was measured that it holds for: exa"
    gates = read_regression_gates("*: drop>5pp")
    (result,) = judge_gates(gates, session=make_shop(FEW), comparison=None)
    assert result.outcome is GateOutcome.UNMEASURED
    assert result.reason == "nothing was measured that it holds for: any search setup"


def test_an_asterisk_holds_for_every_setup_and_a_new_one_is_told() -> None:
    before = make_session(make_rows({"shop": MANY, "corner": MANY}))
    after = make_session(make_rows({"shop": MANY_WORSE, "corner": MANY, "new": MANY}))
    results = judge("*: drop>5pp", before, after)
    assert {str(result.lane and result.lane.setup): result.outcome for result in results} == {
        "shop": GateOutcome.FAILED,
        "corner": GateOutcome.PASSED,
        "new": GateOutcome.WARNED,
    }
    assert "the baseline has no such runs" in results[-1].reason


def test_a_baseline_of_which_the_tasks_are_not_known_is_told() -> None:
    before, after = make_shop(MANY), make_shop(MANY)
    (result,) = judge("shop: drop>20pp", drop_rows(before), after)
    assert result.outcome is GateOutcome.WARNED
    assert result.reason == "whether its tasks are the same as before is not known"
    (result,) = judge("shop: drop>5pp", drop_rows(before), make_shop(MANY_WORSE))
    assert result.outcome is GateOutcome.FAILED


def use(tokens: int, cost_usd: float | None) -> dict[str, Any]:
    return {**use_tokens(tokens), "cost": Cost(agent_usd=cost_usd, provider_usd=0.0)}


def test_a_rise_of_what_a_success_takes_fails_beyond_its_limit() -> None:
    before, after = make_shop(MANY, **use(100, 0.1)), make_shop(MANY, **use(130, 0.11))
    results = judge("shop: token-rise>20%; shop: cost-rise>20%", before, after)
    assert [result.outcome for result in results] == [GateOutcome.FAILED, GateOutcome.PASSED]
    assert "tokens for each success +30 %" in results[0].reason


def test_a_rise_within_its_limit_passes_where_the_tasks_agree_and_is_left_open_by_one_task() -> None:
    outcomes = {}
    for tasks in (60, 1):
        passes = spell(*[3] * tasks)
        before, after = make_shop(passes, **use_tokens(100)), make_shop(passes, **use_tokens(130))
        (result,) = judge("shop: token-rise>50%", before, after)
        outcomes[tasks] = result.outcome
    assert outcomes == {60: GateOutcome.PASSED, 1: GateOutcome.WARNED}


def test_a_rise_that_differs_from_task_to_task_is_not_called_one() -> None:
    before = make_rows({"shop": spell(*[1] * 12, of=1)}, **use_tokens(100))
    after = [
        row.model_copy(update=use_tokens(1000 if number == 0 else 80)) for number, row in enumerate(before)
    ]
    (result,) = judge("shop: token-rise>20%", make_session(before), make_session(after))
    assert result.outcome is GateOutcome.WARNED
    assert "this size can only show rises of " in result.reason


def test_use_that_is_unknown_fails_its_limit() -> None:
    unknown = make_shop(FEW, usage=Usage())
    (result,) = judge("shop: token-rise>20%", make_shop(FEW), unknown)
    assert result.outcome is GateOutcome.UNMEASURED
    assert "unknown for some of the runs" in result.reason


# --- pass rates -------------------------------------------------------------------------------------------


def judge_rate(text: str, passes: str, *, setup: str = "shop", **facts: object) -> GateResult:
    rows = make_rows({setup: {"a": passes}}, **facts)
    return judge_rows(read_rate_gates(text), make_session(rows))


def judge_rows(gates: tuple[Gate, ...], session: Measured) -> GateResult:
    (result,) = judge_gates(gates, session=session, comparison=None)
    return result


@pytest.mark.parametrize(
    ("text", "passes", "outcome"),
    [
        ("0.8", "++++-", GateOutcome.PASSED),
        ("0.81", "++++-", GateOutcome.FAILED),
        ("shop=0.8", "++++-", GateOutcome.PASSED),
        ("shop=1", "++++-", GateOutcome.FAILED),
        ("0", "-----", GateOutcome.PASSED),
        ("0.8", "+++++++++x", GateOutcome.PASSED),
        ("0.8", "++++xx", GateOutcome.UNMEASURED),
        ("0.8", "+--xx", GateOutcome.FAILED),
        ("0.8", "xxxxx", GateOutcome.UNMEASURED),
        ("other=0.8", "+++++", GateOutcome.UNMEASURED),
    ],
)
def test_a_rate_passes_when_lost_runs_could_not_have_made_it_fail(
    text: str, passes: str, outcome: GateOutcome
) -> None:
    assert judge_rate(text, passes).outcome is outcome


def test_a_rate_says_what_it_rests_on() -> None:
    assert "3/5 passed, of 5 planned: 60 % is below 80 %" in judge_rate("0.8", "+++--").reason
    assert "had the 2 lost run(s) failed" in judge_rate("0.8", "++++xx").reason


@pytest.mark.parametrize("setup", ["floor", "ceiling", "no-search"])
def test_what_setups_are_compared_with_is_limited_only_by_name(setup: str) -> None:
    assert judge_rate("0.8", "---", setup=setup).lane is None
    assert judge_rate(f"{setup}=0.8", "---", setup=setup).outcome is GateOutcome.FAILED


@pytest.mark.parametrize(
    ("flags", "outcome"), [((), GateOutcome.WARNED), ((PUT_OFF,), GateOutcome.UNMEASURED)]
)
def test_runs_whose_tasks_do_not_count_are_told_and_runs_put_off_are_lost(
    flags: tuple[str, ...], outcome: GateOutcome
) -> None:
    rows = make_rows({"shop": {"a": "++"}})
    skip = {"task": "b", "status": RunStatus.SKIPPED, "passed": None, "flags": flags}
    result = judge_rows(read_rate_gates("0.8"), make_session([*rows, rows[0].model_copy(update=skip)]))
    assert result.outcome is outcome
    assert ("1 run(s) were skipped" in result.reason) is (outcome is GateOutcome.WARNED)
