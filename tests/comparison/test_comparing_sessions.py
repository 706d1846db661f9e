"""What two sessions have in common, what changed between them, and how sure that is."""

from __future__ import annotations

import itertools

import pytest
from comparison.session_rows import (
    compare,
    compare_one,
    drop_rows,
    make_session,
    make_shop,
    use_tokens,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from stats.battery_rows import make_rows, spell

from pytest_searchlight.comparison.comparing import compare_sessions
from pytest_searchlight.comparison.records import ChangeVerdict, LaneName
from pytest_searchlight.comparison.sources import Measured
from pytest_searchlight.domain import RunRecord
from pytest_searchlight.errors import ReportError, SummaryError

GOOD = spell(*[3] * 12)
WORSE = spell(*[3] * 6, *[1] * 6)
BAD = spell(*[0] * 12)


def give_model(name: str | None) -> Measured:
    return make_shop(GOOD, model_name=name)


# --- pairs ------------------------------------------------------------------------------------------------


def test_runs_of_one_task_and_repetition_are_held_against_each_other() -> None:
    change = compare_one(make_shop({"a": "++-", "b": "+--"}), make_shop({"a": "+--", "b": "+++"}))
    assert change.paired
    assert (change.tasks, change.before.runs, change.after.runs) == (2, 6, 6)
    assert change.difference.value == pytest.approx(1 / 6)
    assert change.p_value.value == 1.0  # one run was lost, two were won: all splits are as even


def test_a_drop_is_told_with_its_interval_and_its_exact_test() -> None:
    change = compare_one(make_shop(GOOD), make_shop(WORSE))
    assert change.verdict is ChangeVerdict.DROPPED
    assert change.difference.value == pytest.approx(-12 / 36)
    assert change.p_value.value == pytest.approx(2 / 2**12)
    assert change.difference.ci95 is not None
    assert change.difference.ci95[1] < 0
    assert [task.task for task in change.worse] == [f"task-{n:03}" for n in range(6, 12)]
    assert change.better == ()


def test_the_other_way_round_it_is_a_rise() -> None:
    change = compare_one(make_shop(WORSE), make_shop(GOOD))
    assert change.verdict is ChangeVerdict.ROSE
    assert len(change.better) == 6


def test_a_session_has_not_changed_against_itself() -> None:
    change = compare_one(make_shop(WORSE), make_shop(WORSE))
    assert change.verdict is ChangeVerdict.NO_SIGNIFICANT_CHANGE
    assert (change.difference.value, change.p_value_holm.value) == (0, 1.0)
    assert change.worse == change.better == ()
    assert change.setup_changed is False


def test_a_drop_of_every_task_is_one_though_its_interval_has_no_width() -> None:
    change = compare_one(make_shop(GOOD), make_shop(BAD))
    assert change.difference.ci95 is None
    assert change.verdict is ChangeVerdict.DROPPED


def test_nothing_rose_where_the_interval_holds_no_change() -> None:
    """One task that is repeated often is sure to have changed, and says little of others."""
    before = {"often": "-" * 40, **spell(*[3] * 7)}
    after = {"often": "+" * 40, **spell(*[3] * 7)}
    change = compare_one(make_shop(before), make_shop(after))
    assert change.p_value_holm.value is not None
    assert change.p_value_holm.value < 0.001
    assert change.difference.value is not None
    assert change.difference.value > 0
    assert change.difference.ci95 is not None
    assert change.difference.ci95[0] <= 0
    assert change.verdict is ChangeVerdict.NO_SIGNIFICANT_CHANGE


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=14))
@settings(max_examples=60, deadline=None)
def test_a_verdict_never_contradicts_its_numbers(tasks: list[tuple[int, int]]) -> None:
    before, after = (make_shop(spell(*(task[side] for task in tasks))) for side in (0, 1))
    change = compare_sessions(before, after, draws=200).lanes[0]
    low, high = change.difference.ci95 or (None, None)
    assert change.difference.value is not None
    if change.verdict in {ChangeVerdict.DROPPED, ChangeVerdict.ROSE}:
        assert change.p_value_holm.value is not None
        assert change.p_value_holm.value < 0.05
        assert (change.difference.value < 0) == (change.verdict is ChangeVerdict.DROPPED)
        assert low is None or high is None or not low <= 0 <= high


def test_runs_that_were_not_measured_are_no_failures_and_are_counted() -> None:
    change = compare_one(make_shop({"a": "++", "b": "++"}), make_shop({"a": "+x", "b": "x+"}))
    assert (change.after.runs, change.after.passes, change.difference.value) == (2, 2, 0)
    assert change.after.planned == 4
    assert change.after.excluded["provider_error"] == 2
    assert change.left_out.unmatched_runs == 2


def test_where_nothing_was_measured_nothing_is_compared() -> None:
    change = compare_one(make_shop(GOOD), make_shop(dict.fromkeys(GOOD, "xxx")))
    assert change.verdict is ChangeVerdict.NOT_COMPARED
    assert change.difference.value is None
    assert change.p_value_holm.value is None
    assert change.detectable_difference.value is None
    assert change.tokens_growth.value is None
    assert change.after.pass_rate is None


