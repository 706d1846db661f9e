"""What passed, followed in the order in which it passed, until it adds up to calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.domain import hash_content
from pytest_searchlight.meter.frames import make_key
from pytest_searchlight.metering.content import list_visible_texts, write_structured
from pytest_searchlight.metering.records import MeteredCall, MeteredTool, ServerExit, ServerInfo, WireOutcome
from pytest_searchlight.metering.spend import find_reported_spend
from pytest_searchlight.metering.wire import Event, Frame

ERROR_TEXT_CHARS: Final = 2000
SERVER_CLOSED: Final = -32000
_HANDSHAKE: Final = frozenset({"initialize", "tools/list"})
_TOOL_NAME: Final = re.compile(rb'"name"\s*:\s*"([^"\\]*)"')

Json = dict[str, JsonValue]


@dataclass
class OpenCall:
    """A tool call while it is followed; `facts` are fields of a `MeteredCall`."""

    at_ns: int
    facts: dict[str, object]


@dataclass
class WireLog:
    """What is known of a run so far.

    What passed is to be added in order of time, session by session; `origin_ns` is the start of the first.
    """

    origin_ns: int
    sessions: int = 0
    ended_sessions: int = 0
    left_sessions: int = 0
    started: bool = False
    spawned: bool = False
    initialized: bool = False
    tools_listed: bool = False
    start_failure: str | None = None
    server_info: ServerInfo | None = None
    protocol_version: str | None = None
    server_exit: ServerExit | None = None
    repeated_cursor: bool = False
    tools: dict[str, MeteredTool] = field(default_factory=dict)
    calls: list[OpenCall] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    server_requests: Counter[str] = field(default_factory=Counter)
    _waiting: dict[str, tuple[str, OpenCall | None]] = field(default_factory=dict)
    _cursors: set[str] = field(default_factory=set)
    _refused: set[str] = field(default_factory=set)
    _http_failures: dict[str, Json] = field(default_factory=dict)

    def add_session(self, timeline: Iterable[Frame | Event]) -> None:
        """Adds a whole session; what is left open in it stays open."""
        for known in (self._waiting, self._cursors, self._refused, self._http_failures):
            known.clear()
        self.sessions += 1
        names = set()
        for item in timeline:
            if isinstance(item, Frame):
                self._add_frame(item)
            else:
                names.add(item.name)
                self._add_event(item)
        self.ended_sessions += "ended" in names
        self.left_sessions += bool(names & {"ended", "stopping"})

    def _add_event(self, event: Event) -> None:
        match event.name, event.facts:
            case "started", _:
                self.started = True
            case "server_spawned", _:
                self.spawned = True
            case "server_not_started", {"reason": str(reason)}:
                self.start_failure = reason
            case "server_exit", {"code": int(code), "unasked": bool(unasked)}:
                self.server_exit = ServerExit(code=code, unasked=unasked)
            case "refused", {"id": request_id}:
                self._refused.add(make_key(request_id))
            case "paced", {"id": request_id, "waited_s": float(waited_s)}:
                self._shift_start(request_id, waited_s)
            case "http_failure", {"id": request_id}:
                self._http_failures[make_key(request_id)] = event.facts

    def _shift_start(self, request_id: object, waited_s: float) -> None:
        """A call begins when it is sent on: the wait for its turn was ours, not the provider's."""
        _, call = self._waiting.get(make_key(request_id), ("", None))
        if call is not None:
            call.at_ns += round(waited_s * 1e9)
            call.facts["started_s"] = (call.at_ns - self.origin_ns) / 1e9
            call.facts["paced_s"] = waited_s

    def _add_frame(self, frame: Frame) -> None:
        messages = frame.parse()
        if messages is None:
            self._add_outline(frame)
        for message in messages or ():
            if frame.side == "client":
                self._add_client_message(message, frame)
            elif "method" in message:
                self.server_requests[str(message["method"])] += 1
            else:
                self._add_answer(message, frame)

    def list_calls(self) -> tuple[MeteredCall, ...]:
        """The calls in the order in which they were made."""
        calls = sorted(self.calls, key=lambda call: call.at_ns)
        return tuple(MeteredCall.model_validate(call.facts) for call in calls)

    # --- the client -------------------------------------------------------------------------------------

    def _add_client_message(self, message: Json, frame: Frame) -> None:
        method, params = message.get("method"), message.get("params")
        if not isinstance(method, str):
            return
        params = params if isinstance(params, dict) else {}
        if method == "notifications/cancelled":
            self._cancel(params, frame)
        if "id" in message:
            call = self._open_call(message["id"], params, frame) if method == "tools/call" else None
            self._waiting[make_key(message["id"])] = (method, call)
        if method == "tools/list" and not params.get("cursor"):
            self._cursors.clear()
        if method != "tools/call":
            self.requests[method] += 1

    def _open_call(self, request_id: object, params: Json, frame: Frame) -> OpenCall:
        facts: dict[str, object] = {
            "request_id": request_id if isinstance(request_id, str | int | float) else None,
            "tool": str(params.get("name", "")),
            "arguments": params.get("arguments"),
            "started_s": (frame.at_ns - self.origin_ns) / 1e9,
            "request_bytes": frame.size,
            "outcome": "unanswered",
        }
        call = OpenCall(frame.at_ns, facts)
        self.calls.append(call)
        return call

    def _cancel(self, params: Json, frame: Frame) -> None:
        """A cancelled call stays cancelled, even if an answer comes late."""
        _, call = self._waiting.get(make_key(params.get("requestId")), ("", None))
        if call is not None:
            reason = params.get("reason")
            call.facts["outcome"] = "cancelled"
            call.facts["latency_s"] = (frame.at_ns - call.at_ns) / 1e9
            call.facts["error_text"] = str(reason)[:ERROR_TEXT_CHARS] if reason else None

    # --- the server -------------------------------------------------------------------------------------

    def _add_answer(self, message: Json, frame: Frame) -> None:
        key = make_key(message.get("id"))
        method, call = self._waiting.pop(key, ("", None))
        result = message.get("result")
        result = result if isinstance(result, dict) else {}
        if call is not None:
            self._close_call(call, frame, read_outcome(message, result, from_meter=frame.side == "meter"))
            self._note_special_cases(call, key)
        elif method == "initialize" and result:
            self._initialize(result)
        elif method == "tools/list" and result:
            self._list_tools(result)
        elif method in _HANDSHAKE and self.start_failure is None:
            told = read_failure(message.get("error"), from_meter=frame.side == "meter")["error_text"]
            self.start_failure = f"{method} was refused: {told}"

    def _close_call(self, call: OpenCall, frame: Frame, outcome: dict[str, object]) -> None:
        call.facts["response_bytes"] = frame.size
        if call.facts["outcome"] == "cancelled":
            return
        call.facts["latency_s"] = (frame.at_ns - call.at_ns) / 1e9
        call.facts.update(outcome)

    def _note_special_cases(self, call: OpenCall, key: str) -> None:
        if key in self._refused:
            call.facts["outcome"] = "refused_budget"
            call.facts["latency_s"] = None
        if failure := self._http_failures.pop(key, None):
            call.facts["http_status"] = failure.get("status")
            call.facts["retry_after_s"] = failure.get("retry_after_s")

    def _initialize(self, result: Json) -> None:
        self.initialized = True
        version, info = result.get("protocolVersion"), result.get("serverInfo")
        self.protocol_version = str(version) if version is not None else None
        if isinstance(info, dict):
            given = info.get("version")
            self.server_info = ServerInfo(
                name=str(info.get("name")), version=None if given is None else str(given)
            )

    def _list_tools(self, result: Json) -> None:
        self.tools_listed = True
        listed = result.get("tools")
        for tool in listed if isinstance(listed, list) else []:
            if isinstance(tool, dict):
                self.tools[str(tool.get("name"))] = describe_tool(tool)
        cursor = result.get("nextCursor")
        if isinstance(cursor, str):
            self.repeated_cursor |= cursor in self._cursors
            self._cursors.add(cursor)

    # --- frames that were too much to record or to parse ----------------------------------------------

    def _add_outline(self, frame: Frame) -> None:
        message = frame.peek()
        if message is None:
            return
        if frame.side == "client" and message.method == "tools/call":
            name = _TOOL_NAME.search(frame.data)
            params: Json = {"name": name[1].decode("utf-8", "replace")} if name else {}
            self._waiting[message.key] = ("tools/call", self._open_call(message.id, params, frame))
        elif message.is_response:
            _, call = self._waiting.pop(message.key, ("", None))
            if call is not None:
                outcome = "ok" if b'"result"' in frame.data else "protocol_error"
                self._close_call(call, frame, {"outcome": outcome})


