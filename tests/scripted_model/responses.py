"""The wire Codex speaks: ``POST /v1/responses``."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from scripted_model.script import (
    Answer,
    CallTool,
    CutStream,
    FailTurn,
    Hang,
    ModelRequest,
    Refuse,
    RunCode,
    SearchResults,
    Step,
    Tokens,
)
from scripted_model.sse import Event, StreamCut, StreamHang

_ids = itertools.count(1)


def read_request(body: dict[str, Any]) -> ModelRequest:
    """Normalise a request body. Code-mode models get their tools in an input item; both are read."""
    items = body.get("input") or []
    listed = [*(body.get("tools") or [])]
    for item in items:
        if item.get("type") == "additional_tools":
            listed += item.get("tools") or []
    outputs = [item for item in items if _is_output(item)]
    return ModelRequest(
        wire="responses",
        kind="turn",
        turn=_count_rounds(items),
        model=body.get("model", ""),
        tools=tuple(name for tool in listed for name in _name_tool(tool)),
        last_result=_join_text(outputs[-1].get("output")) if outputs else None,
        body=body,
    )


def _is_output(item: dict[str, Any]) -> bool:
    return str(item.get("type", "")).endswith("_call_output")


def _count_rounds(items: list[dict[str, Any]]) -> int:
    flags = [_is_output(item) for item in items]
    return sum(now and not before for before, now in zip([False, *flags], flags, strict=False))


def _name_tool(tool: dict[str, Any]) -> Iterator[str]:
    if tool.get("type") == "namespace":
        yield from (f"{tool['name']}__{member['name']}" for member in tool["tools"])
    else:
        yield tool.get("name") or tool["type"]


def _join_text(output: object) -> str:
    if isinstance(output, list):
        return "".join(str(part.get("text", "")) for part in output)
    return str(output)


def read_search(body: dict[str, Any]) -> ModelRequest:
    """Normalise a search that Codex makes on its own when a code-mode model calls its web tool."""
    return ModelRequest(
        wire="responses",
        kind="web-search",
        turn=0,
        model=body.get("model", ""),
        tools=(),
        last_result=None,
        body=body,
    )


def write_search(step: SearchResults) -> dict[str, Any]:
    """What was found, as the search endpoint says it."""
    return {"output": "\n".join([step.summary, *(f"{title}: {url}" for title, url in step.pages)])}


def write_stream(step: Step, *, request: ModelRequest) -> Iterator[Event]:
    """The events of a streamed reply."""
    response = {"id": f"resp_{next(_ids)}", "object": "response", "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": response}
    if isinstance(step, Hang):
        raise StreamHang
    if isinstance(step, FailTurn):
        error = {"code": step.code, "message": step.message}
        yield {"type": "response.failed", "response": response | {"status": "failed", "error": error}}
        return
    for index, item in enumerate(_compose_items(step, request=request)):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
        if isinstance(step, CutStream):
            raise StreamCut
    tokens = step.tokens if isinstance(step, Answer | CallTool | RunCode) else Tokens()
    done = response | {"status": "completed", "usage": _count_usage(tokens)}
    yield {"type": "response.completed", "response": done}


def _compose_items(step: Step, *, request: ModelRequest) -> list[dict[str, Any]]:
    match step:
        case Answer():
            return [*map(_search, step.searches), _say("output_text", text=step.text)]
        case CutStream(text=text):
            return [_say("output_text", text=text)]
        case Refuse(text=text):
            return [_say("refusal", text=text)]
        case RunCode(source=source):
            return [_execute(source)]
        case CallTool():
            said = [_say("output_text", text=step.text)] if step.text else []
            return [*said, _call(step, code_mode=_is_code_mode(request))]
        case _:
            raise TypeError(f"{step!r} has no content on the responses wire")


def _say(kind: str, *, text: str) -> dict[str, Any]:
    part = {"type": kind, ("refusal" if kind == "refusal" else "text"): text}
    return {"type": "message", "role": "assistant", "id": f"msg_{next(_ids)}", "content": [part]}


def _search(query: str) -> dict[str, Any]:
    action = {"type": "search", "query": query}
    return {"type": "web_search_call", "id": f"ws_{next(_ids)}", "status": "completed", "action": action}


def _is_code_mode(request: ModelRequest) -> bool:
    return any(item.get("type") == "additional_tools" for item in request.body.get("input") or [])


def _call(step: CallTool, *, code_mode: bool) -> dict[str, Any]:
    """A function call, or in code mode the JavaScript that makes it."""
    arguments = json.dumps(step.arguments)
    if code_mode:
        name = f"mcp__{step.server}__{step.tool}" if step.server else step.tool
        identifier = re.sub(r"\W", "_", name)
        return _execute(f"text(JSON.stringify(await tools.{identifier}({arguments})))")
    call = {"type": "function_call", "call_id": f"call_{next(_ids)}", "arguments": arguments}
    namespace = {"namespace": re.sub(r"\W", "_", f"mcp__{step.server}")} if step.server else {}
    return call | namespace | {"name": step.tool}


def _execute(source: str) -> dict[str, Any]:
    call = {"type": "custom_tool_call", "call_id": f"call_{next(_ids)}"}
    return call | {"name": "exec", "namespace": "functions", "input": source}


def _count_usage(tokens: Tokens | None) -> dict[str, Any] | None:
    """Usage as this wire counts: cached inside input, reasoning inside output."""
    if tokens is None:
        return None
    total_input = tokens.fresh_input + tokens.cached_input + tokens.cache_write
    total_output = tokens.output + tokens.reasoning
    return {
        "input_tokens": total_input,
        "input_tokens_details": {
            "cached_tokens": tokens.cached_input,
            "cache_write_tokens": tokens.cache_write,
        },
        "output_tokens": total_output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": total_input + total_output,
    }
