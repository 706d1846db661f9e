"""Codex's ``exec --json`` events read as tool calls, usage and an ending.

Only ``turn.completed`` and ``turn.failed`` end a turn. An ``error`` event may be a passing one
("Reconnecting..."), so it is kept as a hint and decides nothing. Which tools the model was offered is not in
the stream, nor are calls that a code-mode model failed to make; other calls to tools that do not exist are
on stderr.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_searchlight.agents.contract import Contract
from pytest_searchlight.agents.error_classes import OTHER, ErrorSigns, classify_error
from pytest_searchlight.agents.event_stream import (
    EXIT_GRACE_S,
    Event,
    EventLog,
    read_count,
    read_dict,
    read_text,
)
from pytest_searchlight.domain import CallOutcome, ToolCall, Usage
from pytest_searchlight.metering.content import list_visible_texts
from pytest_searchlight.workspace import Stop

_FINAL: Final = ("turn.completed", "turn.failed")
_TOOL_ITEMS: Final = frozenset(
    {"mcp_tool_call", "web_search", "command_execution", "file_change", "collab_tool_call"}
)
_OTHER_ITEMS: Final = frozenset({"agent_message", "reasoning", "todo_list", "error"})
_NOT_APPROVED = re.compile(r"requires approval|user cancelled MCP tool call", re.IGNORECASE)
_HTTP_STATUS = re.compile(r"status:? (\d{3})\b")
_NO_SUCH_TOOL = re.compile(r"error=unsupported call: (\S+)")
_SERVER_FAILED = re.compile(r"required MCP servers failed to initialize: .*")


@dataclass
class CodexStream:
    """Hears a run's events live and tells, when it is over, what they say."""

    contract: Contract
    log: EventLog = field(default_factory=EventLog)

    def hear(self, line: bytes) -> Stop | None:
        """Keep a line, and start the time that the product has to exit once it has finished."""
        event = self.log.add(line)
        if event is not None and event.type in _FINAL:
            return Stop(reason="did not exit after its final event", after_s=EXIT_GRACE_S)
        return None

    @property
    def endings(self) -> tuple[dict[str, Any], ...]:
        """The final events: exactly one in a sound stream."""
        return tuple(event.body for event in self.log.find(*_FINAL))

    def find_answer(self) -> str | None:
        """The last message of the model."""
        messages = [item.get("text") for _, item in self._find_items("agent_message", started=False)]
        return read_text(messages[-1]) if messages else None

    def find_waiting(self) -> ErrorSigns | None:
        """The fault of the model's API that the product was waiting out when the events stopped."""
        last = self.log.events[-1] if self.log.events else None
        return (
            read_signs(str(last.body.get("message"))) if last is not None and last.type == "error" else None
        )

    def find_fault(self) -> ErrorSigns | None:
        """The signs of a fault in the final event, or None when there is no such event or it is a good one.

        A final event that says little is read together with the last error before it, which may say more.
        """
        failed = next((body for body in self.endings if body["type"] == "turn.failed"), None)
        if failed is None:
            return None
        message = str(read_dict(failed.get("error")).get("message") or "turn.failed")
        hints = [str(event.body.get("message")) for event in self.log.find("error")]
        signs = read_signs(message)
        if classify_error(signs) is not OTHER or not hints or hints[-1] == message:
            return signs
        return read_signs(f"{message}; before that: {hints[-1]}")

    def list_calls(self) -> tuple[ToolCall, ...]:
        """Every tool call of the transcript, in the order they were made."""
        started: dict[str, tuple[Event, dict[str, Any]]] = {}
        done: dict[str, tuple[Event, dict[str, Any]]] = {}
        for event, item in self._find_items(*_TOOL_ITEMS):
            key = str(item.get("id"))
            started.setdefault(key, (event, item))
            if event.type == "item.completed":
                done[key] = (event, item)
        return tuple(
            _read_call(made, ended=done.get(key), item=item, contract=self.contract)
            for key, (made, item) in started.items()
        )

    def list_denied(self) -> tuple[str, ...]:
        """Contract tools that were refused for want of approval: a fault of the setup, never the model's."""
        refused = {call.tool for call in self.list_calls() if call.outcome is CallOutcome.REFUSED}
        server_tools = self.contract.server_tools.values()
        return tuple(tool for tool in server_tools if tool in refused)

    def list_flags(self) -> tuple[str, ...]:
        """Marks of items this adapter does not know: they may be tools of a newer version."""
        kinds = {
            str(read_dict(event.body.get("item")).get("type"))
            for event in self.log.find("item.started", "item.completed")
        }
        return tuple(f"unknown_item_{kind}" for kind in sorted(kinds - _TOOL_ITEMS - _OTHER_ITEMS))

    def _find_items(self, *kinds: str, started: bool = True) -> Iterator[tuple[Event, dict[str, Any]]]:
        for event in self.log.find("item.completed", *(("item.started",) if started else ())):
            item = read_dict(event.body.get("item"))
            if item.get("type") in kinds:
                yield event, item