def read_outcome(message: Json, result: Json, *, from_meter: bool) -> dict[str, object]:
    """The fields of a `MeteredCall` that its answer tells."""
    if message.get("error") is not None or not isinstance(message.get("result"), dict):
        return read_failure(message.get("error"), from_meter=from_meter)
    texts = list_visible_texts(result)
    failed = result.get("isError") is True
    text = "\n".join(texts)
    return {
        "outcome": "tool_error" if failed else "ok",
        "error_text": text[:ERROR_TEXT_CHARS] if failed else None,
        "result_text": text,
        "model_visible_chars": sum(len(part) for part in texts),
        "structured_chars": len(write_structured(result)),
        "provider_spend": find_reported_spend(result),
    }


def read_failure(error: JsonValue, *, from_meter: bool) -> dict[str, object]:
    """The fields of a `MeteredCall` whose answer is an error, or neither an error nor a result."""
    told = error if isinstance(error, dict) else {"message": error or "the answer holds no result"}
    code = told.get("code")
    outcome: WireOutcome = "server_died" if from_meter and code == SERVER_CLOSED else "protocol_error"
    text = str(told.get("message") or "")[:ERROR_TEXT_CHARS]
    return {"outcome": outcome, "error_code": code if isinstance(code, int) else None, "error_text": text}


def describe_tool(tool: Json) -> MeteredTool:
    """A listed tool, as far as it is compared."""
    return MeteredTool(
        name=str(tool.get("name")),
        description_chars=len(str(tool.get("description") or "")),
        schema_sha256=hash_content(tool.get("inputSchema")),
    )
