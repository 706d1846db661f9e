from __future__ import annotations

from typing import Any

import pytest
from grading.grading_examples import ANYTHING, check_value, make_registry, make_task
from pydantic import JsonValue

MODULES: dict[str, Any] = {
    "required": ["aifc", {"name": "telnetlib", "aliases": ["telnet library"]}, "uu"],
    "decoys": ["distutils", "imp"],
}
ROWS: dict[str, Any] = {
    "row_key": "product",
    "rows": {
        "Kiln": {
            "aliases": ["Kiln Cloud"],
            "cells": {"free_gb": {"number": {"is": 100}}, "open": {"equals": True}},
        },
        "Tarn": {"cells": {"free_gb": {"unpublished": True}}},
    },
}
KILN: dict[str, JsonValue] = {"product": "Kiln", "free_gb": 100, "open": True}
TARN: dict[str, JsonValue] = {"product": "tarn", "free_gb": "not published"}


# --- member-set -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "outcome", "said"),
    [
        (["aifc", "telnetlib", "uu"], "pass", "3 of 3"),
        (["`AIFC`", "telnetlib (use telnetlib3)", "uu \u2014 removed", None], "pass", "3 of 3"),
        (["aifc", "telnet library", "uu", "crypt"], "pass", "3 of 3"),
        (["aifc", "aifc", "AIFC"], "missing", "missing: telnetlib, uu"),
        (["aifc, telnetlib, uu"], "missing", "0 of 3"),
        (["aifc", "telnetlib", "uu", "imp"], "wrong", "decoys named: imp"),
        (["imp"], "wrong", "decoys named: imp"),
        ([], "missing", "no members"),
        (None, "missing", "no members"),
        ("not found", "missing", "no members"),
        ("aifc telnetlib uu", "wrong", "not a list"),
        ({"aifc": 1}, "wrong", "not a list"),
        ([1, True, ["aifc"], {"name": "uu"}], "missing", "0 of 3"),
    ],
)
def test_members_are_required_and_decoys_refused(value: JsonValue, outcome: str, said: str) -> None:
    verdict = check_value(value, "member-set", **MODULES)
    assert (verdict.outcome, said in verdict.reason) == (outcome, True), verdict.reason


def test_names_are_read_from_the_key_of_objects() -> None:
    rows: list[JsonValue] = [{"module": "aifc"}, {"module": "telnetlib"}, {"module": "uu"}, {"other": "imp"}]
    assert check_value(rows, "member-set", key="module", **MODULES).outcome == "pass"


def test_a_closed_set_refuses_members_that_are_not_listed() -> None:
    verdict = check_value(["aifc", "telnetlib", "uu", "crypt"], "member-set", closed=True, **MODULES)
    assert verdict.outcome == "wrong"
    assert verdict.details["extra"] == ["crypt"]


def test_optional_members_are_neither_needed_nor_refused() -> None:
    for names in (["aifc", "telnetlib", "uu"], ["aifc", "telnetlib", "uu", "crypt"]):
        value: JsonValue = [*names]
        verdict = check_value(value, "member-set", closed=True, optional=["crypt"], **MODULES)
        assert verdict.outcome == "pass"


def test_fewer_members_are_enough_when_the_check_says_so() -> None:
    assert check_value(["aifc", "uu"], "member-set", min_required=2, **MODULES).outcome == "pass"
    assert check_value(["aifc"], "member-set", min_required=2, **MODULES).outcome == "missing"


