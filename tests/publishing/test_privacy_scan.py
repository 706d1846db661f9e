"""What must not be published is found in texts and in every text of a row; ordinary text is left alone."""

from __future__ import annotations

from typing import Any

import pytest
from rooms.records_for_tests import make_record

from pytest_searchlight.domain import Cost, RunRecord, Usage
from pytest_searchlight.domain.records import JudgeCost, VerdictLine
from pytest_searchlight.publishing import prepare_scan
from pytest_searchlight.publishing.private_marks import MARKS, mark_names
from pytest_searchlight.publishing.scanning import PrivacyScan

SCAN = PrivacyScan(marks=(*MARKS, *mark_names(("jane-doe", "root", "vm"))), secrets={})
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        f"sk-proj-{LETTERS}",
        f"sk-ant-api03-{LETTERS}",
        f"tvly-dev-{LETTERS}",
        "fc-0123456789abcdef0123456789abcdef",
        f"BSA{LETTERS[:26]}",
        f"pplx-{LETTERS}",
        "AKIA0123456789ABCDEF",
        f"ghp_{LETTERS}",
        f"github_pat_{LETTERS}",
        f"AIza{LETTERS}",
        f"xoxb-{LETTERS}",
        f"eyJ{LETTERS}.eyJ{LETTERS}.x",
        f"Authorization: Bearer {LETTERS}",
        "https://jane:hunter2@shop.test/",
        '"EXA_API_KEY": "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"',
        "x-api-key=0f1e2d3c4b5a69788796",
        "password: correct-horse-battery-5",
        "/home/jane/catalogs",
        "see /root/notes",
        "/Users/jane/x",
        "(/tmp/session/runs)",
        "~/battery",
        r"C:\Users\jane",
        "file:///srv/x",
        "10.1.2.3",
        "host 192.168.7.20",
        "172.20.0.1",
        "jane@corp.test",
        "made by jane-doe",
    ],
)
def test_what_is_private_is_found(text: str) -> None:
    (finding,) = list(SCAN.scan_text(f"first\nsecond {text} third"))[:1]
    assert finding.line == 2
    assert text not in finding.what


@pytest.mark.parametrize(
    "text",
    [
        '"identity": "c2ce6f447ed4d57b1e2feb89414c343c1027c4d1c386bbc4cd613e30d8f16adf"',
        '"input_tokens": 123456789012345678',
        "tokens: 1234567890123456789",
        "claude-opus-5-5 and gpt-6.1-sol",
        "https://docs.example/home/users and https://a.test/tmp/x",
        "version 10.2.3 of the package",
        "someone@docs.example",
        "the root cause, on a vm, at /value/home",
        "npm install @scope/package@1.2.3",
        "the key of the matter: a rate without its interval",
        "`reports/2026-11-30-battery/runs.jsonl`",
        "not jane-doe-2 nor mary.jane-doe",
        "ratio: 1/2, 3/4",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert list(SCAN.scan_text(text)) == []


def test_a_known_secret_is_found_in_any_spelling_and_never_shown() -> None:
    scan = prepare_scan({"SHOP_API_KEY": "open sesame!"})
    for text in ("open sesame!", "open%20sesame%21", "b3BlbiBzZXNhbWUh"):
        (finding,) = scan.scan_text(f"x {text} y")
        assert finding == (1, "holds the value of SHOP_API_KEY")


def list_places(value: object, path: str = "") -> list[str]:
    """Every text in a dumped record."""
    if isinstance(value, dict):
        return [place for key, each in value.items() for place in list_places(each, f"{path}.{key}")]
    if isinstance(value, list):
        return [place for number, each in enumerate(value) for place in list_places(each, f"{path}.{number}")]
    return [path.removeprefix(".")] if isinstance(value, str) else []


def set_place(value: Any, path: str, text: str) -> None:  # noqa: ANN401 - dumped JSON
    *parents, last = path.split(".")
    for name in parents:
        value = value[int(name)] if isinstance(value, list) else value[name]
    value[int(last) if isinstance(value, list) else last] = text


FULL_ROW = make_record(
    tags=("tag",),
    flags=("flag",),
    agent_version="1",
    model_name="large",
    started_at="2026-11-30T00:00:00+00:00",
    job_hash="00",
    cost=Cost(unpriced=("no price",)),
    verdicts=(VerdictLine(kind="schema", target="/x", outcome="pass"),),
    judging=JudgeCost(judge="lexical", model_name="small", usage=Usage(), usd=None, unpriced=("no price",)),
)
WORDS = {"setup_kind", "status", "verdicts.0.outcome", "searching.access", "schema_version"}


@pytest.mark.parametrize("place", sorted({*list_places(FULL_ROW.model_dump(mode="json"))} - WORDS))
def test_every_text_of_a_row_is_looked_at(place: str) -> None:
    content = FULL_ROW.model_dump(mode="json")
    set_place(content, place, "/home/jane/x")
    rows = [FULL_ROW, RunRecord.model_validate(content)]
    assert [finding.line for finding in SCAN.scan_rows(rows)] == [2]
