"""Claude Code's ``stream-json`` events read as tool calls, usage and an ending.

What an ending means is decided in this order, because each later sign has been seen to contradict an
earlier one: ``is_error``, the API's error status and the terminal reason, an answer the product made up
itself, the subtype, and last the exit code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_searchlight.agents.contract import Contract
from pytest_searchlight.agents.endings import explain_over_budget
from pytest_searchlight.agents.error_classes import ErrorSigns
from pytest_searchlight.agents.event_stream import (
    EXIT_GRACE_S,
    Event,
    EventLog,
    add_counts,
    join_text,
    list_dicts,
    list_texts,
    read_dict,
)
from pytest_searchlight.domain import CallOutcome, ToolCall, Usage
from pytest_searchlight.workspace import Stop

_SYNTHETIC_MODEL: Final = "<synthetic>"
_OFFLOADED: Final = "<persisted-output>"
_NOT_RUN: Final = ("<tool_use_error>Error: No such tool available", "<tool_use_error>InputValidationError")
_NOT_APPROVED = re.compile(r"requested permissions to|haven't granted it yet")
_SEARCH_FAILED = re.compile(r'Web search results for query: "[^\n]*"\s+(?:API Error\b|Web search error:)')
"""How the product's own search tells that it failed: as a result that it calls a good one."""
_ERROR_TEXT = re.compile(
    r"^\[?(API Error\b|Error: \d{3}\b|Invalid API key|Failed to authenticate|Not logged in|Please run /login|"
    r"Credit balance is too low|Claude (AI )?usage limit|You've hit|Prompt is too long|Request timed out)"
)
"""How texts begin that the product writes in place of an answer, when no model was paid for one."""


@dataclass
class ClaudeStream:
    """Hears a run's events live and tells, when it is over, what they say.

    `token_budget` is the most tokens the run may use, as far as the stream tells while it goes on.
    """

    contract: Contract
    token_budget: int | None = None
    log: EventLog = field(default_factory=EventLog)
    unavailable: str | None = None

    # --- while the product runs --------------------------------------------------------------------------

    def hear(self, line: bytes) -> Stop | None:
        """Keep a line, and say when there is no point in going on."""
        event = self.log.add(line)
        if event is None:
            return None
        if event.type == "system" and event.body.get("subtype") == "init":
            self.unavailable = explain_unavailable(event.body, contract=self.contract)
            return Stop(reason=self.unavailable) if self.unavailable else None
        if event.type == "result":
            return Stop(reason="did not exit after its final event", after_s=EXIT_GRACE_S)
        if event.type == "assistant" and self.token_budget is not None:
            over = explain_over_budget(_count_tokens_so_far(self.log), budget=self.token_budget)
            return Stop(reason=over) if over else None
        return None

    # --- when it has ended -------------------------------------------------------------------------------

    @property
    def endings(self) -> tuple[dict[str, Any], ...]:
        """The final events: exactly one in a sound stream."""
        return tuple(event.body for event in self.log.find("result"))

    @property
    def init(self) -> dict[str, Any]:
        """The first event, which lists what the product gives its model; empty when it never came."""
        inits = (event.body for event in self.log.find("system") if event.body.get("subtype") == "init")
        return next(inits, {})

    @property
    def over_budget(self) -> str | None:
        """Whether the run used more tokens than it may, by the last count there is."""
        counted = read_usage(self.endings[-1]).total_tokens if self.endings else None
        used = _count_tokens_so_far(self.log) if counted is None else counted
        return explain_over_budget(used, budget=self.token_budget)

    def find_waiting(self) -> ErrorSigns | None:
        """The fault of the model's API that the product was waiting out when the events stopped."""
        last = self.log.events[-1].body if self.log.events else {}
        if last.get("subtype") != "api_retry":
            return None
        return ErrorSigns(code=str(last.get("error")), http_status=last.get("error_status"))

    def list_tools_offered(self) -> tuple[str, ...] | None:
        """What the product says its model may call; the setup's own tools under their own names."""
        if not self.init:
            return None
        return tuple(
            sorted(_name_offered(name, contract=self.contract) for name in list_texts(self.init.get("tools")))
        )

    def list_calls(self) -> tuple[ToolCall, ...]:
        """Every tool call of the transcript, in the order they were made."""
        results = dict(_find_results(self.log))
        return tuple(
            _read_call(block, made=event, answered=results.get(str(block.get("id"))), contract=self.contract)
            for event in self.log.find("assistant")
            for block in _find_blocks(event, kind="tool_use")
        )

    def list_denied(self) -> tuple[str, ...]:
        """Contract tools that were refused for want of approval: a fault of the setup, never the model's.

        Read is approved for one folder only; a refusal anywhere else is the contract at work.
        """
        denied = {str(denial.get("tool_name")) for denial in self._find_denials()}
        return tuple(tool for tool in self.contract.tools if tool in denied and tool != "Read")

    def _find_denials(self) -> Iterator[dict[str, Any]]:
        for ending in self.endings:
            yield from list_dicts(ending.get("permission_denials"))
        refused = {key for key, (_, result) in _find_results(self.log) if _is_unapproved(result)}
        for event in self.log.find("assistant"):
            for block in _find_blocks(event, kind="tool_use"):
                if str(block.get("id")) in refused:
                    yield {"tool_name": block.get("name")}

    def count_offloaded_chars(self) -> int | None:
        """Characters of results that went to files and were not read from there; None when one is not told.

        A shown beginning counts with the words around it, which are some two hundred characters.
        """
        kept = [_count_kept(event, block) for _, (event, block) in _find_results(self.log)]
        if None in kept:
            return None
        calls = self.list_calls()
        read = sum(len(call.result_text or "") for call in calls if call.tool == "Read" and _is_ok(call))
        return max(sum(filter(None, kept)) - read, 0)

    def list_flags(self) -> tuple[str, ...]:
        """Marks of what may have bent the result."""
        calls = self.list_calls()
        offloaded = any((call.result_text or "").startswith(_OFFLOADED) for call in calls)
        read = offloaded and any(call.tool == "Read" and _is_ok(call) for call in calls)
        return ("result_offloaded",) * offloaded + ("offloaded_result_read",) * read


