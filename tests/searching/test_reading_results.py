"""What search results hold: hits, none, or text that does not tell; and the addresses in them."""

from __future__ import annotations

import pytest

from pytest_searchlight.domain import CallOutcome
from pytest_searchlight.searching.calls import WebCall
from pytest_searchlight.searching.primary_source import find_access
from pytest_searchlight.searching.results import find_addresses, found_nothing, place_address


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        (None, None),
        ("  \n", True),
        ("No results for: https://a.example", True),
        ("**No search results found.** Try other words.", True),
        ("Found 0 search results", True),
        ("0 results", True),
        ("Detailed Results:", True),
        ("Answer: blue\nDetailed Results:", None),
        ("Nothing was found", True),
        ('{"results": [], "answer": null}', True),
        ('{"web": {"results": []}, "query": {"original": "q"}}', True),
        ('{"success": true, "data": {"web": [{"url": "https://a.example"}], "news": []}}', False),
        ("[]", True),
        ('[{"url": "https://a.example"}]', False),
        ('{"type": "text"}', None),
        ('{"torn": ', None),
        ("Title: No results found, what now?\nURL: https://a.example", False),
        ("No results page is ever perfect. " * 30 + "https://a.example", False),
        ("The sky is blue.", None),
    ],
)
def test_a_result_tells_whether_anything_was_found(text: str | None, nothing: bool | None) -> None:
    assert found_nothing(text) is nothing


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example/a/b",
        "http://www.docs.example/a/b/",
        "HTTPS://DOCS.example:443/a/b?utm_source=x#top",
        "https://docs.example/%61/b",
    ],
)
def test_spellings_of_one_address_are_one_place(url: str) -> None:
    assert place_address(url) == "docs.example/a/b"


@pytest.mark.parametrize(
    "url", ["", "docs.example/a", "ftp://docs.example/a", "https://[broken", "https:///a"]
)
def test_what_is_no_address_has_no_place(url: str) -> None:
    assert place_address(url) is None


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("[a](https://a.example/x), see https://b.example/y.", {"a.example/x", "b.example/y"}),
        ('{"url":"https://a.example/x","n":1}', {"a.example/x"}),
        ("(https://a.example/w_(x))", {"a.example/w_(x)"}),
        (r'"text": "https://a.example/x\nnext"', {"a.example/x"}),
        ("<https://a.example>", {"a.example"}),
        ("no address", set()),
    ],
)
def test_addresses_are_found_in_prose_markdown_and_json(text: str, places: set[str]) -> None:
    assert find_addresses(text) == places


def test_a_source_that_is_no_address_cannot_be_looked_for() -> None:
    assert find_access([], source="the handbook, page 4") is None


def test_an_address_in_a_fetched_page_does_not_surface_it() -> None:
    page = WebCall(
        queries=(),
        addresses=("https://a.example/start",),
        outcome=CallOutcome.OK,
        result_text="next: https://a.example/end",
        shown_chars=27,
        span_s=None,
    )
    assert find_access([page], source="https://a.example/end") == "remembered"