def test_the_lanes_of_a_comparison_are_one_family_of_tests() -> None:
    battery = {"shop": GOOD, "corner": GOOD, "floor": BAD}
    changes = compare(
        make_session(make_rows(battery)), make_session(make_rows({**battery, "shop": WORSE}))
    ).lanes
    holm = {change.lane.setup: change.p_value_holm.value for change in changes}
    assert holm == {"shop": pytest.approx(3 * 2 / 2**12), "corner": 1.0, "floor": 1.0}


def test_the_more_lanes_the_less_can_be_detected() -> None:
    one = compare_one(make_shop(GOOD), make_shop(WORSE)).detectable_difference.value
    battery = {"shop": GOOD, "corner": GOOD, "floor": BAD}
    after = make_session(make_rows({**battery, "shop": WORSE}))
    three = compare(make_session(make_rows(battery)), after).lanes[-1].detectable_difference.value
    assert one is not None
    assert three is not None
    assert one < three


def test_the_same_rows_and_seed_give_the_same_numbers_in_any_order() -> None:
    before, after = (make_rows({"shop": battery}) for battery in (GOOD, WORSE))
    forth = compare(make_session(before), make_session(after))
    back = compare(make_session(reversed(before)), make_session(reversed(after)))
    assert forth == back


# --- what cannot be held against each other ---------------------------------------------------------------


def alter_task(rows: list[RunRecord], task: str, **facts: str | None) -> list[RunRecord]:
    return [row.model_copy(update=facts) if row.task == task else row for row in rows]


@pytest.mark.parametrize(
    "change",
    [
        {"grading_hash": "other"},
        {"job_hash": "other", "identity": "other"},
        {"job_hash": None, "identity": "other"},
    ],
)
def test_a_task_that_asks_or_expects_something_else_is_left_out_and_named(
    change: dict[str, str | None],
) -> None:
    before, after = make_rows({"shop": GOOD}), make_rows({"shop": WORSE})
    altered = make_session(alter_task(after, "task-006", **change))
    compared = compare_one(make_session(before), altered)
    assert compared.left_out.changed_tasks == ("task-006",)
    assert (compared.tasks, compared.after.runs) == (11, 33)
    assert compared.left_out.unmatched_runs == 0


def test_another_pin_of_the_setup_is_compared_and_told() -> None:
    change = compare_one(make_shop(GOOD), make_shop(GOOD, identity="other"))
    assert change.setup_changed is True
    assert change.tasks == 12


def test_rows_without_a_job_hash_are_the_same_task_when_their_identity_is() -> None:
    change = compare_one(make_shop(GOOD, job_hash=None), make_shop(GOOD, job_hash=None))
    assert change.left_out.changed_tasks == ()
    assert change.tasks == 12


def test_tasks_and_repetitions_of_one_side_alone_are_counted() -> None:
    change = compare_one(make_shop({"a": "++++", "b": "++"}), make_shop({"a": "++", "c": "+"}))
    assert change.left_out.tasks_only_before == ("b",)
    assert change.left_out.tasks_only_after == ("c",)
    assert change.left_out.unmatched_runs == 2
    assert (change.tasks, change.before.runs, change.after.runs) == (1, 2, 2)


def test_agents_models_and_catalogs_are_never_mixed() -> None:
    lanes = [
        {"catalog": catalog, "agent": agent, "model_name": model}
        for catalog, agent, model in itertools.product("ab", ("claude-code", "codex"), ("small", "large"))
    ]
    sessions = [
        make_session(row for lane in lanes for row in make_rows({"shop": passes}, **lane))
        for passes in (GOOD, WORSE)
    ]
    compared = compare(*sessions)
    assert len(compared.lanes) == 8
    assert {change.after.runs for change in compared.lanes} == {36}


def test_a_model_that_replaced_another_is_held_against_it() -> None:
    change = compare_one(give_model("old"), give_model("new"))
    assert (change.model_name_before, change.lane.model_name) == ("old", "new")
    assert change.setup_changed is None


def test_of_two_models_none_is_taken_for_the_successor() -> None:
    after = make_session(
        row for name in ("old", "new", "newer") for row in make_rows({"shop": GOOD}, model_name=name)
    )
    compared = compare(give_model("old"), after)
    assert [change.lane.model_name for change in compared.lanes] == ["old"]
    assert [name.model_name for name in compared.only_after] == ["new", "newer"]
    with pytest.raises(ReportError, match="share no catalog, agent, model and setup"):
        compare(give_model("oldest"), after)


def test_lanes_of_one_side_alone_are_named() -> None:
    compared = compare(
        make_session(make_rows({"shop": GOOD, "corner": GOOD})),
        make_session(make_rows({"shop": GOOD, "floor": BAD})),
    )
    assert [name.setup for name in compared.only_before] == ["corner"]
    assert compared.only_after == (LaneName(catalog="small", agent="agent", model_name=None, setup="floor"),)


