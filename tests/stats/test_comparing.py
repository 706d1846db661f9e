from __future__ import annotations

import json
import random

import pytest
from stats.battery_rows import make_rows, spell

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.errors import SummaryError
from pytest_searchlight.stats.comparing import compare_setups
from pytest_searchlight.stats.figures import Comparison, Comparisons, SetupComparisons

BATTERY = {
    "floor": spell(0, 0, 0, 0, 0, 0, 1),
    "ceiling": spell(3, 3, 3, 3, 3, 2, 3),
    "no-search": spell(0, 1, 0, 0, 0, 0, 2),
    "built-in": spell(3, 2, 0, 3, 1, 0, 3),
    "shop": spell(3, 3, 1, 3, 2, 0, 3),
    "corner": spell(1, 3, 0, 2, 2, 1, 1),
}


def compare(rows: list[RunRecord], *, seed: int = 1) -> Comparisons:
    return compare_setups(rows, seed=seed, draws=1000)


def find_setup(rows: list[RunRecord], setup: str = "shop") -> SetupComparisons:
    (lane,) = compare(rows).lanes
    return next(each for each in lane.setups if each.setup == setup)


def find_comparison(rows: list[RunRecord], reference: str, *, setup: str = "shop") -> Comparison:
    return next(each for each in find_setup(rows, setup).comparisons if each.reference == reference)


def test_each_setup_is_compared_once_with_every_reference_that_has_less_search() -> None:
    (lane,) = compare(make_rows(BATTERY)).lanes
    compared = {each.setup: [one.reference for one in each.comparisons] for each in lane.setups}
    assert compared == {
        "corner": ["floor", "no-search", "built-in"],
        "shop": ["floor", "no-search", "built-in"],
        "built-in": ["floor", "no-search"],
        "no-search": ["floor"],
    }


def test_the_setups_that_share_a_reference_are_one_family() -> None:
    rows = make_rows(BATTERY)
    sizes = {
        name: find_comparison(rows, name).mcnemar.family_size for name in ("floor", "no-search", "built-in")
    }
    assert sizes == {"floor": 4, "no-search": 3, "built-in": 2}


def test_what_could_have_been_detected_goes_by_the_size_of_the_family() -> None:
    alone, together = (
        find_comparison(rows, "floor").resolution.detectable_difference.value
        for rows in (
            make_rows({setup: BATTERY[setup] for setup in ("floor", "ceiling", "shop")}),
            make_rows(BATTERY),
        )
    )
    assert alone is not None
    assert together is not None
    assert together > alone


def test_counts_differences_and_closure_come_from_the_pairs() -> None:
    rows = make_rows(BATTERY)
    against = find_comparison(rows, "no-search")
    assert (against.tasks, against.pairs, against.lost_pairs) == (7, 21, 0)
    assert (against.setup_passes, against.reference_passes) == (15, 3)
    assert (against.mcnemar.setup_only, against.mcnemar.reference_only) == (12, 0)
    assert against.mcnemar.p_value.value == pytest.approx(2 / 2**12)
    assert against.difference.value == pytest.approx(12 / 21)
    assert find_setup(rows).gap_closure.value == pytest.approx(14 / 19)


def test_runs_that_were_not_measured_lose_their_pair_and_are_no_failures() -> None:
    rows = make_rows({"floor": {"a": "---", "b": "-x-"}, "shop": {"a": "+x+", "b": "xx+", "c": "+"}})
    against = find_comparison(rows, "floor")
    assert (against.tasks, against.pairs, against.lost_pairs) == (2, 3, 4)
    assert (against.setup_passes, against.reference_passes) == (3, 0)
    assert against.difference.value == 1.0


def test_a_setup_of_which_nothing_was_measured_has_reasons_instead_of_numbers() -> None:
    rows = make_rows(
        {"floor": {"a": "--"}, "ceiling": {"a": "++"}, "no-search": {"a": "--"}, "shop": {"a": "xx"}}
    )
    setup = find_setup(rows)
    for against in setup.comparisons:
        assert (against.tasks, against.pairs, against.lost_pairs) == (0, 0, 2)
        assert against.mcnemar.p_value.value is None
        assert against.difference.value is None
        assert against.resolution.detectable_difference.value is None
    assert setup.gap_closure.value is None
    assert setup.tokens.per_success.reason == "no run was graded"


def test_controls_are_left_out_against_the_floor_only() -> None:
    floor, shop = {"hoax": "+++"}, {"hoax": "+-+"}
    control = make_rows({"floor": floor, "ceiling": floor, "no-search": floor, "shop": shop}, control=True)
    rows = [*make_rows(BATTERY), *control]
    assert find_comparison(rows, "floor") == find_comparison(make_rows(BATTERY), "floor")
    assert find_setup(rows).gap_closure == find_setup(make_rows(BATTERY)).gap_closure
    assert find_comparison(rows, "no-search").mcnemar.reference_only == 1
    assert find_comparison(rows, "no-search").tasks == 8


def test_without_floor_or_ceiling_the_closure_says_which_is_missing() -> None:
    rows = make_rows({name: BATTERY[name] for name in ("no-search", "shop", "ceiling")})
    assert find_setup(rows).gap_closure.reason == "nothing was run under floor"
    rows = make_rows({name: BATTERY[name] for name in ("no-search", "shop")})
    assert find_setup(rows).gap_closure.reason == "nothing was run under floor and ceiling"


def test_agents_models_and_catalogs_are_never_mixed() -> None:
    lanes = [
        {"catalog": catalog, "agent": agent, "model_name": model}
        for catalog in ("a", "b")
        for agent in ("claude-code", "codex")
        for model in (None, "small", "large")
    ]
    rows = [row for lane in lanes for row in make_rows(BATTERY, **lane)]
    compared = compare(rows)
    assert len(compared.lanes) == 12
    assert len({lane.setups for lane in compared.lanes}) == 1


def test_the_order_of_rows_does_not_matter() -> None:
    rows = make_rows(BATTERY)
    mixed = random.Random(3).sample(rows, len(rows))
    assert compare(mixed) == compare(rows)


def test_everything_is_plain_json_that_reads_back() -> None:
    empty = {"a": "x"}
    rows = [*make_rows(BATTERY), *make_rows({"floor": empty, "shop": empty}, catalog="other")]
    compared = compare(rows)
    text = json.dumps(compared.model_dump(mode="json"), allow_nan=False)
    assert Comparisons.model_validate_json(text) == compared


def test_two_rows_for_one_run_are_refused() -> None:
    rows = make_rows(BATTERY)
    with pytest.raises(SummaryError, match="two rows for one task, setup and repetition"):
        compare([*rows, rows[0]])


def test_no_rows_give_no_comparisons() -> None:
    assert compare([]).lanes == ()
