"""A session as one junit file, from its rows: however often it was resumed, each run stands in it once.

The elements and attributes are those that pytest writes itself; a suite is a catalog.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final
from xml.etree import ElementTree as ET

from pytest_searchlight.domain import STATUS_RULES, CheckOutcome, RunRecord, RunStatus
from pytest_searchlight.exports.source import RowSource
from pytest_searchlight.reporting.texts import clean_text, list_properties

_NO_CHARACTER: Final = re.compile("[\ufffe\uffff]")
"""What XML cannot hold, besides the control characters that `clean_text` replaces."""


def encode_junit(source: RowSource) -> bytes:
    """The runs of `source` as a junit XML file."""
    root = ET.Element("testsuites", name=_clean(source.name))
    ordered = sorted(source.records, key=lambda run: run.catalog)
    for catalog, runs in groupby(ordered, key=lambda run: run.catalog):
        root.append(_make_suite(catalog, list(runs), source))
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content


def _make_suite(catalog: str, runs: Sequence[RunRecord], source: RowSource) -> ET.Element:
    cases = [_make_case(run, source) for run in runs]
    suite = ET.Element(
        "testsuite",
        name=catalog,
        tests=str(len(cases)),
        failures=_count(cases, "failure"),
        errors=_count(cases, "error"),
        skipped=_count(cases, "skipped"),
        time=f"{sum(run.duration_s or 0.0 for run in runs):.3f}",
        timestamp=min((run.started_at for run in runs if run.started_at), default=""),
    )
    suite.extend(cases)
    return suite


def _count(cases: Iterable[ET.Element], outcome: str) -> str:
    return str(sum(case.find(outcome) is not None for case in cases))


def _make_case(run: RunRecord, source: RowSource) -> ET.Element:
    classname, name = _split_node_id(source.node_ids.get(run.run_id) or _make_node_id(run))
    case = ET.Element("testcase", classname=classname, name=name, time=f"{run.duration_s or 0.0:.3f}")
    properties = ET.SubElement(case, "properties")
    for key, value in list_properties(run):
        ET.SubElement(properties, "property", name=key, value=_clean(value))
    case.extend(_tell_outcome(run))
    return case


def _tell_outcome(run: RunRecord) -> Iterable[ET.Element]:
    rule = STATUS_RULES[run.status].pytest
    if rule == "skip":
        yield ET.Element("skipped", type="pytest.skip", message=_clean(run.reason))
    elif run.passed is not True:
        outcome = ET.Element("error" if rule == "error" else "failure", message=_clean(_explain(run)))
        outcome.text = _clean("\n".join([_explain(run), *_list_failed_checks(run)]))
        yield outcome


def _explain(run: RunRecord) -> str:
    what = "wrong answer" if run.status is RunStatus.GRADED else run.status
    return f"{what}: {run.reason}"


def _list_failed_checks(run: RunRecord) -> list[str]:
    return [
        f"  {verdict.outcome:<8} {verdict.kind} {verdict.target}".rstrip()
        for verdict in run.verdicts
        if verdict.outcome is not CheckOutcome.PASS
    ]


def _make_node_id(run: RunRecord) -> str:
    """A name for a run whose plan is not at hand, as a catalog's item is named."""
    parts = [run.agent, *([run.model_name] if run.model_name else []), run.setup, f"r{run.repetition}"]
    return f"{run.catalog}::{run.task}[{'-'.join(parts)}]"


def _split_node_id(node_id: str) -> tuple[str, str]:
    """Class name and name of a test case, as pytest makes them of a node id."""
    place, bracket, label = node_id.partition("[")
    file, *names = place.split("::")
    *classes, name = names
    return ".".join([file.removesuffix(".py").replace("/", "."), *classes]), name + bracket + label


def _clean(text: object) -> str:
    return _NO_CHARACTER.sub("�", clean_text(text))