def test_sessions_that_share_nothing_say_what_each_has() -> None:
    with pytest.raises(ReportError) as refused:
        compare(make_shop(GOOD, agent="codex"), make_shop(GOOD, agent="claude-code"))
    assert "small, codex: shop" in str(refused.value)
    assert "small, claude-code: shop" in str(refused.value)


def test_a_setup_that_a_session_lacks_is_refused_with_what_it_has() -> None:
    with pytest.raises(ReportError, match="no runs of exa; it has small, agent: shop"):
        compare_sessions(make_shop(GOOD), make_shop(GOOD), setups=["exa"])


def test_two_rows_for_one_run_are_refused() -> None:
    twice = make_session([*make_rows({"shop": GOOD}), *make_rows({"shop": GOOD})])
    with pytest.raises(SummaryError, match="two rows for one task"):
        compare(make_shop(GOOD), twice)


# --- summaries alone --------------------------------------------------------------------------------------


@pytest.mark.parametrize("blind", ["before", "after", "both"])
def test_with_a_summary_alone_tasks_are_held_against_each_other(blind: str) -> None:
    before, after = make_shop(GOOD), make_shop(WORSE)
    sides = (
        drop_rows(before) if blind != "after" else before,
        drop_rows(after) if blind != "before" else after,
    )
    change = compare_one(*sides)
    assert not change.paired
    assert change.verdict is ChangeVerdict.DROPPED
    assert change.difference.value == pytest.approx(-12 / 36)
    assert [task.task for task in change.worse] == [f"task-{n:03}" for n in range(6, 12)]


def test_with_one_run_a_task_a_summary_shows_as_much_as_the_rows() -> None:
    before, after = (make_shop(spell(*passes, of=1)) for passes in ([1] * 20, [1] * 8 + [0] * 12))
    blind, seeing = compare_one(drop_rows(before), drop_rows(after)), compare_one(before, after)
    for figure in ("difference", "detectable_difference", "tokens_growth"):
        assert getattr(blind, figure).value == pytest.approx(getattr(seeing, figure).value)
    assert blind.difference.ci95 == pytest.approx(seeing.difference.ci95)
    assert blind.p_value.value == pytest.approx(seeing.p_value.value)
    assert blind.before.tokens_per_success == seeing.before.tokens_per_success
    assert blind.after.duration_s_p50 == seeing.after.duration_s_p50


def test_sessions_of_unlike_length_are_compared_by_task() -> None:
    change = compare_one(drop_rows(make_shop(GOOD)), drop_rows(make_shop(dict.fromkeys(GOOD, "+"))))
    assert (change.before.runs, change.after.runs, change.difference.value) == (36, 12, 0)


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [("1", "1", True), ("1", "2", False), (None, "1", False), (None, None, False)],
)
def test_only_the_hash_of_a_catalog_tells_that_tasks_in_a_summary_are_the_same(
    before: str | None, after: str | None, *, known: bool
) -> None:
    rows = make_rows({"shop": GOOD})
    sides = [
        make_session(rows, facts={} if value is None else {"catalogs": {"small": value}})
        for value in (before, after)
    ]
    assert compare_one(*map(drop_rows, sides)).tasks_checked is known
    assert compare_one(*sides).tasks_checked is True


def test_rows_without_a_summary_are_enough() -> None:
    sides = [
        Measured(name="rows", rows=tuple(make_rows({"shop": passes})), summary=None)
        for passes in (GOOD, WORSE)
    ]
    assert compare_one(*sides).verdict is ChangeVerdict.DROPPED


# --- what it took -----------------------------------------------------------------------------------------


def test_what_a_success_took_counts_failed_runs_and_the_compared_ones_alone() -> None:
    before = make_shop({"a": "++", "b": "++"}, **use_tokens(100))
    after = make_shop({"a": "+-", "b": "++", "new": "++"}, **use_tokens(300))
    change = compare_one(before, after)
    assert change.before.tokens_per_success == 100
    assert change.after.tokens_per_success == 400
    assert change.tokens_growth.value == pytest.approx(3)
    assert (change.after.calls_per_run, change.after.duration_s_p50) == (2, 3)


def test_use_that_is_unknown_for_any_run_is_unknown() -> None:
    rows = make_rows({"shop": GOOD})
    unknown = [rows[0].model_copy(update=use_tokens(1) | {"provider_calls": None}), *rows[1:]]
    change = compare_one(make_shop(GOOD), make_session(unknown))
    assert change.after.calls_per_run is None
    assert change.before.calls_per_run == 2


def test_what_the_sessions_record_of_themselves_is_compared() -> None:
    rows = make_rows({"shop": GOOD})
    facts = {"searchlight_version": "1.0", "catalogs": {"small": "abc"}, "servers": {"shop": "3.1"}}
    later = {**facts, "catalogs": {"small": "abd", "other": "x"}, "servers": {"shop": "3.2"}, "judges": {}}
    changed = compare(make_session(rows, facts=facts), make_session(rows, facts=later)).facts
    assert [(fact.what, fact.before, fact.after) for fact in changed] == [
        ("catalog small", "abc", "abd"),
        ("server of shop", "3.1", "3.2"),
    ]
    assert compare(make_session(rows), make_session(rows, facts=facts)).facts == ()
