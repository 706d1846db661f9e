"""A judge's labels are read wherever there is one reading of them, or there is no judgement."""

from __future__ import annotations

import json

import pytest

from pytest_searchlight.domain import RunStatus, Usage
from pytest_searchlight.domain.judging import (
    Judgement,
    JudgePayload,
    PayloadClaim,
    PayloadFact,
    PayloadSource,
)
from pytest_searchlight.errors import RunError
from pytest_searchlight.judges.labels import read_labels

PAYLOAD = JudgePayload(
    question="Which light?",
    brief="The northern one.",
    facts=(PayloadFact(number=1, text="It is the northern one."),),
    claims=(PayloadClaim(number=2, text="It burns.", sources=(1,)),),
    sources=(PayloadSource(number=1, urls=("https://a.example/",), text="It burns."),),
)
SOUND = {
    "facts": [{"number": 1, "reason": "says so", "covered": True}],
    "claims": [{"number": 2, "reason": "the source says so {", "supported": False}],
}
TEXT = json.dumps(SOUND)


def read(text: str) -> Judgement:
    return read_labels(text, payload=PAYLOAD, judge="codex", model_name="m-1", usage=Usage())


def test_a_sound_answer_becomes_a_judgement() -> None:
    judgement = read(f"\n{TEXT}\n")
    assert (judgement.judge, judgement.model_name) == ("codex", "m-1")
    assert [label.covered for label in judgement.facts] == [True]
    assert [(label.number, label.supported) for label in judgement.claims] == [(2, False)]


OTHER = TEXT.replace("true", "false")


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```",
        f"An example would be {OTHER}. The labels are:\n{TEXT}",
        f"{OTHER}\n{TEXT}\nThat is all, {{as asked}}.",
        json.dumps(TEXT),
        TEXT.replace("says so", "says\nso"),
        TEXT.replace("}]}", "},]}"),
        TEXT.replace('"', "'"),
        TEXT.replace("true", "True"),
        TEXT.replace("{", "{ // comment\n", 1),
    ],
)
def test_labels_with_other_words_around_them_or_in_a_loose_notation_are_read(text: str) -> None:
    judgement = read(text)
    assert [label.covered for label in judgement.facts] == [True]
    assert [(label.number, label.supported) for label in judgement.claims] == [(2, False)]


def test_what_had_to_be_overlooked_is_recorded() -> None:
    assert read(TEXT).note is None
    assert read(TEXT.replace("true", "True")).note == "its notation is not strict JSON"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Looks fine to me.",
        TEXT[: TEXT.index("supported") - 3],
        TEXT[:-2],
        f"{TEXT}\n{OTHER[:-2]}",
        f"```json\n{TEXT[:-2]}\n```",
        "[]",
        '{"pass": true}',
        json.dumps(SOUND | {"pass": True}),
        json.dumps(SOUND | {"facts": []}),
        json.dumps(SOUND | {"facts": SOUND["facts"] * 2}),
        json.dumps(SOUND | {"claims": [{"number": 1, "reason": "x", "supported": True}]}),
        json.dumps(SOUND | {"claims": [{"number": 2, "reason": "", "supported": True}]}),
        json.dumps(SOUND | {"claims": [{"number": 2, "reason": " ", "supported": True}]}),
        json.dumps(SOUND | {"claims": [{"number": 2, "reason": "x", "supported": "yes"}]}),
        json.dumps(SOUND | {"claims": [{"number": 2, "reason": "x", "supported": None}]}),
        TEXT.replace('"covered": true', '"covered": true, "covered": false'),
    ],
)
def test_anything_else_is_no_judgement_and_nothing_is_completed(text: str) -> None:
    with pytest.raises(RunError, match="judge codex") as caught:
        read(text)
    assert caught.value.status == RunStatus.UNGRADED
