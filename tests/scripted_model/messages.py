"""The wire Claude Code speaks: ``POST /v1/messages``."""

from __future__ import annotations

import itertools
import json
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
    RequestKind,
    SearchResults,
    Step,
    Tokens,
)
from scripted_model.sse import Event, StreamCut, StreamHang

_ids = itertools.count(1)


def read_request(body: dict[str, Any], *, kind: RequestKind) -> ModelRequest:
    """Normalise a request body."""
    tools = body.get("tools") or []
    if any(str(tool.get("type", "")).startswith("web_search_") for tool in tools):
        kind = "web-search"
    results = [block for block in _read_user_blocks(body) if block.get("type") == "tool_result"]
    rounds = sum(_holds_tool_result(message) for message in body.get("messages", []))
    return ModelRequest(
        wire="messages",
        kind=kind,
        turn=rounds,
        model=body.get("model", ""),
        tools=tuple(tool["name"] for tool in tools),
        last_result=_join_text(results[-1].get("content")) if results else None,
        body=body,
    )


def _holds_tool_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(block.get("type") == "tool_result" for block in content)


def _read_user_blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in body.get("messages", []):
        if message["role"] == "user" and isinstance(message["content"], list):
            yield from message["content"]


def _join_text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content)
    return str(content)


def write_message(step: Step, *, request: ModelRequest) -> dict[str, Any]:
    """The reply to a request that asked for no stream."""
    blocks, stop_reason = _compose_blocks(step)
    return _open_message(request, tokens=_read_tokens(step)) | {"content": blocks, "stop_reason": stop_reason}


def write_stream(step: Step, *, request: ModelRequest) -> Iterator[Event]:
    """The events of a streamed reply."""
    tokens = _read_tokens(step)
    yield {"type": "message_start", "message": _open_message(request, tokens=tokens)}
    if isinstance(step, Hang):
        raise StreamHang
    if isinstance(step, FailTurn):
        yield {"type": "error", "error": {"type": step.code, "message": step.message}}
        return
    blocks, stop_reason = _compose_blocks(step)
    for index, block in enumerate(blocks):
        yield from _stream_block(block, index=index)
        if isinstance(step, CutStream):
            raise StreamCut
    delta = {"stop_reason": stop_reason, "stop_sequence": None}
    usage = {"output_tokens": tokens.output + tokens.reasoning} if tokens else {}
    yield {"type": "message_delta", "delta": delta, "usage": usage}
    yield {"type": "message_stop"}


def _read_tokens(step: Step) -> Tokens | None:
    return step.tokens if isinstance(step, Answer | CallTool) else Tokens()


def _open_message(request: ModelRequest, *, tokens: Tokens | None) -> dict[str, Any]:
    return {
        "id": f"msg_{next(_ids)}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _count_usage(tokens),
    }


def _count_usage(tokens: Tokens | None) -> dict[str, int]:
    if tokens is None:
        return {}
    return {
        "input_tokens": tokens.fresh_input,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cached_input,
        "output_tokens": tokens.output + tokens.reasoning,
    }


def _compose_blocks(step: Step) -> tuple[list[dict[str, Any]], str]:
    match step:
        case Answer(text=text) | CutStream(text=text):
            return [_text(text)], "end_turn"
        case Refuse(text=text):
            return [_text(text)], "refusal"
        case CallTool():
            name = f"mcp__{step.server}__{step.tool}" if step.server else step.tool
            said = [_text(step.text)] if step.text else []
            use = {"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": name, "input": step.arguments}
            return [*said, use], "tool_use"
        case SearchResults():
            return _compose_search(step), "end_turn"
        case _:
            raise TypeError(f"{step!r} has no content on the messages wire")


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _compose_search(step: SearchResults) -> list[dict[str, Any]]:
    use_id = f"srvtoolu_{next(_ids)}"
    found = [
        {"type": "web_search_result", "title": title, "url": url, "encrypted_content": "", "page_age": None}
        for title, url in step.pages
    ]
    return [
        {"type": "server_tool_use", "id": use_id, "name": "web_search", "input": {"query": "scripted"}},
        {"type": "web_search_tool_result", "tool_use_id": use_id, "content": found},
        _text(step.summary),
    ]


def _stream_block(block: dict[str, Any], *, index: int) -> Iterator[Event]:
    start, delta = _split_block(block)
    yield {"type": "content_block_start", "index": index, "content_block": start}
    if delta is not None:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _split_block(block: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        case "tool_use" | "server_tool_use":
            partial = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            return block | {"input": {}}, partial
        case _:
            return block, None
