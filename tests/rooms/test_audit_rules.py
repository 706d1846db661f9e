from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from rooms.records_for_tests import NO_SEARCH, SHOP, make_run, observe

from pytest_searchlight.domain import AuditFinding, CallOutcome, Cost, RunStatus, ToolCall
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import AgentTrace, AuditRule, ObservedRun, Registry
from pytest_searchlight.grading import grade_run
from pytest_searchlight.grading.audit import audit_run, register_audit_rules
from pytest_searchlight.metering import MeteredCall, MeteredTool, Metering

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_searchlight.domain import RunRecord

FIND = ToolCall(tool="find", server="shop", outcome=CallOutcome.OK)


def audit(observed: ObservedRun) -> list[AuditFinding]:
    registry = Registry()
    register_audit_rules(registry)
    return [*audit_run(observed, registry)]


def trace_of(*calls: ToolCall, offered: tuple[str, ...] | None = None) -> AgentTrace:
    return AgentTrace(status=RunStatus.GRADED, tool_calls=calls, tools_offered=offered)


def meter(*tools: str, listed: tuple[str, ...] = ("find", "read"), outcome: str = "ok") -> Metering:
    return Metering(
        started=True,
        tools_listed=True,
        tools=tuple(MeteredTool(name=name, description_chars=0, schema_sha256="") for name in listed),
        calls=tuple(
            MeteredCall.model_validate(
                {"request_id": i, "tool": tool, "started_s": 0, "request_bytes": 1, "outcome": outcome}
            )
            for i, tool in enumerate(tools)
        ),
    )


def grade_with_rule(rule: Callable[..., object]) -> RunRecord:
    registry = Registry()
    register_audit_rules(registry)
    registry.audit_rules.add("guest", cast("AuditRule", rule))
    observed = observe(trace_of(), run=make_run(NO_SEARCH))
    return grade_run(observed, registry=registry, price=lambda _: Cost()).record


def raise_at_once(_: ObservedRun) -> Iterator[AuditFinding]:
    raise KeyError("colour")


def raise_later(_: ObservedRun) -> Iterator[AuditFinding]:
    yield AuditFinding(rule="guest", message="found", contaminates=False)
    raise KeyError("colour")


@pytest.mark.parametrize("rule", [raise_at_once, raise_later])
def test_a_rule_that_fails_leaves_the_run_ungraded_and_is_named(rule: AuditRule) -> None:
    record = grade_with_rule(rule)
    assert (record.status, record.passed, record.flags) == (RunStatus.UNGRADED, None, ("guest",))
    assert record.reason.startswith(
        f"audit rule 'guest' of {__name__} failed on run {record.run_id}: KeyError: 'colour'"
    )
    assert "--searchlight-regrade" in record.reason


@pytest.mark.parametrize("given", [None, ["a sentence"], [{"rule": "guest"}]])
def test_a_rule_that_gives_no_findings_is_named_too(given: object) -> None:
    record = grade_with_rule(lambda _: given)
    assert record.status is RunStatus.UNGRADED
    assert "audit rule 'guest'" in record.reason


def test_a_run_that_measured_nothing_stays_what_it_was_when_a_rule_fails() -> None:
    registry = Registry()
    registry.audit_rules.add("guest", raise_at_once)
    trace = AgentTrace(status=RunStatus.AGENT_ERROR, reason="over")
    record = grade_run(observe(trace), registry=registry, price=lambda _: Cost()).record
    assert (record.status, record.reason, record.flags) == (RunStatus.AGENT_ERROR, "over", ("guest",))


@pytest.mark.parametrize("name", ["", "My Rule", "and=or", "Ünique"])
def test_a_rule_has_a_name_that_can_be_printed_anywhere(name: str) -> None:
    with pytest.raises(SettingsError, match=r"audit rule .* choose another"):
        Registry().audit_rules.add(name, raise_at_once)


def test_calls_that_the_contract_names_are_fine() -> None:
    notepad = ToolCall(tool="notepad", outcome=CallOutcome.OK)
    observed = observe(
        trace_of(FIND, notepad, offered=("find", "read", "notepad")),
        run=make_run(SHOP),
        metering=meter("find"),
        own_tools=frozenset({"notepad"}),
    )
    assert audit(observed) == []


def test_an_executed_call_outside_the_contract_contaminates() -> None:
    for call in (
        ToolCall(tool="WebSearch", outcome=CallOutcome.OK),
        ToolCall(tool="find", server="other", outcome=CallOutcome.OK),
        ToolCall(tool="buy", server="shop", outcome=CallOutcome.ERROR),
        ToolCall(tool="find", outcome=CallOutcome.OK, executed=None),
    ):
        findings = audit(observe(trace_of(call), run=make_run(SHOP)))
        assert [(finding.rule, finding.contaminates) for finding in findings] == [("calls-in-contract", True)]
        place = f"server {call.server!r}" if call.server else "its own tool"
        assert findings[0].message.startswith(f"{call.tool!r} ({place}) is outside the contract")


def test_a_refused_call_outside_the_contract_is_reported_and_does_no_harm() -> None:
    call = ToolCall(tool="WebSearch", outcome=CallOutcome.REFUSED, executed=False)
    (finding,) = audit(observe(trace_of(call), run=make_run(NO_SEARCH)))
    assert not finding.contaminates
    assert finding.message.startswith("'WebSearch' (its own tool) is outside the contract")
    assert "was attempted and refused" in finding.message


def test_a_tool_that_was_offered_beyond_the_contract_is_reported() -> None:
    (finding,) = audit(observe(trace_of(offered=("find", "WebFetch")), run=make_run(SHOP)))
    assert (finding.rule, finding.tool, finding.contaminates) == ("tools-offered", "WebFetch", False)


def test_a_product_that_does_not_tell_its_tools_is_not_accused() -> None:
    assert audit(observe(trace_of(offered=None), run=make_run(SHOP))) == []


def test_a_server_that_lists_other_tools_than_pinned_is_reported() -> None:
    findings = audit(observe(trace_of(), run=make_run(SHOP), metering=meter(listed=("find", "buy"))))
    assert {(finding.rule, finding.tool) for finding in findings} == {
        ("wire-tools", "buy"),
        ("wire-tools", "read"),
    }
    assert not any(finding.contaminates for finding in findings)


def test_a_difference_between_transcript_and_wire_is_reported_by_its_numbers() -> None:
    observed = observe(trace_of(FIND, FIND), run=make_run(SHOP), metering=meter("find", "read"))
    messages = {finding.message for finding in audit(observed)}
    assert messages == {
        "'find': 2 call(s) in the transcript, 1 on the wire",
        "'read': 0 call(s) in the transcript, 1 on the wire",
    }


def test_a_call_that_the_product_refused_is_not_missed_on_the_wire() -> None:
    refused = FIND.model_copy(update={"outcome": CallOutcome.REFUSED, "executed": False})
    assert audit(observe(trace_of(FIND, refused), run=make_run(SHOP), metering=meter("find"))) == []
