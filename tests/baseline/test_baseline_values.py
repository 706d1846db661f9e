from __future__ import annotations

import pytest

from pytest_searchlight.baseline.values import (
    convert_number,
    find_codes,
    find_dates,
    find_months,
    find_names,
    find_numbers,
    find_pattern,
    find_urls,
    find_versions,
)
from pytest_searchlight.baseline.words import split_name, split_sentences, stem_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("released 2026-03-01", ["2026-03-01"]),
        ("on 1 March 2026 in Oslo", ["2026-03-01"]),
        ("March 1st, 2026", ["2026-03-01"]),
        ("am 1. März 2026", ["2026-03-01"]),
        ("01.03.2026", ["2026-03-01"]),
        ("2026年3月1日", ["2026-03-01"]),
        ("03/04/2026", []),
        ("31 February 2026", []),
        ("build 20260301, version 2026.3.1", []),
    ],
)
def test_dates_are_read_in_every_form_that_has_one_meaning(text: str, expected: list[str]) -> None:
    assert [found.value for found in find_dates(text)] == expected


def test_a_month_alone_is_no_date_but_a_month() -> None:
    assert not list(find_dates("in March 2026"))
    assert [found.value for found in find_months("in March 2026")] == ["2026-03"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("upgrade to v2.4.1 now", ["2.4.1"]),
        ("2.5.0-rc.1 is out", ["2.5.0-rc.1"]),
        ("edition 3 of the text", ["3"]),
        ("waits 2.5 seconds or 12.5 %", []),
        ("on 01.03.2026", []),
        ("see https://a.example/6.3.2/notes", []),
    ],
)
def test_versions_are_told_from_numbers_dates_and_addresses(text: str, expected: list[str]) -> None:
    assert [found.value for found in find_versions(text)] == expected


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("up to 24 MiB each", 24, "mib"),
        ("about 2,000,000 messages", 2_000_000, "messages"),
        ("costs $12.50", 12.5, "usd"),
        ("1.5 million rows", 1_500_000, "rows"),
        ("bis zu 3,5 Stunden", 3.5, "stunden"),
        ("twelve members", 12, "members"),
        ("a share of 30%", 30, "%"),
    ],
)
def test_numbers_carry_their_unit(text: str, value: float, unit: str) -> None:
    found = next(find_numbers(text))
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(
    ("number", "unit", "wanted", "expected"),
    [
        (2, "minutes", "s", 120),
        (1500, "ms", "s", 1.5),
        (24, "mib", "bytes", 25_165_824),
        (3, "years", "months", 36),
        (24, "mib", "s", None),
    ],
)
def test_units_convert_within_a_dimension_only(
    number: float, unit: str, wanted: str, expected: float | None
) -> None:
    assert convert_number(number, unit=unit, wanted=wanted) == expected


def test_names_are_capitalised_runs_in_any_script_with_capitals() -> None:
    text = "Then came Jörn Quellmeister. The Institute of Slow Data agreed; Łucja Ó Briain left."
    assert [found.value for found in find_names(text)] == [
        "Jörn Quellmeister",
        "Institute of Slow Data",
        "Łucja Ó Briain",
    ]


def test_codes_are_flags_and_identifiers() -> None:
    codes = {found.value for found in find_codes("pass --no-cache or set acl.default_role, see QM-413")}
    assert {"--no-cache", "acl.default_role", "QM-413"} <= codes


def test_addresses_lose_the_punctuation_that_follows_them() -> None:
    assert next(find_urls("(see https://a.example/x?y=1).")).value == "https://a.example/x?y=1"


def test_a_pattern_that_does_not_compile_finds_nothing() -> None:
    assert [found.value for found in find_pattern("case LQ-31, open", r"^LQ-\d+$")] == ["LQ-31"]
    assert not list(find_pattern("case LQ-31", "("))


def test_words_of_one_stem_meet() -> None:
    assert len({*stem_words("release released releases releasing")}) == 1


def test_a_release_belongs_to_its_series() -> None:
    assert stem_words("6.4.1") == ("6.4.1", "6.4")


def test_field_names_become_words() -> None:
    assert split_name("maxFrameSize_mib") == "max Frame Size mib"
    assert split_name("fixed_in_5_9") == "fixed in 5.9"


def test_abbreviations_end_no_sentence() -> None:
    assert split_sentences("It runs, e.g. On Mondays. Dr. Vale said so! 次の文。終わり。") == [
        "It runs, e.g. On Mondays.",
        "Dr. Vale said so!",
        "次の文。",
        "終わり。",
    ]
