"""Signs in tool results that a run was handed what a benchmark must not hand out."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue
from searching.searched_sessions import PROMPT, make_searched_task

from pytest_searchlight.domain import CallOutcome, Task
from pytest_searchlight.searching.calls import WebCall
from pytest_searchlight.searching.contamination import list_benchmark_hosts, scan_calls

ANSWER: JsonValue = {
    "sky_colour": "Deep Blue",
    "share": 0.75,
    "clear": True,
    "sources": ["https://a.example/x"],
}
SENTENCE = "the harbour of Norrvik has the bluest of all skies in the last week of November"


def show(result: str | None, query: str = "sky") -> WebCall:
    return WebCall(
        queries=(query,),
        addresses=(),
        outcome=CallOutcome.OK,
        result_text=result,
        shown_chars=None,
        span_s=None,
    )


def list_kinds(*calls: WebCall, task: Task | None = None, **fields: JsonValue) -> list[str]:
    signs = scan_calls(calls, task or make_searched_task(**fields))
    assert signs is not None
    return [sign.kind for sign in signs]


def test_a_copied_task_is_recognised_whatever_stands_around_it() -> None:
    assert list_kinds(show(f"Task 7:\n> {PROMPT.upper()}\nAnswer:")) == ["task-text"]
    assert list_kinds(show(json.dumps({"text": f"x\n{PROMPT}"}))) == ["task-text"]
    assert list_kinds(show("the colour of the sky above the harbour of Norrvik on a clear morning")) == []


def test_a_server_that_repeats_the_query_hands_out_nothing() -> None:
    assert list_kinds(show(f"Results for {PROMPT}\n1. https://a.example", query=PROMPT)) == []


def test_a_copied_task_is_recognised_where_the_query_holds_but_a_part_of_it() -> None:
    part = " ".join(PROMPT.split()[:14])
    assert list_kinds(show(f"Results for {part}\n1. A benchmark", query=part)) == []
    double = f"{PROMPT} Name the station that measured it and the year in which it began to measure there."
    assert list_kinds(show(f"Results for {part}\n1. {double}", query=part), prompt=double) == ["task-text"]


def test_a_prompt_of_a_few_words_is_looked_for_as_a_whole_and_a_shorter_one_not_at_all() -> None:
    text = "they ask which colour has the sky over Norrvik today"
    assert list_kinds(show(text), prompt="Which colour has the sky over Norrvik?") == ["task-text"]
    assert list_kinds(show(text), prompt="Which colour?") == []


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ANSWER),
        "sky_colour: deep blue\nshare: 0.75\nclear: true\n",
        json.dumps({"answer": json.dumps(ANSWER)}),
    ],
)
def test_a_reference_answer_is_recognised_in_any_notation(text: str) -> None:
    assert list_kinds(show(text), reference_answer=ANSWER) == ["reference-answer"]


@pytest.mark.parametrize(
    "text",
    [
        "| Sky colour | Deep Blue | Share | 0.75 | Clear | true |",
        '{"sky_colour": "Deep Blue", "share": 0.5, "clear": true}',
        "Deep Blue, 0.75, true",
    ],
)
def test_the_right_values_on_an_honest_page_are_no_sign(text: str) -> None:
    assert list_kinds(show(text), reference_answer=ANSWER) == []


def test_a_sentence_of_the_reference_answer_is_a_sign() -> None:
    answer: JsonValue = {"colour": "blue", "claims": [{"text": SENTENCE, "citation_urls": []}]}
    assert list_kinds(show(f"Model answer. {SENTENCE}!"), reference_answer=answer) == ["reference-answer"]


@pytest.mark.parametrize(
    ("address", "kinds"),
    [
        ("https://www.swebench.com/", ["benchmark-host"]),
        ("https://github.com/OpenAI/simple-evals/blob/main/a.py", ["benchmark-host"]),
        ("https://github.com/openai/openai-python", []),
        ("https://notswebench.com/", []),
    ],
)
def test_an_address_where_benchmarks_are_kept_is_a_sign(address: str, kinds: list[str]) -> None:
    assert list_kinds(show(f"1. [hit]({address})")) == kinds


def test_a_sign_says_which_call_held_what() -> None:
    signs = scan_calls([show("nothing"), show("https://livebench.ai/#/")], make_searched_task())
    assert signs is not None
    assert [(sign.call, sign.found) for sign in signs] == [(1, "livebench.ai")]


def test_a_result_that_is_not_known_leaves_the_run_unscanned() -> None:
    assert scan_calls([show("https://livebench.ai"), show(None)], make_searched_task()) is None
    assert scan_calls([], make_searched_task()) == ()


def test_the_list_of_hosts_is_in_the_spelling_that_addresses_are_compared_in() -> None:
    hosts = list_benchmark_hosts()
    assert hosts
    assert all(host == host.lower() and not host.startswith(("www.", "http")) for host in hosts)
    assert list(hosts) == sorted(set(hosts))
