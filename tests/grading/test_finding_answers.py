from __future__ import annotations

import json
import time

import pytest
from grading.grading_examples import make_task
from pydantic import JsonValue

from pytest_searchlight.answers import find_answer

SCHEMA = make_task().deliverable
RIGHT: dict[str, JsonValue] = {"version": "2.4.1", "sources": ["https://kiln.example/"]}
BARE = json.dumps(RIGHT)
PRETTY = json.dumps(RIGHT, indent=2)
EXAMPLE = '{"version": "<version>", "sources": []}'

FOUND = {
    "bare": BARE,
    "pretty": PRETTY,
    "byte order mark": "\ufeff" + BARE,
    "crlf": PRETTY.replace("\n", "\r\n"),
    "fence": f"```json\n{PRETTY}\n```",
    "fence without a label": f"```\n{BARE}\n```",
    "tilde fence": f"~~~json\n{PRETTY}\n~~~",
    "nested fences": f"````md\n```json\n{PRETTY}\n```\n````",
    "prose around": f"Here it {{is}}: {BARE}\nAsk me for {{more}}!",
    "quotes in prose": f'It\'s the 5" one, said "so".\n{PRETTY}\nThat\'s it.',
    "open brace in prose": f'Use {{ and "x\n{PRETTY}',
    "example before": f"The form is {EXAMPLE}.\n\n{PRETTY}",
    "null example before": f'{{"version": null, "sources": []}}\n{BARE}',
    "draft before": f'I will write {{"version": ...\n\n{PRETTY}',
    "commentary object after": f'{BARE}\nUsage: {{"tokens": 5}}',
    "sketch after": f'{BARE}\nI asked for {{"q": ...}} first.',
    "schema echoed before": f"{json.dumps(SCHEMA)}\n{BARE}",
    "in a list": json.dumps([RIGHT]),
    "in a wrapper": json.dumps({"answer": RIGHT}),
    "json in a string": json.dumps(BARE),
    "json in a string in prose": f"Result: {json.dumps(BARE)} done",
    "same key twice": BARE.replace("{", '{"version": "2.4.1", ', 1),
    "trailing commas": '{"version": "2.4.1", "sources": ["https://kiln.example/",],}',
    "comments": '{"version": "2.4.1", // it\'s "new" {\n "sources": ["https://kiln.example/"] /* } */}',
    "python": "{'version': '2.4.1', 'sources': ['https://kiln.example/'], 'a': None, 'b': 'it\\'s \"it\"'}",
    "raw line break": BARE.replace("{", '{"note": "a\nb\n```\n", ', 1),
    "braces in strings": BARE.replace("{", '{"note": "} { \\" ```json {", ', 1),
}

MALFORMED = {
    "": "is empty",
    " \n": "is empty",
    "I found nothing.": "no JSON object",
    "Use {x} and [1].": "no JSON object",
    BARE[:-1]: "cut off",
    BARE[:-10]: "cut off",
    PRETTY[:-5]: "cut off",
    BARE[: BARE.index("2.4") + 1]: "cut off",
    f"{BARE}\n{BARE[:-5]}": "cut off",
    '{"version": "1", "rows": [' + BARE + ", {": "cut off",
    '{"version": "he said "x" ok", "sources": []}': "not valid JSON",
    f'{EXAMPLE}\n{{"version": "he said "x" ok", "sources": []}}': "not valid JSON",
    '{"version": NaN, "sources": []}': "NaN",
    '{"version": -Infinity, "sources": []}': "Infinity",
    '{"version": 1e999, "sources": []}': "too large",
    '{"version": ' + "1" * 5000 + ', "sources": []}': "not valid JSON",
    '{"version": "1", "version": "2", "sources": []}': "two values",
    '{"version": ' + "[" * 5000 + "]" * 5000 + "}": "nested deeper",
    '{"version": ' + "[" * 300 + "]" * 300 + "}": "nested deeper",
}


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND)
def test_the_answer_is_found_in_what_agents_write(text: str) -> None:
    answer = find_answer(text, SCHEMA)
    assert isinstance(answer.deliverable, dict), answer.problem
    assert {name: answer.deliverable.get(name) for name in RIGHT} == RIGHT
    assert answer.text == text
    assert answer.problem is None


@pytest.mark.parametrize("name", ["trailing commas", "comments", "python", "raw line break"])
def test_loose_notation_is_noted(name: str) -> None:
    assert find_answer(FOUND[name], SCHEMA).note == "its notation is not strict JSON"


def test_strict_notation_is_not_noted() -> None:
    assert find_answer(FOUND["prose around"], SCHEMA).note is None


@pytest.mark.parametrize(("text", "said"), MALFORMED.items(), ids=lambda each: each[:60])
def test_a_malformed_answer_is_no_answer_and_says_why(text: str, said: str) -> None:
    answer = find_answer(text, SCHEMA)
    assert answer.deliverable is None
    assert said in (answer.problem or "")


@pytest.mark.parametrize("whole", [BARE, PRETTY, FOUND["python"], FOUND["comments"]])
def test_no_beginning_of_an_answer_is_an_answer(whole: str) -> None:
    for end in range(len(whole)):
        assert find_answer(f"Here it is:\n{whole[:end]}", SCHEMA).deliverable is None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('{"version": "1", "sources": []} {"version": "2", "sources": []}', "2"),
        ('{"version": "1", "sources": []} {"version": 2, "sources": []}', "1"),
        ('{"version": 1, "sources": []} {"version": "2"}', 1),
        ('{"version": "1"} {"other": 2}', "1"),
        (f'{EXAMPLE} {{"version": null, "sources": null}}', None),
    ],
)
def test_the_last_object_that_looks_most_like_the_deliverable_is_taken(text: str, version: JsonValue) -> None:
    deliverable = find_answer(text, SCHEMA).deliverable
    assert isinstance(deliverable, dict)
    assert deliverable["version"] == version


def test_an_object_of_another_shape_is_still_an_answer() -> None:
    assert find_answer('{"sorry": true}', SCHEMA).deliverable == {"sorry": True}


def test_lone_surrogates_survive() -> None:
    assert find_answer('{"version": "\\ud800", "sources": []}', SCHEMA).deliverable == {
        "version": "\ud800",
        "sources": [],
    }


@pytest.mark.parametrize(
    "piece",
    [
        '{"',
        '{"a":',
        '{"\n',
        '{"a":"',
        '{"a":1} ',
        '{"a":1,/*',
        '"{\\"a',
        "{'a':'\\'",
        '{"a":[[',
        "```json\n{",
        "\\",
    ],
)
def test_hostile_megabytes_end_quickly(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.process_time()
    find_answer(text, SCHEMA)
    assert time.process_time() - start < 5.0, "linear time takes well under a second"
