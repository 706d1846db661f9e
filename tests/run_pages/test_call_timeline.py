"""Tool calls as a reader gets them: in the agent's order, each beside what the wire saw of it."""

from __future__ import annotations

from run_pages.staged_session import meter, meter_call, report_call

from pytest_searchlight.domain import CallOutcome
from pytest_searchlight.run_pages.timeline import pair_calls


def test_a_call_that_both_saw_alike_is_one_step_without_a_word() -> None:
    call, seen = report_call("find"), meter_call("find")
    (step,) = pair_calls([call], metering=meter(seen))
    assert (step.agent, step.wire, step.differences, step.is_ok) == (call, seen, (), True)


def test_calls_of_one_tool_are_paired_by_what_they_asked_whatever_the_order_on_the_wire() -> None:
    calls = [report_call("find", arguments={"query": query}) for query in ("a", "b")]
    seen = [meter_call("find", arguments={"query": query}) for query in ("b", "a")]
    steps = pair_calls(calls, metering=meter(*seen))
    assert [step.gist for step in steps] == ["a", "b"]
    assert [step.wire for step in steps] == seen[::-1]
    assert not any(step.differences for step in steps)


def test_a_call_that_only_the_wire_saw_stands_where_it_happened() -> None:
    seen = [meter_call(tool) for tool in ("find", "hidden", "read")]
    steps = pair_calls([report_call("find"), report_call("read")], metering=meter(*seen))
    assert [step.tool for step in steps] == ["find", "hidden", "read"]
    assert steps[1].differences == ("the agent's transcript does not tell of this call",)


def test_a_call_that_the_wire_should_have_seen_and_did_not_is_told() -> None:
    (step,) = pair_calls([report_call("find")], metering=meter())
    assert step.differences == ("the wire did not see this call",)


def test_own_tools_and_refused_calls_are_not_expected_on_the_wire() -> None:
    own = report_call("Read", server=None)
    refused = report_call("find", executed=False, outcome=CallOutcome.REFUSED)
    steps = pair_calls([own, refused], metering=meter(meter_call("find", arguments={"query": "other"})))
    unseen = [step for step in steps if step.wire is None]
    assert [step.agent for step in unseen] == [own, refused]
    assert not any(step.differences for step in unseen)


def test_without_a_meter_nothing_is_missed() -> None:
    (step,) = pair_calls([report_call("find")], metering=None)
    assert (step.wire, step.differences, step.outcome) == (None, (), "ok")


def test_whatever_the_two_views_say_differently_is_told() -> None:
    call = report_call("find", "short", arguments={"query": "x"}, outcome=CallOutcome.OK)
    seen = meter_call("find", "a longer text", arguments={"query": "y"}, outcome="tool_error")
    (step,) = pair_calls([call], metering=meter(seen))
    assert step.differences == (
        "it ended ok for the agent and tool_error on the wire",
        "the arguments are not the same",
        "the result has 5 characters for the agent and 13 on the wire",
    )


def test_the_gist_of_a_call_is_what_it_asks_for() -> None:
    fetch = report_call("read", arguments={"url": "https://a.example/"})
    odd = report_call("odd", arguments={"level": 3})
    nothing = report_call("none", arguments=None)
    steps = pair_calls([fetch, odd, nothing], metering=None)
    assert [step.gist for step in steps] == ["https://a.example/", '{ "level": 3 }', ""]
