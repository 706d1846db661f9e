"""From what was observed to a record: status, reasons, numbers, and the way back from stored evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import make_task
from rooms.records_for_tests import SHOP, make_run, observe

from pytest_searchlight.domain import (
    CallOutcome,
    CheckOutcome,
    Cost,
    JudgeCost,
    RunStatus,
    Task,
    ToolCall,
    Usage,
    Verdict,
)
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import Scrubber, SessionFolder, open_bundle, read_bundle, seal_bundle
from pytest_searchlight.extensions import AgentTrace, ObservedRun, Registry
from pytest_searchlight.grading import (
    GradedRun,
    describe_files,
    describe_head,
    describe_unrun,
    grade_run,
    read_observed,
)
from pytest_searchlight.grading.audit import register_audit_rules
from pytest_searchlight.grading.runs import AssessBrief
from pytest_searchlight.judges import Assessment
from pytest_searchlight.metering import MeteredCall, MeteredTool, Metering
from pytest_searchlight.validators import register_validators

if TYPE_CHECKING:
    from pathlib import Path

STRAY = ToolCall(tool="shell", arguments={"cmd": "curl"}, outcome=CallOutcome.OK)


def grade(observed: ObservedRun, *, assess: AssessBrief | None = None) -> GradedRun:
    registry = Registry()
    register_audit_rules(registry)
    register_validators(registry)
    price = Cost(agent_usd=0.5, provider_usd=0.25)
    return grade_run(observed, registry=registry, price=lambda _: price, assess=assess)


def trace(text: str | None = '{"colour": "blue"}', **facts: object) -> AgentTrace:
    return AgentTrace.model_validate({"status": RunStatus.GRADED, "answer_text": text, **facts})


@pytest.mark.parametrize(
    ("text", "passed", "reason"),
    [
        ('{"colour": "blue"}', True, ""),
        ('So: ```json\n{"colour": "Blue"}\n``` Done.', True, ""),
        ('{"colour": "red"}', False, "red"),
        ("It is blue.", False, "malformed"),
        ("", False, "malformed: the final message is empty"),
        (None, False, "malformed: the final message is empty"),
        ('{"colour": 3}', False, ""),
    ],
)
def test_an_answer_is_graded_and_a_wrong_one_has_its_reason(
    text: str | None, passed: bool, reason: str
) -> None:
    record = grade(observe(trace(text))).record
    assert (record.status, record.passed) == (RunStatus.GRADED, passed)
    assert reason in record.reason


@pytest.mark.parametrize("status", [RunStatus.TIMEOUT, RunStatus.BUDGET_EXHAUSTED, RunStatus.AGENT_ERROR])
def test_a_run_that_did_not_finish_is_not_scored(status: RunStatus) -> None:
    graded = grade(observe(trace(status=status, reason="over")))
    assert (graded.record.status, graded.record.passed, graded.record.reason) == (status, None, "over")
    assert graded.score.verdicts == ()


@pytest.mark.parametrize("status", [RunStatus.GRADED, RunStatus.TIMEOUT])
def test_a_call_outside_the_contract_takes_the_pass_away(status: RunStatus) -> None:
    record = grade(observe(trace(status=status, tool_calls=(STRAY,)))).record
    assert (record.status, record.passed) == (RunStatus.CONTAMINATED, None)
    assert "'shell' (its own tool) is outside the contract" in record.reason
    assert record.flags == ("calls-in-contract",)


def test_a_fault_of_infrastructure_stays_one_whatever_was_called() -> None:
    record = grade(observe(trace(status=RunStatus.AGENT_ERROR, tool_calls=(STRAY,)))).record
    assert record.status is RunStatus.AGENT_ERROR


def test_the_record_carries_the_numbers_of_the_run() -> None:
    metering = Metering(
        tools_listed=True,
        tools=tuple(
            MeteredTool(name=name, description_chars=0, schema_sha256="") for name in ("find", "read")
        ),
        calls=tuple(make_call(outcome) for outcome in ("ok", "tool_error", "refused_budget")),
    )
    usage = Usage(input_tokens=100, cached_input_tokens=50, output_tokens=7)
    record = grade(observe(trace(usage=usage), run=make_run(SHOP), metering=metering)).record
    assert (record.usage.total_tokens, record.cost.total_usd) == (157, 0.75)
    assert (record.provider_calls, record.provider_latencies_s) == (2, (0.25, 0.25))
    assert (record.result_chars, record.offloaded_chars, record.model_visible_chars) == (80, None, None)
    assert (record.agent_version, record.duration_s) == ("1.0", 2.5)


@pytest.mark.parametrize(("offloaded", "shown"), [(0, 40), (30, 10), (41, 0), (None, None)])
def test_what_the_product_kept_from_its_model_was_not_shown_to_it(
    offloaded: int | None, shown: int | None
) -> None:
    metering = Metering(tools_listed=True, calls=(make_call("ok"),))
    record = grade(observe(trace(offloaded_chars=offloaded), run=make_run(SHOP), metering=metering)).record
    assert (record.result_chars, record.offloaded_chars, record.model_visible_chars) == (40, offloaded, shown)


def test_characters_of_a_result_whose_record_is_torn_are_unknown() -> None:
    torn = make_call("ok").model_copy(update={"model_visible_chars": None})
    metering = Metering(tools_listed=True, calls=(make_call("ok"), torn))
    record = grade(observe(trace(offloaded_chars=0), run=make_run(SHOP), metering=metering)).record
    assert (record.result_chars, record.offloaded_chars, record.model_visible_chars) == (None, None, None)


def make_call(outcome: str) -> MeteredCall:
    return MeteredCall.model_validate(
        {
            "request_id": 1,
            "tool": "find",
            "started_s": 0,
            "latency_s": 0.25,
            "request_bytes": 9,
            "model_visible_chars": 40,
            "outcome": outcome,
        }
    )


def test_without_a_meter_provider_calls_and_what_they_showed_are_none_or_unknown() -> None:
    alone = grade(observe(trace())).record
    assert (alone.provider_calls, alone.result_chars, alone.model_visible_chars) == (0, 0, 0)
    called = trace(tool_calls=(ToolCall(tool="find", server="shop", outcome=CallOutcome.OK),))
    record = grade(observe(called, run=make_run(SHOP))).record
    assert (record.provider_calls, record.result_chars, record.model_visible_chars) == (None, None, None)


def test_a_run_that_was_not_made_has_no_attempt_and_no_number() -> None:
    record = describe_unrun(make_run(), status=RunStatus.SKIPPED, reason="no budget")
    assert (record.attempts, record.passed, record.started_at, record.duration_s) == (0, None, None, None)
    assert (record.usage, record.cost, record.provider_calls) == (Usage(), Cost(), None)
    assert (record.verdicts, record.flags, record.searching) == ((), (), None)


# --- briefs ----------------------------------------------------------------------------------------------

BRIEF = make_run(
    task=Task.model_validate(make_task("sky", rubric={"key_facts": [{"id": "f", "text": "Blue."}]}))
)
JUDGED = Verdict(kind="rubric", target="solomon", outcome=CheckOutcome.PASS, reason="recall 1.00")


def test_a_brief_whose_checks_pass_waits_for_a_judge() -> None:
    record = grade(observe(trace(), run=BRIEF)).record
    assert (record.status, record.passed, record.judging) == (RunStatus.UNGRADED, None, None)
    assert "no judge has read the brief" in record.reason


def test_a_judges_verdict_stands_behind_those_of_the_checks_and_its_cost_in_the_row() -> None:
    cost = JudgeCost(judge="solomon", model_name=None, usage=Usage(), usd=0.1)
    graded = grade(observe(trace(), run=BRIEF), assess=lambda *_: Assessment(verdict=JUDGED, cost=cost))
    assert (graded.record.passed, graded.record.judging) == (True, cost)
    assert [each.kind for each in graded.score.verdicts] == ["schema", "value-match", "rubric"]
    assert graded.score.verdicts[-1] == JUDGED


def test_a_brief_that_fails_a_check_is_read_by_nobody() -> None:
    graded = grade(observe(trace('{"colour": "red"}'), run=BRIEF), assess=lambda *_: pytest.fail("asked"))
    assert (graded.record.passed, graded.record.judging) == (False, None)


# --- and back --------------------------------------------------------------------------------------------


def store(graded: GradedRun, folder: Path) -> Path:
    session = SessionFolder(folder / "session")
    session.create()
    return seal_bundle(
        open_bundle(session, "run"),
        destination=session.runs / "run",
        head=describe_head(graded),
        files=describe_files(graded),
        scrub=Scrubber([]),
    )


ODD = "lone \ud83d, NUL \x00, line \u2028 end"


@pytest.mark.parametrize("text", ['{"colour": "blue"}', "", None, f'{{"colour": "{ODD}"}}'])
def test_a_stored_run_is_graded_again_to_the_same_record(tmp_path: Path, text: str | None) -> None:
    calls = (ToolCall(tool="notepad", arguments={"text": ODD}, outcome=CallOutcome.OK, result_text=ODD),)
    observed = observe(
        trace(text, tool_calls=calls, transcript=({"type": "x", "text": ODD},), usage=Usage(input_tokens=1)),
        metering=None,
        own_tools=frozenset({"notepad"}),
    )
    graded = grade(observed)
    again = grade(read_observed(read_bundle(store(graded, tmp_path)), observed.run))
    assert again.record.model_dump(exclude={"reason"}) == graded.record.model_dump(exclude={"reason"})


def test_what_the_wire_saw_is_read_back_too(tmp_path: Path) -> None:
    metering = Metering(started=True, tools_listed=True, calls=(make_call("ok"),), stderr_tail="warm-up")
    observed = observe(trace(), run=make_run(SHOP), metering=metering)
    again = read_observed(read_bundle(store(grade(observed), tmp_path)), observed.run)
    assert again.metering == metering


def test_changed_checks_grade_the_same_evidence_anew(tmp_path: Path) -> None:
    graded = grade(observe(trace()))
    red = [{"kind": "value-match", "field": "/colour", "equals": "red"}]
    run = make_run(task=Task.model_validate(make_task("sky", checks=red)))
    again = grade(read_observed(read_bundle(store(graded, tmp_path)), run))
    assert again.record.passed is False
    assert again.record.grading_hash != graded.record.grading_hash


def test_a_bundle_without_an_observed_run_cannot_be_graded(tmp_path: Path) -> None:
    folder = store(grade(observe(trace())), tmp_path)
    bundle = read_bundle(folder)
    del bundle.head["trace"]
    with pytest.raises(EvidenceError, match="holds no observed run"):
        read_observed(bundle, make_run())
