from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from exports.exported import Ended, make_source
from plugin.scripted_agents import MAY_ANSWER
from plugin.small_project import AGENTS_CONFTEST, Project
from rooms.records_for_tests import make_record

from pytest_searchlight.domain import RunStatus
from pytest_searchlight.exports import open_source
from pytest_searchlight.exports.junit import encode_junit

if TYPE_CHECKING:
    from pathlib import Path

OUTCOMES = ("failure", "error", "skipped")


def read_outcomes(root: ET.Element) -> dict[tuple[str, str], str]:
    """What became of each test case, by class name and name."""
    return {
        (case.attrib["classname"], case.attrib["name"]): next(
            (outcome for outcome in OUTCOMES if case.find(outcome) is not None), "passed"
        )
        for case in root.iter("testcase")
    }


def read_counts(root: ET.Element) -> Counter[str]:
    """The numbers that the suites tell of themselves, added up."""
    names = ("tests", "failures", "errors", "skipped")
    return Counter({name: sum(int(suite.attrib[name]) for suite in root.iter("testsuite")) for name in names})


def test_it_says_what_pytest_says_in_its_own_junit_file(ended: Ended) -> None:
    ours, theirs = ET.fromstring(encode_junit(ended.source)), ET.parse(ended.junit_file).getroot()
    assert read_outcomes(ours) == read_outcomes(theirs)
    assert read_counts(ours) == read_counts(theirs)
    assert set(read_outcomes(ours).values()) == {"passed", *OUTCOMES}


def test_elements_and_attributes_are_among_those_that_pytest_writes(ended: Ended) -> None:
    ours, theirs = ET.fromstring(encode_junit(ended.source)), ET.parse(ended.junit_file).getroot()
    known = {(element.tag, name) for element in theirs.iter() for name in element.attrib}
    assert {(element.tag, name) for element in ours.iter() for name in element.attrib} <= known
    shapes = {(parent.tag, child.tag) for parent in theirs.iter() for child in parent}
    assert {(parent.tag, child.tag) for parent in ours.iter() for child in parent} <= shapes


def test_each_case_carries_the_properties_that_pytest_gives_it(ended: Ended) -> None:
    files = [ET.fromstring(encode_junit(ended.source)), ET.parse(ended.junit_file).getroot()]
    ours, theirs = (
        {
            case.attrib["name"]: sorted(tuple(sorted(each.attrib.items())) for each in case.iter("property"))
            for case in root.iter("testcase")
        }
        for root in files
    )
    assert ours == theirs


def test_a_catalog_is_a_suite(ended: Ended) -> None:
    root = ET.fromstring(encode_junit(ended.source))
    assert {suite.attrib["name"] for suite in root} == {"small", "briefs"}


def test_a_failure_names_its_reason_and_the_checks_that_did_not_pass(ended: Ended) -> None:
    root = ET.fromstring(encode_junit(ended.source))
    case = next(case for case in root.iter("testcase") if case.attrib["name"].startswith("sky[wrong-"))
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("wrong answer: ")
    assert "value-match /colour" in (failure.text or "")


def test_a_resumed_session_is_told_as_one(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"], agents=("right", "ailing"))
    first = project.run("catalogs")
    assert first.counts == {"passed": 2, "errors": 2}
    project.write(str(MAY_ANSWER), "")
    again = project.run("--searchlight-resume", "-k", "sky")
    root = ET.fromstring(encode_junit(open_source(again.folder)))
    assert read_counts(root) == Counter(tests=4, failures=0, errors=1, skipped=0)


def test_runs_of_a_report_are_named_as_items_are(report: Path) -> None:
    names = set(read_outcomes(ET.fromstring(encode_junit(open_source(report)))))
    assert ("small", "sky[right-no-search-r2]") in names


def test_a_run_of_a_python_test_stands_in_its_module() -> None:
    record = make_record()
    source = make_source(record)
    node_id = "tests/test_dates.py::TestDates::test_release[agent-no-search-r1]"
    named = type(source)(name="made", records=(record,), node_ids={record.run_id: node_id})
    assert list(read_outcomes(ET.fromstring(encode_junit(named)))) == [
        ("tests.test_dates.TestDates", "test_release[agent-no-search-r1]")
    ]


def test_what_xml_cannot_hold_is_replaced() -> None:
    record = make_record(status=RunStatus.AGENT_ERROR, passed=None, reason="\x00 \ud83d \uffff <&>")
    root = ET.fromstring(encode_junit(make_source(record)))
    error = root.find(".//error")
    assert error is not None
    assert error.attrib["message"] == "agent_error: � ? � <&>"