# --- citation-set -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "params", "outcome", "said"),
    [
        (["https://docs.python.org/3/"], {"required_hosts": ["python.org"]}, "pass", "1 sources"),
        (["https://docs.python.org:443/3/"], {"required_hosts": ["python.org"]}, "pass", ""),
        (["https://DOCS.Python.org./3/"], {"allowed_hosts": ["docs.python.org"]}, "pass", ""),
        (["See https://a.example/x."], {}, "pass", ""),
        (["[a](https://a.example/x)", None], {}, "pass", ""),
        ("https://a.example/x", {}, "pass", ""),
        ([{"title": "A", "url": "https://a.example/x"}], {"allowed_hosts": ["a.example"]}, "pass", ""),
        (["https://b\u00fccher.example/"], {"required_hosts": ["xn--bcher-kva.example"]}, "pass", ""),
        (
            ["https://evil-python.org/"],
            {"required_hosts": ["python.org"]},
            "wrong",
            "python.org is not cited",
        ),
        (["https://python.org.evil.test/"], {"allowed_hosts": ["python.org"]}, "wrong", "not an allowed"),
        (["https://python.org@evil.test/"], {}, "wrong", "user name"),
        (["https://evil.test/python.org"], {"required_hosts": ["python.org"]}, "wrong", "not cited"),
        (["https://x.spam.test/"], {"forbidden_hosts": ["spam.test"]}, "wrong", "forbidden"),
        (["http://a.example/"], {}, "wrong", "not https"),
        (["http://a.example/"], {"https": False}, "pass", ""),
        (["a.example/x"], {}, "wrong", "no http"),
        (["https://a.example/", "trust me"], {}, "wrong", "no http"),
        (
            ["https://a.example/", "http://www.a.example#x"],
            {"min_count": 2, "https": False},
            "wrong",
            "1 distinct",
        ),
        (["https://a.example/1", "https://a.example/2"], {"min_count": 2}, "pass", "2 sources"),
        (["https://a.example/1", "https://www.a.example/2"], {"min_hosts": 2}, "wrong", "2 needed"),
        (["https://a.example/1", "https://b.example/2"], {"min_hosts": 2}, "pass", ""),
        ([], {}, "missing", "nothing is cited"),
        (["not found"], {}, "missing", "nothing is cited"),
        ([], {"min_count": 0, "min_hosts": 0}, "pass", ""),
        (["https://[bad/", "https://a.example:99999/"], {}, "wrong", "no http"),
    ],
)
def test_citations_are_counted_and_held_to_hosts(
    value: JsonValue, params: dict[str, Any], outcome: str, said: str
) -> None:
    verdict = check_value(value, "citation-set", **params)
    assert (verdict.outcome, said in verdict.reason) == (outcome, True), verdict.reason


# --- table-cells ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "outcome", "said"),
    [
        ([KILN, TARN], "pass", "3 of 3"),
        ([{**KILN, "product": "Kiln Cloud (EU)", "free_gb": "100 GB"}, TARN], "pass", ""),
        ([KILN, TARN, {"product": "Fell", "free_gb": 1}], "pass", ""),
        ([KILN, {"product": "Tarn", "free_gb": None}], "pass", ""),
        ([KILN, {"product": "Tarn", "free_gb": "not published, about 50"}], "wrong", "Tarn/free_gb: claims"),
        ([{**KILN, "free_gb": 10}, TARN], "wrong", "Kiln/free_gb"),
        ([{**KILN, "open": "yes"}, TARN], "wrong", "Kiln/open"),
        ([{**KILN, "free_gb": None}, TARN], "missing", "Kiln/free_gb"),
        ([{**KILN, "free_gb": "unavailable"}, TARN], "missing", "Kiln/free_gb"),
        ([KILN], "missing", "the row is left out"),
        ([KILN, {**KILN, "free_gb": 10}, TARN], "wrong", "Kiln/free_gb"),
        ([], "missing", "no rows"),
        (None, "missing", "no rows"),
        ("a table", "wrong", "not a list"),
        ([1, None, "Kiln", []], "missing", "left out"),
    ],
)
def test_cells_are_checked_row_by_row(rows: JsonValue, outcome: str, said: str) -> None:
    verdict = check_value(rows, "table-cells", **ROWS)
    assert (verdict.outcome, said in verdict.reason) == (outcome, True), verdict.reason


def test_a_closed_table_refuses_other_rows() -> None:
    verdict = check_value([KILN, TARN, {"product": "Fell"}], "table-cells", closed=True, **ROWS)
    assert verdict.outcome == "wrong"
    assert verdict.details["wrong"] == ["Fell"]


# --- parameters -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "params", "said"),
    [
        ("member-set", {"required": []}, "/required"),
        ("member-set", {"required": ["a"], "decoys": ["A"]}, "a decoy is no member"),
        ("member-set", {"required": ["a"], "min_required": 2}, "at most 1"),
        ("member-set", {"required": [{"nam": "a"}]}, "/required/0/nam"),
        ("citation-set", {"required_hosts": ["https://a.example"]}, "without scheme"),
        ("citation-set", {"allowed_hosts": []}, "/allowed_hosts"),
        ("citation-set", {"min_count": -1}, "/min_count"),
        ("table-cells", {"row_key": "p", "rows": {}}, "/rows"),
        ("table-cells", {"row_key": "p", "rows": {"a": {"cells": {"p": {"equals": "a"}}}}}, "no cell"),
        ("table-cells", {"row_key": "p", "rows": {"a": {"cells": {"c": {}}}}}, "exactly one"),
        ("schema", {"strict": True}, "no parameters"),
    ],
)
def test_wrong_parameters_are_explained_with_their_place(
    kind: str, params: dict[str, Any], said: str
) -> None:
    task = make_task(deliverable={"type": "object", "properties": ANYTHING})
    written = params if kind == "schema" else {"field": "/x", **params}
    problem = make_registry().validators.get(kind).explain_params(written, task=task)
    assert problem is not None
    assert said in problem
