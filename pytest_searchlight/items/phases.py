"""How a run passes through its item's phases, and what pytest is told on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from pytest_searchlight.domain import STATUS_RULES, CheckOutcome, RunRecord, RunStatus, TestRun
from pytest_searchlight.errors import DiskError, SearchlightError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.grading import GradedRun
from pytest_searchlight.items.collection import SESSION_KEY, RunItem
from pytest_searchlight.items.live import LiveRun
from pytest_searchlight.reporting.texts import clean_text, list_properties
from pytest_searchlight.runner import MeteringProxy, OpenWorkspace

CALL_REPORT_KEY: Final = pytest.StashKey[pytest.TestReport]()


def start(item: pytest.Item, run: TestRun) -> LiveRun:
    """Tell extensions, and give the run's state."""
    item.ihook.pytest_searchlight_run_started(run=run)
    return LiveRun(item.config.stash[SESSION_KEY], run, asserted=not isinstance(item, RunItem))


def bring_about(
    item: pytest.Item, live: LiveRun, *, open_workspace: OpenWorkspace, proxy: MeteringProxy | None
) -> None:
    """Reuse, regrade or make the run. Skips the item when it must not be made."""
    with _telling_faults(item):
        reason = _bring_about(live, open_workspace=open_workspace, proxy=proxy)
        if reason is None:
            return
        record = live.skip(reason)
    _tell(item, live.run, record)
    pytest.skip(clean_text(reason))


def _bring_about(live: LiveRun, *, open_workspace: OpenWorkspace, proxy: MeteringProxy | None) -> str | None:
    source = live.session.settings.regrade
    if source is not None:
        return live.regrade(SessionFolder(source))
    if live.reuse():
        return None
    reason = live.session.explain_skip(live.run)
    if reason is not None:
        return reason
    with live.session.hold_slots(live.run) as has_waited:
        if has_waited:
            reason = live.session.explain_skip(live.run)  # others went on spending meanwhile
        if reason is None:
            live.make(open_workspace=open_workspace, proxy=proxy)
        return reason


@contextmanager
def _telling_faults(item: pytest.Item) -> Iterator[None]:
    """Turn our errors into an ERROR in a sentence; when the disk refuses, pay for no further run."""
    try:
        yield
    except SearchlightError as error:
        if isinstance(error, DiskError):
            item.session.shouldstop = clean_text(error)
        raise pytest.fail.Exception(clean_text(error), pytrace=False) from None


def require_graded(item: pytest.Item, live: LiveRun) -> GradedRun:
    """The graded run. A run that measures nothing is stored here and becomes an ERROR."""
    assert live.graded is not None
    record = live.graded.record
    if not live.asserted or not STATUS_RULES[record.status].counts:
        _seal(item, live)
    is_audited = not any(finding.broken for finding in live.graded.findings)
    may_yet_be_graded = record.status is RunStatus.UNGRADED and is_audited
    if STATUS_RULES[record.status].pytest == "error" and not may_yet_be_graded:
        pytest.fail(clean_text(f"{record.status}: {record.reason}"), pytrace=False)
    return live.graded


def finish(item: pytest.Item, live: LiveRun) -> None:
    """Store the run of a Python test, with what its assertions said."""
    if live.asserted:
        live.add_assertions(*_read_assertions(item))
        _seal(item, live)


def _seal(item: pytest.Item, live: LiveRun) -> None:
    with _telling_faults(item):
        record = live.seal()
    _tell(item, live.run, record)


def _tell(item: pytest.Item, run: TestRun, record: RunRecord) -> None:
    item.user_properties.extend(list_properties(record))
    item.ihook.pytest_searchlight_run_finished(run=run, record=record)


def _read_assertions(item: pytest.Item) -> tuple[CheckOutcome, str]:
    report = item.stash.get(CALL_REPORT_KEY, None)
    if report is None:
        return CheckOutcome.UNGRADED, "the test's own set-up failed before its assertions were reached"
    if report.passed:
        return CheckOutcome.PASS, "all assertions hold"
    if report.skipped:
        return CheckOutcome.UNGRADED, "the test skipped itself"
    crash = getattr(report.longrepr, "reprcrash", None)
    return CheckOutcome.WRONG, clean_text(getattr(crash, "message", report.longrepr)).split("\n")[0]
