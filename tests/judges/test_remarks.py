"""Remarks on a writer's own means are put neutrally; statements on the world are left as they are."""

from __future__ import annotations

import pytest

from pytest_searchlight.judges.blinding import BlindingError
from pytest_searchlight.judges.remarks import LEFT_OUT, demand_no_own_means, neutralise_remarks

TASK = "What is the frame limit of the broker since release 6.2?"


def put_neutrally(text: str) -> str:
    return neutralise_remarks(text, own_words=TASK)


@pytest.mark.parametrize(
    "remark",
    [
        "I could not search the web",
        "I couldn\u2019t access the internet",
        "I couldn't browse the internet here",
        "I was not able to search online",
        "I was unable to browse the web",
        "I am unable to use any web search tool",
        "I have not been able to search the web",
        "I cannot access the internet in this environment",
        "I can't use a search engine",
        "I did not search the web",
        "Because I could not search the web",
        "I have no internet access",
        "As I have no browsing capability",
        "I had no access to the web",
        "I had no search tool available",
        "I did not have access to a search tool",
        "I don't have web access",
        "I do not have live web access",
        "I lack internet access",
        "I was not given any search tool",
        "No search tool was available to me",
        "No search tools were provided",
        "Since no web search was available",
        "No tools for searching were provided",
        "Web search was not available in this session",
        "The search tool was disabled here",
        "Search tools weren't available to me",
        "My training data",
        "As of my knowledge cutoff",
        "Based on my training data",
        "Relying only on my memory",
        "From my own memory",
        "I answered from memory",
        "Based on training data",
    ],
)
def test_a_remark_on_what_the_writer_had_is_left_out_and_the_rest_stays(remark: str) -> None:
    assert put_neutrally(f"{remark}.") == f"{LEFT_OUT}."
    assert put_neutrally(f"The limit is 24 MiB. {remark}, so check it.") == (
        f"The limit is 24 MiB. {LEFT_OUT}, so check it."
    )


@pytest.mark.parametrize(
    ("told", "neutral"),
    [
        ("Without web access, I cannot say.", f"{LEFT_OUT}, I cannot say."),
        ("Due to the lack of internet access this answer is old.", f"{LEFT_OUT} this answer is old."),
        ("I searched the web and found 24 MiB.", "I looked and found 24 MiB."),
        ("I ran several web searches on it.", "I did research on it."),
        ("I used the web search tool twice.", "I did research twice."),
        ("My web searches found no release 7.", "My research found no release 7."),
        ("My search results name 24 MiB.", "My research name 24 MiB."),
        ("Search results show that it is 24 MiB.", "The sources show that it is 24 MiB."),
        ("The search tool returned no page on it.", "The sources returned no page on it."),
        ("According to the provided excerpt, it is 24 MiB.", "According to the source, it is 24 MiB."),
        ("The reference material given in the prompt says so.", "The source says so."),
        ("The excerpt I was given says so.", "The source says so."),
        ("It rests on the reference in the prompt.", "It rests on the source."),
    ],
)
def test_what_a_writer_did_is_said_as_any_writer_could_have_done_it(told: str, neutral: str) -> None:
    assert put_neutrally(told) == neutral
    demand_no_own_means([put_neutrally(told)], own_words=TASK)


@pytest.mark.parametrize(
    "statement",
    [
        "No release 7 has been announced; the roadmap names no date.",
        "I found no page that states it.",
        "I could not find a date in the project's documentation, so I give none.",
        "The documentation does not say, and I do not guess.",
        "The client cannot access the internet in sealed mode.",
        "Without internet access, the client caches for 30 days.",
        "Web search was unavailable between 9:00 and 11:00 on 3 May.",
        "In sealed mode web search is disabled.",
        "No search index is built before the first start.",
        "The search index is rebuilt nightly; search results expire after a day.",
        "Its memory limit is 2 GB, and the model's training data ends in 2025.",
        "The provider offers a search API with 1,000 free calls.",
        "The reference implementation is written in Rust.",
        "To the best of my knowledge no fix exists.",
        "We could not verify the price online.",
        "The tool searches the web for duplicates.",
        "I recommend the on-line console for access.",
        "The excerpt above the table explains it.",
    ],
)
def test_a_statement_on_the_world_and_an_honest_decline_stay_as_they_are(statement: str) -> None:
    assert put_neutrally(statement) == statement
    demand_no_own_means([statement], own_words=TASK)


@pytest.mark.parametrize(
    "text",
    [
        "My search tool is called something else.",
        "The internet access that was promised to me never came.",
        "It is older than my model's training data.",
        "I wish a web search had been there.",
    ],
)
def test_what_is_still_said_of_own_means_is_refused(text: str) -> None:
    with pytest.raises(BlindingError, match="tells what its writer had at hand"):
        demand_no_own_means([put_neutrally(text)], own_words=TASK)


def test_where_the_task_is_on_search_tools_statements_on_them_are_answers() -> None:
    task = "Which web search tools does the product have?"
    text = "I recommend its web search; no search tool was available before release 3."
    assert neutralise_remarks(text, own_words=task) == text
    demand_no_own_means([text], own_words=task)
