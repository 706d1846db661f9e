from __future__ import annotations

from typing import Any

import pytest
from grading.grading_examples import check_value, make_registry, make_task
from pydantic import JsonValue

REBUILD = {"accept": ["unaffected|keep working"], "forbid": ["rebuil[dt]", "stop working"]}
NUMBER = {"number": {"is": 312_456_789, "within_percent": 1}}
MAJOR = {"number": {"is": 17}}
PRICE = {"number": {"is": 0.09, "within": 0.001}}
DAY = {"date": "2026-09-30"}
RELEASE = {"version": "1.24"}
URL = {"url": "https://foo.example/a/"}

HONEST: list[tuple[dict[str, Any], list[JsonValue]]] = [
    (
        {"equals": "dockershim"},
        [
            "dockershim",
            "Dockershim.",
            '"dockershim"',
            "`dockershim`",
            "**dockershim**",
            "dockershim (the shim in the kubelet)",
            "dockershim \u2014 removed in 1.24",
            ["dockershim"],
        ],
    ),
    ({"equals": "Zo\u00eb O'Hara"}, ["zoe\u0308 o\u2019hara", "ZO\u00cb  O'HARA"]),
    ({"equals": "none"}, ["none", "None."]),
    ({"equals": "@>"}, ["@>", "`@>`"]),
    ({"equals": "C++"}, ["C++", "c++"]),
    ({"equals": ".NET"}, [".net"]),
    ({"equals": True}, [True, [True]]),
    ({"equals": 12}, [12, 12.0, "12", "12.0"]),
    ({"equals": "12"}, ["12", 12]),
    ({"any_of": ["HIC", "Harbour Institute"]}, ["hic", "harbour institute", "HIC (the institute)"]),
    (NUMBER, [312_456_789, "312,456,789", "312M", "about 312 million", "312456789 downloads a week"]),
    (
        MAJOR,
        [17, "17", "17 (16 and older are fine)", "Node 17", "17, since OpenSSL 3", "17.0", "v17: first one"],
    ),
    (PRICE, [0.09, "$0.09", "USD 0.09 per GB", "0.09 USD/GB", "0.0901"]),
    ({"number": {"is": -40}}, [-40, "-40", "\u221240 degrees"]),
    (
        {"number": {"is": 16}},
        ["16 MiB", "16MiB", "16 B", "16 m", "16-bit", "roughly 16 %", "16 (up to 32 in beta)"],
    ),
    ({"number": {"is": 16_000}}, ["16k", "16 thousand", "16,000"]),
    ({"number": {"is": 4096}}, ["4 096", "4,096 bytes", "4096 (as of 2026-11-30)"]),
    (
        DAY,
        [
            "2026-09-30",
            "30 September 2026",
            "September 30, 2026",
            "Sept. 30 2026",
            "30th of September 2026",
            "30.09.2026",
            "30/9/2026",
            "2026/09/30",
            "2026-09-30T10:00:00Z",
            "Released on 30 September 2026",
            "Wednesday, 30 September 2026",
            "2026-09-30 (announced 2026-08-01)",
            "2026\u5e749\u670830\u65e5",
        ],
    ),
    (
        RELEASE,
        [
            "1.24",
            "v1.24",
            "1.24 (deprecated in 1.20)",
            "Kubernetes 1.24",
            "1.24.0",
            "1.24, released 2022-05-03",
        ],
    ),
    ({"version": "3.8"}, ["3.8; 3.6 had only f-strings", "Python 3.8", "3.8 (October 14, 2019)", 3.8]),
    ({"version": "2.0.0-rc1"}, ["2.0rc1", "v2.0.0-RC1", "2.0.0.rc1"]),
    (
        {"version": "6.4.1"},
        ["6.4.1 or later", "6.4.1, newer than the beta", "fixed in 6.4.1 (6.4.0 has the flaw)"],
    ),
    ({"version": "1.0.1g"}, ["1.0.1g", "OpenSSL 1.0.1g"]),
    ({"version": "2.4.1"}, ["Kiln 3 is at 2.4.1", "2.4.1+build.5"]),
    (
        URL,
        [
            "https://foo.example/a",
            "http://www.foo.example/a/#top",
            "<https://foo.example:443/a?utm_source=x>",
            "See https://foo.example/a.",
            "[docs](https://FOO.example/a)",
        ],
    ),
    ({"accept": [r"\b5\b"]}, ["5", "It is 5.", "no doubt 5", "No, 5", "5, not 6", "not only 5", 5]),
    ({"accept": ["containerd"]}, ["Docker is no longer supported, use containerd", ["cri-o", "containerd"]]),
    (
        REBUILD,
        [
            "There is no need to rebuild; images keep working",
            "Images keep working without a rebuild",
            "Images are unaffected. A rebuild is not necessary.",
            "Images are unaffected: rebuilding isn't required",
            "images keep working; they do not have to be rebuilt",
            "They will not stop working and are unaffected",
        ],
    ),
]

