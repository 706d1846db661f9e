"""The tool calls of a run in order, each as the agent tells of it and as the wire saw it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.domain import CallOutcome, ToolCall
from pytest_searchlight.metering import MeteredCall, Metering
from pytest_searchlight.run_pages.texts import cut_text, format_json
from pytest_searchlight.searching.calls import read_request

_GIST_CHARS: Final = 120
_START: Final = -1


@dataclass(frozen=True, kw_only=True)
class Step:
    """A tool call.

    Attributes:
        agent: as the agent's transcript tells of it, None when it does not.
        wire: as the metering proxy saw it, None when it did not.
        differences: what one says and the other does not, a sentence each.
    """

    agent: ToolCall | None
    wire: MeteredCall | None
    differences: tuple[str, ...] = ()

    @property
    def tool(self) -> str:
        """Name of the tool."""
        return next(call.tool for call in (self.agent, self.wire) if call is not None)

    @property
    def outcome(self) -> str:
        """How it ended: on the wire where it came that far."""
        return self.wire.outcome if self.wire is not None else str(self.agent and self.agent.outcome)

    @property
    def is_ok(self) -> bool:
        """Whether an answer came that is no error."""
        return self.outcome == CallOutcome.OK

    @property
    def gist(self) -> str:
        """What was asked for, in a line."""
        arguments = next(call.arguments for call in (self.wire, self.agent) if call is not None)
        queries, addresses = read_request(arguments)
        asked = " · ".join(addresses or queries) or ("" if arguments is None else format_json(arguments))
        return cut_text(asked, most_chars=_GIST_CHARS)


def pair_calls(calls: Sequence[ToolCall], *, metering: Metering | None) -> tuple[Step, ...]:
    """The steps of a run, in the agent's order; what only the wire saw stands behind what went before it."""
    metered = () if metering is None else metering.calls
    partners = _find_partners(calls, metered)
    behind = _place_unpaired(metered, partners)
    steps = [_make_step(None, seen, metering) for seen in behind[_START]]
    for place, call in enumerate(calls):
        seen = metered[partners[place]] if place in partners else None
        steps.append(_make_step(call, seen, metering))
        steps += [_make_step(None, seen, metering) for seen in behind[place]]
    return tuple(steps)


def _find_partners(calls: Sequence[ToolCall], metered: Sequence[MeteredCall]) -> dict[int, int]:
    """Place on the wire by place with the agent: first the calls that were asked alike, then the others."""
    partners: dict[int, int] = {}
    for alike in (True, False):
        free = sorted(set(range(len(metered))) - set(partners.values()))
        for agent, call in enumerate(calls):
            if agent in partners or not _is_metered(call):
                continue
            found = next((wire for wire in free if _is_same(call, metered[wire], alike=alike)), None)
            if found is not None:
                partners[agent] = found
                free.remove(found)
    return partners


def _place_unpaired(
    metered: Sequence[MeteredCall], partners: Mapping[int, int]
) -> Mapping[int, list[MeteredCall]]:
    """What only the wire saw, by the place of the agent's call that went before it on the wire."""
    agent_of = {wire: agent for agent, wire in partners.items()}
    behind: defaultdict[int, list[MeteredCall]] = defaultdict(list)
    last = _START
    for wire, seen in enumerate(metered):
        if wire in agent_of:
            last = agent_of[wire]
        else:
            behind[last].append(seen)
    return behind


def _is_metered(call: ToolCall) -> bool:
    return call.server is not None and call.executed is not False


def _is_same(call: ToolCall, seen: MeteredCall, *, alike: bool) -> bool:
    return call.tool == seen.tool and (not alike or call.arguments == seen.arguments)


def _make_step(call: ToolCall | None, seen: MeteredCall | None, metering: Metering | None) -> Step:
    return Step(agent=call, wire=seen, differences=tuple(_list_differences(call, seen, metering)))


def _list_differences(
    call: ToolCall | None, seen: MeteredCall | None, metering: Metering | None
) -> Iterator[str]:
    if call is None:
        yield "the agent's transcript does not tell of this call"
    elif seen is None:
        if metering is not None and _is_metered(call):
            yield "the wire did not see this call"
    else:
        yield from _compare_views(call, seen)


def _compare_views(call: ToolCall, seen: MeteredCall) -> Iterator[str]:
    if (call.outcome is CallOutcome.OK) != (seen.outcome == "ok"):
        yield f"it ended {call.outcome.value} for the agent and {seen.outcome} on the wire"
    if call.arguments != seen.arguments:
        yield "the arguments are not the same"
    told, shown = call.result_text, seen.result_text
    if told is not None and shown is not None and told != shown:
        yield f"the result has {len(told):,} characters for the agent and {len(shown):,} on the wire"
