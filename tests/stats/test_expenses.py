from __future__ import annotations

from operator import attrgetter

import pytest
from stats.battery_rows import make_rows, spell

from pytest_searchlight.domain import Cost, RunRecord, Usage
from pytest_searchlight.stats.columns import read_columns
from pytest_searchlight.stats.expenses import measure_expense
from pytest_searchlight.stats.figures import Expense
from pytest_searchlight.stats.pairing import sort_arms

BATTERY = {"no-search": spell(1, 0, 0), "shop": spell(3, 1, 0)}


def measure_tokens(rows: list[RunRecord], setup: str = "shop") -> Expense:
    arms = sort_arms(rows, read_columns(rows))
    no_search = arms.get("no-search")
    return measure_expense(arms[setup], no_search=no_search, amount=attrgetter("tokens"))


def use(setup: str, tokens: int | None) -> list[RunRecord]:
    return make_rows({setup: BATTERY[setup]}, usage=Usage(input_tokens=tokens, output_tokens=0))


def test_failed_runs_are_paid_for_by_the_successes() -> None:
    expense = measure_tokens([*use("shop", 100), *use("no-search", 10)])
    assert expense.per_success.value == 9 * 100 / 4


def test_an_extra_success_is_paid_for_by_what_search_added() -> None:
    expense = measure_tokens([*use("shop", 100), *use("no-search", 10)])
    assert expense.per_extra_success.value == 9 * (100 - 10) / 3


def test_a_setup_that_passes_more_with_less_has_a_negative_price() -> None:
    expense = measure_tokens([*use("shop", 10), *use("no-search", 100)])
    assert expense.per_extra_success.value == pytest.approx(-270)


def test_without_more_successes_there_is_no_price_of_one() -> None:
    rows = make_rows({"no-search": spell(1, 1, 1), "shop": spell(3, 0, 0)})
    expense = measure_tokens(rows)
    assert expense.per_extra_success.reason == "no more successes than without search in 9 pairs"
    assert expense.per_success.value is not None


def test_one_unknown_amount_withholds_the_total() -> None:
    rows = [*use("shop", 100)[:-1], *use("shop", None)[-1:], *use("no-search", 10)]
    expense = measure_tokens(rows)
    assert expense.per_success.reason == "unknown for 1 of 9 graded runs"
    assert expense.per_extra_success.reason == "unknown for 1 of 18 graded runs"


def test_no_success_has_no_price() -> None:
    expense = measure_tokens(make_rows({"shop": spell(0, 0)}))
    assert expense.per_success.reason == "none of 6 graded runs passed"
    assert expense.per_extra_success.reason == "nothing was run without search"


def test_no_search_is_not_compared_with_itself() -> None:
    expense = measure_tokens(use("no-search", 10), "no-search")
    assert expense.per_extra_success.reason == "this is the setup without search"


def test_dollars_are_unknown_where_a_part_of_them_is() -> None:
    rows = make_rows({"shop": spell(3)}, cost=Cost(agent_usd=0.5))
    arm = sort_arms(rows, read_columns(rows))["shop"]
    expense = measure_expense(arm, no_search=None, amount=attrgetter("cost_usd"))
    assert expense.per_success.value is None