DISHONEST: list[tuple[dict[str, Any], list[JsonValue]]] = [
    (
        {"equals": "dockershim"},
        [
            "cri-dockerd",
            "dockershim or cri-dockerd",
            "dockershim (or containerd)",
            "dockershim, cri-dockerd",
            "dockershim; cri-dockerd",
            "not dockershim",
            ["dockershim", "cri-dockerd"],
            {"dockershim": True},
            True,
            5,
        ],
    ),
    ({"equals": "@>"}, ["@", "<@"]),
    ({"equals": "C++"}, ["C", "C#"]),
    ({"equals": True}, [False, "true", 1]),
    ({"equals": False}, [True, 0, "false"]),
    ({"equals": 1}, [True, 1.5, "1 or 2"]),
    ({"equals": "12"}, [13, "012", "12.5"]),
    ({"any_of": ["HIC"]}, ["HIC-714", "HIC or BWA"]),
    (NUMBER, ["300M", "312.4.1", "more than 312M", "312"]),
    (
        MAJOR,
        ["16", "not 17", "17 or 18", "15-17", "at least 17", "17+", "16 (17 is fine)", "17; also 18", "2017"],
    ),
    (PRICE, ["0,09", 9, "0.9", True]),
    (
        DAY,
        ["2026-09", "2026-09-29", "September 2026", "2026-09-30 or 2026-10-01", "not 2026-09-30", 20260930],
    ),
    ({"date": "2026-04-03"}, ["03/04/2026", "04/03/2026"]),
    (
        RELEASE,
        [
            "1.20",
            "1.20; 1.24",
            "1.24 or 1.25",
            "1.25 (1.24 had it)",
            "not 1.24",
            "1.240",
            "1.24, 1.25",
            "1.24.1",
        ],
    ),
    ({"version": "3.8"}, ["3.8, 3.10", "3.8; also 3.10", "3.8; 3.10 is possible", "3.6"]),
    ({"version": "6.4.1"}, ["before 6.4.1", "< 6.4.1", "older than version 6.4.1", "up to 6.4.1"]),
    ({"date": "2026-03-01"}, ["before 2026-03-01", "some day after 1 March 2026"]),
    ({"version": "3.10"}, [3.1, "3.1"]),
    ({"version": "2.0.0-rc1"}, ["2.0.0", "2.0.0-rc2"]),
    (
        URL,
        [
            "https://foo.example/b",
            "foo.example",
            "https://foo.example.evil.test/a",
            "https://foo.example/a https://foo.example/b",
            "ftp://foo.example/a",
            "https://foo.example/a?page=2",
        ],
    ),
    ({"accept": [r"\b5\b"]}, ["not 5", "it is not 5 but 6", "never 5", "isn't 5", "5 is not correct", "15"]),
    (
        REBUILD,
        [
            "Images keep working after you rebuild them",
            "unaffected once rebuilt",
            "Images must be rebuilt",
            "Images keep working, but you cannot avoid a rebuild",
            "Images are unaffected and a rebuild is not optional",
            "They keep working; they do not work without a rebuild",
            "Images keep working; images stop working if you do not update",
        ],
    ),
]

DECLINED: list[JsonValue] = [
    None,
    "",
    "  ",
    [],
    {},
    "unknown",
    "N/A",
    "not found",
    "I could not find this.",
    [None],
]


def _flatten(table: list[tuple[dict[str, Any], list[JsonValue]]]) -> list[tuple[dict[str, Any], JsonValue]]:
    return [(expectation, value) for expectation, values in table for value in values]


@pytest.mark.parametrize(("expectation", "value"), _flatten(HONEST), ids=repr)
def test_an_honest_paraphrase_passes(expectation: dict[str, Any], value: JsonValue) -> None:
    verdict = check_value(value, "value-match", **expectation)
    assert verdict.outcome == "pass", verdict.reason


@pytest.mark.parametrize(("expectation", "value"), _flatten(DISHONEST), ids=repr)
def test_a_wrong_or_hedged_value_is_wrong(expectation: dict[str, Any], value: JsonValue) -> None:
    verdict = check_value(value, "value-match", **expectation)
    assert verdict.outcome == "wrong", verdict.reason


@pytest.mark.parametrize("value", DECLINED, ids=repr)
def test_a_declined_value_is_missing_not_wrong(value: JsonValue) -> None:
    assert check_value(value, "value-match", equals="dockershim").outcome == "missing"


def test_an_absent_field_is_missing() -> None:
    assert check_value({"z": 1}, "value-match", field="/y", equals="a").outcome == "missing"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "exactly one of"),
        ({"equals": "a", "version": "1"}, "equals and version"),
        ({"date": "1 March 2026"}, "YYYY-MM-DD"),
        ({"url": "foo"}, "http or https"),
        ({"accept": ["("]}, "does not compile"),
        ({"accept": ["a*"]}, "matches the empty string"),
        ({"accept": ["(a+)+b"]}, "repeats within a repeat"),
        ({"accept": ["1\u201352"]}, "write it as '1-52'"),
        ({"accept": ["a" * 400]}, "typed field"),
        ({"number": {"is": "12"}}, "valid number"),
        ({"equals": 3.1, "field": "/version"}, "quote it"),
        ({"equals": "a", "field": "/versoin"}, "no such field"),
        ({"equals": "a", "colour": 1}, "colour"),
        ({"equals": "a", "field": "version"}, "/field"),
    ],
)
def test_parameters_that_cannot_be_meant_are_explained(params: dict[str, Any], said: str) -> None:
    validator = make_registry().validators.get("value-match")
    problem = validator.explain_params({"field": "/version", **params}, task=make_task())
    assert problem is not None
    assert said in problem
