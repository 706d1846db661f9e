"""What a query looks like, and where a provider's tool takes it."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from pytest_searchlight.searching.calls import measure_covered_s, read_request
from pytest_searchlight.searching.queries import count_reformulations, describe_query


@pytest.mark.parametrize(
    ("query", "natural"),
    [
        ("What is the frame limit of Quillmesh 6", True),
        ("frame limit?", True),
        ("the limit of frames in the series 6 of Quillmesh", True),
        ("quillmesh frame limit", False),
        ("what limit", False),
        ("quillmesh broker frame size limit MiB series", False),
        ("find quillmesh frame limit", False),
        ("find quillmesh frame limit MiB", True),
        ("limit of frames in series six quillmesh broker", True),
        ("limit of frames in series six quillmesh broker MiB", False),
        ("", False),
    ],
)
def test_a_query_reads_as_a_sentence_or_as_key_words(query: str, natural: bool) -> None:
    assert describe_query(query).natural_language is natural


@pytest.mark.parametrize(
    ("query", "has_year"),
    [
        ("release notes 2026", True),
        ("changes since 2026-01-12", True),
        ("after:2025 limits", True),
        ("CVE-2026-1234", False),
        ("version 2026.1", False),
        ("port 20260", False),
        ("v2026", False),
        ("1899 and 2100", False),
    ],
)
def test_a_year_is_told_from_identifiers_and_versions(query: str, has_year: bool) -> None:
    assert describe_query(query).has_year is has_year


@pytest.mark.parametrize(
    ("query", "has_site", "has_quotes", "words"),
    [
        ("site:docs.example frame limit", True, False, 2),
        ("-SITE:spam.example frame", True, False, 1),
        ("the website: frame", False, False, 3),
        ('"frame limit" broker', False, True, 3),
        ("“frame limit”", False, True, 2),
        ('a 5" disk', False, False, 3),
    ],
)
def test_operators_are_recognised(query: str, has_site: bool, has_quotes: bool, words: int) -> None:
    traits = describe_query(query)
    assert (traits.has_site, traits.has_quotes, traits.words) == (has_site, has_quotes, words)


@pytest.mark.parametrize(
    ("arguments", "queries", "addresses"),
    [
        ({"query": "a"}, ("a",), ()),
        ({"objective": "find a", "search_queries": ["a", "b"]}, ("a", "b"), ()),
        ({"objective": "find a", "search_queries": []}, ("find a",), ()),
        ({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}]}, ("a",), ()),
        ({"input": "which plates are blue", "model": "mini"}, ("which plates are blue",), ()),
        ({"urls": ["https://a.example"], "query": "a"}, ("a",), ("https://a.example",)),
        (
            {"query": "", "action": {"type": "open_page", "url": "https://a.example"}},
            (),
            ("https://a.example",),
        ),
        ({"query": "a", "action": {"type": "search", "queries": ["b", "c"]}}, ("b", "c"), ()),
        ({"query": 7, "url": None, "queries": [None, {}]}, (), ()),
        (["a"], (), ()),
        (None, (), ()),
    ],
)
def test_queries_and_addresses_are_found_in_any_provider_s_arguments(
    arguments: JsonValue, queries: tuple[str, ...], addresses: tuple[str, ...]
) -> None:
    assert read_request(arguments) == (queries, addresses)


def test_queries_of_one_call_do_not_reformulate_each_other() -> None:
    assert count_reformulations([("sky colour", "sky colour blue")]) == 0
    assert count_reformulations([("harbour", "sky colour"), ("sky colour blue",)]) == 1
    assert count_reformulations([]) == 0


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("sky colour", "sky blue colour today", 1),
        ("sky colour", "sky blue colour today now", 0),
        ("sky colour", "Colour: sky!", 0),
        ("sky colour", "harbour rules", 0),
    ],
    ids=["half of the words", "less than half", "the same words", "other words"],
)
def test_a_query_that_shares_half_of_all_words_puts_the_one_before_in_other_words(
    old: str, new: str, count: int
) -> None:
    assert count_reformulations([(old,), (new,)]) == count


def test_time_that_spans_share_is_counted_once() -> None:
    assert measure_covered_s([(2.0, 3.0), (0.0, 1.0), (0.5, 0.75), (2.5, 4.0)]) == 3.0
    assert measure_covered_s([]) == 0.0