def explain_unavailable(init: dict[str, Any], *, contract: Contract) -> str | None:
    """What is wrong with the tools that the product gives its model, or None when they are the contract's."""
    offered = set(list_texts(init.get("tools")))
    if contract.server is not None:
        states = {
            str(server.get("name")): server.get("status") for server in list_dicts(init.get("mcp_servers"))
        }
        state = states.get(contract.server.name, "not listed")
        if state != "connected":
            return f"MCP server {contract.server.name!r} is {state}, not connected, at the first turn"
    if missing := sorted(set(contract.tools) - offered):
        return f"the model would not be offered {', '.join(missing)}"
    if extra := sorted(offered - set(contract.tools)):
        return f"the model would be offered {', '.join(extra)}, which the setup's contract does not name"
    return None


def find_fault(ending: dict[str, Any], log: EventLog) -> ErrorSigns | None:
    """The signs of a fault in a final event, or None when it stands for a real answer."""
    made_up = _find_made_up(log)
    signs = ErrorSigns(
        code=_find_code(ending, made_up),
        http_status=ending.get("api_error_status"),
        text=str(ending.get("result") or ending.get("subtype") or ""),
    )
    if ending.get("is_error") or signs.http_status is not None or made_up is not None:
        return signs
    if ending.get("terminal_reason") not in (None, "completed") or ending.get("subtype") != "success":
        return signs
    return signs if _ERROR_TEXT.search(signs.text) and read_usage(ending) == Usage() else None


def _find_code(ending: dict[str, Any], made_up: dict[str, Any] | None) -> str | None:
    """The most telling word for machines: why the model stopped, why the run ended, what the API said."""
    for code in (ending.get("stop_reason"), ending.get("terminal_reason"), ending.get("subtype")):
        if code is not None and str(code) not in {
            "completed",
            "success",
            "end_turn",
            "stop_sequence",
            "tool_use",
            "api_error",
        }:
            return str(code)
    return str(made_up["error"]) if made_up and made_up.get("error") else None


