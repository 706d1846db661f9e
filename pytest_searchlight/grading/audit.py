"""Holds every observed call against the setup's contract; one rule, one function.

A call outside the contract that was executed contaminates the run: its answer no longer measures the
setup. One that the agent product refused is reported and changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_searchlight.domain import AuditFinding, CallOutcome, ToolCall
from pytest_searchlight.extensions import AuditRule, ObservedRun, Registry


def audit_run(observed: ObservedRun, registry: Registry) -> tuple[AuditFinding, ...]:
    """All findings of all rules, in the rules' order."""
    rules = registry.audit_rules
    return tuple(finding for name in rules for finding in _apply_rule(name, rules.get(name), observed))


def _apply_rule(name: str, rule: AuditRule, observed: ObservedRun) -> list[AuditFinding]:
    """The findings of one rule; a guest that breaks must not cost a run that is made and paid for."""
    try:
        return [AuditFinding.model_validate(finding) for finding in rule(observed)]
    except Exception as error:  # noqa: BLE001 - ungraded: the run is kept and can be graded again
        origin = getattr(rule, "__module__", type(rule).__module__)
        message = (
            f"audit rule {name!r} of {origin} failed on run {observed.run.run_id}: "
            f"{type(error).__name__}: {error}; once it is mended, --searchlight-regrade grades the run again"
        )
        return [AuditFinding(rule=name, message=message, contaminates=False, broken=True)]


def check_calls_in_contract(observed: ObservedRun) -> Iterator[AuditFinding]:
    """Each call in the agent's transcript is one that the setup's contract names."""
    setup = observed.run.setup
    for call in observed.trace.tool_calls:
        if call.server is None and call.tool in observed.own_tools:
            continue
        if call.server == setup.name and call.tool in setup.tool_names:
            continue
        yield _find_outside(call, setup_name=setup.name)


def _find_outside(call: ToolCall, *, setup_name: str) -> AuditFinding:
    executed = call.executed is not False
    place = "its own tool" if call.server is None else f"server {call.server!r}"
    done = "was executed" if executed else "was attempted and refused"
    return AuditFinding(
        rule="calls-in-contract",
        message=f"{call.tool!r} ({place}) is outside the contract of setup {setup_name!r} and {done}",
        contaminates=executed,
        tool=call.tool,
        executed=call.executed,
    )


def check_tools_offered(observed: ObservedRun) -> Iterator[AuditFinding]:
    """The agent product offered its model exactly the tools of the contract, as far as it tells."""
    offered = observed.trace.tools_offered
    if offered is None:
        return
    allowed = observed.own_tools | observed.run.setup.tool_names
    for tool in sorted(set(offered) - allowed):
        yield AuditFinding(
            rule="tools-offered",
            message=f"the model was offered {tool!r}, which setup {observed.run.setup.name!r} does not allow",
            contaminates=False,
            tool=tool,
        )


def check_wire_tools(observed: ObservedRun) -> Iterator[AuditFinding]:
    """The server listed the tools that the setup pins: no more, no fewer."""
    metering = observed.metering
    if metering is None or not metering.tools_listed:
        return
    pinned = observed.run.setup.tool_names
    listed = {tool.name for tool in metering.tools}
    for tool in sorted(pinned ^ listed):
        what = "is pinned but was not listed" if tool in pinned else "was listed but is not pinned"
        yield AuditFinding(
            rule="wire-tools", message=f"tool {tool!r} {what} by the server", contaminates=False, tool=tool
        )


def reconcile_calls(observed: ObservedRun) -> Iterator[AuditFinding]:
    """The agent's transcript and the metering proxy saw the same provider calls."""
    metering = observed.metering
    if metering is None:
        return
    reported = Counter(call.tool for call in observed.trace.tool_calls if _reached_server(call, observed))
    metered = Counter(call.tool for call in metering.calls)
    for tool in sorted(reported.keys() | metered.keys()):
        if reported[tool] != metered[tool]:
            yield AuditFinding(
                rule="calls-reconcile",
                message=f"{tool!r}: {reported[tool]} call(s) in the transcript, {metered[tool]} on the wire",
                contaminates=False,
                tool=tool,
            )


def _reached_server(call: ToolCall, observed: ObservedRun) -> bool:
    refused = call.executed is False or call.outcome is CallOutcome.REFUSED
    return call.server == observed.run.setup.name and not refused


def register_audit_rules(registry: Registry) -> None:
    """Add the built-in rules."""
    registry.audit_rules.add("calls-in-contract", check_calls_in_contract)
    registry.audit_rules.add("tools-offered", check_tools_offered)
    registry.audit_rules.add("wire-tools", check_wire_tools)
    registry.audit_rules.add("calls-reconcile", reconcile_calls)