def find_server_failure(stderr: str) -> str | None:
    """Why the setup's server kept Codex from starting, in its own words, or None."""
    match = _SERVER_FAILED.search(stderr)
    return match[0] if match else None


def list_impossible_calls(stderr: str) -> tuple[ToolCall, ...]:
    """Calls to tools that the model was not offered; Codex mentions them on stderr only."""
    return tuple(
        ToolCall(
            tool=name, outcome=CallOutcome.REFUSED, executed=False, error_text=f"unsupported call: {name}"
        )
        for name in _NO_SUCH_TOOL.findall(stderr)
    )


def read_signs(message: str) -> ErrorSigns:
    """The signs of a fault in a message; Codex gives HTTP statuses only in words."""
    match = _HTTP_STATUS.search(message)
    return ErrorSigns(http_status=int(match[1]) if match else None, text=message)


def read_usage(ending: dict[str, Any]) -> Usage:
    """Tokens of the turn, made disjoint: Codex counts cached inside input and reasoning inside output.

    A turn that cost nothing at all was not counted, which is unknown.
    """
    usage = {name: read_count(value) for name, value in read_dict(ending.get("usage")).items()}
    if not any(usage.values()):
        return Usage()
    cached, written = usage.get("cached_input_tokens"), usage.get("cache_write_input_tokens")
    reasoning = usage.get("reasoning_output_tokens")
    return Usage(
        input_tokens=_subtract(usage.get("input_tokens"), cached, written),
        cached_input_tokens=cached,
        cache_write_tokens=written,
        output_tokens=_subtract(usage.get("output_tokens"), reasoning),
        reasoning_tokens=reasoning,
    )


def _subtract(total: int | None, *parts: int | None) -> int | None:
    """What is left of `total`; None when it is unknown or the parts do not fit into it."""
    if total is None:
        return None
    rest = total - sum(part or 0 for part in parts)
    return rest if rest >= 0 else None


def _read_call(
    made: Event, *, ended: tuple[Event, dict[str, Any]] | None, item: dict[str, Any], contract: Contract
) -> ToolCall:
    last = item if ended is None else ended[1]
    server, tool, arguments = _name_call(last, contract=contract)
    outcome, executed = (CallOutcome.UNANSWERED, None) if ended is None else _judge_item(last)
    return ToolCall(
        tool=tool,
        server=server,
        arguments=arguments,
        outcome=outcome,
        executed=executed,
        result_text=_find_result(last),
        error_text=None if outcome is CallOutcome.OK else _find_error(last) or _find_result(last),
        started_s=made.at_s,
        duration_s=None if ended is None else round(ended[0].at_s - made.at_s, 3),
    )


def _name_call(item: dict[str, Any], *, contract: Contract) -> tuple[str | None, str, Any]:
    """Server, tool and arguments. Codex lends some tools of its own the name of a server."""
    match item["type"]:
        case "mcp_tool_call":
            server, tool = str(item.get("server")), str(item.get("tool"))
            lent = tool in contract.inert_tools and not contract.allows(server=server, tool=tool)
            return None if lent else server, tool, item.get("arguments")
        case "web_search":
            return None, "web_search", {"query": item.get("query"), "action": item.get("action")}
        case "command_execution":
            return None, "shell", {"command": item.get("command")}
        case "file_change":
            return None, "apply_patch", {"changes": item.get("changes")}
        case kind:
            return None, str(item.get("tool") or kind), item.get("arguments")


def _judge_item(item: dict[str, Any]) -> tuple[CallOutcome, bool]:
    """How a call ended, and whether the tool ran at all."""
    if item.get("status") in (None, "completed"):
        return CallOutcome.OK, True
    if item.get("status") == "declined" or _NOT_APPROVED.search(_find_error(item) or ""):
        return CallOutcome.REFUSED, False
    return CallOutcome.ERROR, True


def _find_result(item: dict[str, Any]) -> str | None:
    result = item.get("result")
    if isinstance(result, dict):
        # On the wire the second is written otherwise; the event is of Codex's own make.
        wired = {"content": result.get("content"), "structuredContent": result.get("structured_content")}
        return "\n".join(list_visible_texts(wired))
    output = item.get("aggregated_output")
    return output if isinstance(output, str) else None


def _find_error(item: dict[str, Any]) -> str | None:
    message = read_dict(item.get("error")).get("message")
    return str(message) if message else None