def _find_made_up(log: EventLog) -> dict[str, Any] | None:
    """The last message, when it is the product's own and not the model's."""
    last = next((event.body for event in reversed(log.events) if event.type == "assistant"), None)
    if last is None:
        return None
    synthetic = read_dict(last.get("message")).get("model") == _SYNTHETIC_MODEL
    return last if synthetic or last.get("error") else None


def read_usage(ending: dict[str, Any]) -> Usage:
    """Tokens of the whole run, side requests included; unknown when nothing was counted.

    The product counts thinking inside output and says no more about it.
    """
    by_model = [usage for usage in read_dict(ending.get("modelUsage")).values() if isinstance(usage, dict)]
    total = read_dict(ending.get("usage"))
    if by_model:
        names = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")
        counts = [add_counts(*(usage.get(name) for usage in by_model)) for name in names]
    else:
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
        counts = [add_counts(total.get(name)) for name in names]
    if not any(counts):
        return Usage()
    return Usage(
        input_tokens=counts[0],
        cached_input_tokens=counts[1],
        cache_write_tokens=counts[2],
        output_tokens=counts[3],
    )


def _count_tokens_so_far(log: EventLog) -> int:
    """Tokens that the messages so far tell of; one message may come as several events."""
    usages = {
        str(message.get("id")): read_dict(message.get("usage"))
        for event in log.find("assistant")
        if (message := read_dict(event.body.get("message")))
    }
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    return sum(add_counts(usage.get(name)) or 0 for usage in usages.values() for name in names)


def _name_offered(name: str, *, contract: Contract) -> str:
    server, tool = contract.locate_tool(name)
    return tool if contract.allows(server=server, tool=tool) else name


def _find_blocks(event: Event, *, kind: str) -> Iterator[dict[str, Any]]:
    content = list_dicts(read_dict(event.body.get("message")).get("content"))
    return (block for block in content if block.get("type") == kind)


def _find_results(log: EventLog) -> Iterator[tuple[str, tuple[Event, dict[str, Any]]]]:
    for event in log.find("user"):
        for block in _find_blocks(event, kind="tool_result"):
            yield str(block.get("tool_use_id")), (event, block)


def _count_kept(event: Event, result: dict[str, Any]) -> int | None:
    """Characters of a result that its model was not shown; None when the event does not hold the whole."""
    shown = join_text(result.get("content"))
    if not shown.startswith(_OFFLOADED):
        return 0
    whole = join_text(event.body.get("tool_use_result"))
    return max(len(whole) - len(shown), 0) if whole else None


def _is_ok(call: ToolCall) -> bool:
    return call.outcome is CallOutcome.OK


def _read_call(
    use: dict[str, Any], *, made: Event, answered: tuple[Event, dict[str, Any]] | None, contract: Contract
) -> ToolCall:
    server, tool = contract.locate_tool(str(use.get("name")))
    if answered is None:
        return ToolCall(
            tool=tool,
            server=server,
            arguments=use.get("input"),
            outcome=CallOutcome.UNANSWERED,
            executed=None,
            started_s=made.at_s,
        )
    event, result = answered
    text = join_text(result.get("content"))
    outcome, executed = _judge_result(result)
    if server is None and tool == "WebSearch" and _SEARCH_FAILED.match(text):
        outcome = CallOutcome.ERROR
    return ToolCall(
        tool=tool,
        server=server,
        arguments=use.get("input"),
        outcome=outcome,
        executed=executed,
        result_text=text,
        error_text=None if outcome is CallOutcome.OK else text,
        started_s=made.at_s,
        duration_s=round(event.at_s - made.at_s, 3),
    )


def _judge_result(result: dict[str, Any]) -> tuple[CallOutcome, bool]:
    """How a call ended, and whether the tool ran at all."""
    if not result.get("is_error"):
        return CallOutcome.OK, True
    if _is_unapproved(result) or join_text(result.get("content")).startswith(_NOT_RUN):
        return CallOutcome.REFUSED, False
    return CallOutcome.ERROR, True


def _is_unapproved(result: dict[str, Any]) -> bool:
    return bool(result.get("is_error")) and bool(_NOT_APPROVED.search(join_text(result.get("content"))))
