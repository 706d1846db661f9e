"""The MCP side: one server over stdio, its tools called with a limit on how often."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import anyio
from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp.types import (
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from pytest_searchlight.baseline.events import EventStream
from pytest_searchlight.baseline.hits import Hit, read_hits
from pytest_searchlight.baseline.tools import (
    Tool,
    choose_fetch_tool,
    choose_search_tool,
    fill_fetch_arguments,
    fill_search_arguments,
)

CALL_TIMEOUT_S: Final = 60.0
MAX_TOOL_PAGES: Final = 20

_FAULTS: Final = (MCPError, RuntimeError, ValueError, anyio.ClosedResourceError, anyio.BrokenResourceError)
"""What the SDK raises for a call that went wrong: protocol errors, time-outs, results that break a schema."""


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """Which server to start, and which of its tools may be used."""

    name: str
    command: tuple[str, ...]
    tools: tuple[str, ...]
    start_timeout_s: float


class ServerUnavailableError(Exception):
    """The server did not start, or does not list the tools that it should."""


async def use_server(
    config: ServerConfig, work: Callable[[ClientSession, list[Tool]], Awaitable[None]]
) -> None:
    """Start the server, call `work` with its session and the configured tools, and end it.

    Raises:
        ServerUnavailableError: says what is missing.
    """
    # The server is part of this run: it gets this process's environment, which the harness composed.
    parameters = StdioServerParameters(
        command=config.command[0], args=list(config.command[1:]), env=dict(os.environ)
    )
    problem = ""
    try:
        async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
            tools, problem = await _open_session(session, config)
            if not problem:
                await work(session, tools)
    except OSError as error:
        problem = f"{config.command[0]!r} cannot be started: {error}"
    if problem:
        raise ServerUnavailableError(f"MCP server {config.name!r}: {problem}")


async def _open_session(session: ClientSession, config: ServerConfig) -> tuple[list[Tool], str]:
    """The configured tools, or the reason why they are not there."""
    try:
        with anyio.fail_after(config.start_timeout_s):
            await session.initialize()
            listed = await _list_tools(session)
    except TimeoutError:
        return [], f"not ready within {config.start_timeout_s:g} s"
    except _FAULTS as error:
        return [], f"the handshake failed: {error}"
    missing = sorted(set(config.tools) - {tool.name for tool in listed})
    allowed = [tool for tool in listed if tool.name in config.tools]
    return allowed, f"does not list {', '.join(missing)}" if missing else ""


async def _list_tools(session: ClientSession) -> list[Tool]:
    tools: list[Tool] = []
    cursor = None
    for _ in range(MAX_TOOL_PAGES):
        listed = await session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
        tools += [
            Tool(name=t.name, description=t.description or "", schema=t.input_schema) for t in listed.tools
        ]
        cursor = listed.next_cursor
        if not cursor:
            break
    return tools


class ServerToolbox:
    """The server's search and fetch tools; every call and result goes into the event stream."""

    def __init__(
        self, session: ClientSession, tools: list[Tool], *, events: EventStream, max_calls: int
    ) -> None:
        self._session = session
        self._events = events
        self._search_tool = choose_search_tool(tools)
        self._fetch_tool = choose_fetch_tool(tools)
        self.calls_left = max_calls if self._search_tool else 0

    @property
    def can_fetch(self) -> bool:
        """Whether the server has a tool that reads pages."""
        return self._fetch_tool is not None

    async def search(self, query: str) -> list[Hit]:
        """Results for `query`, best first; none when the search failed."""
        if self._search_tool is None:
            return []
        text = await self._call(self._search_tool, fill_search_arguments(self._search_tool, query))
        return read_hits(text) if text else []

    async def fetch(self, url: str) -> str | None:
        """Text of the page, or None when it cannot be read."""
        if self._fetch_tool is None:
            return None
        return await self._call(self._fetch_tool, fill_fetch_arguments(self._fetch_tool, url))

    async def _call(self, tool: Tool, arguments: dict[str, Any] | None) -> str | None:
        """The text of a result; None for an error, which the event stream keeps."""
        self.calls_left -= 1
        call_id = self._events.report_call(tool.name, arguments or {})
        try:
            result = await self._session.call_tool(tool.name, arguments, read_timeout_seconds=CALL_TIMEOUT_S)
        except _FAULTS as error:
            self._events.report_result(call_id, text=str(error) or type(error).__name__, is_error=True)
            return None
        text = read_text(result)
        self._events.report_result(call_id, text=text, is_error=result.is_error)
        return None if result.is_error else text


def read_text(result: CallToolResult) -> str:
    """What a model would see of a result: its texts, or where there is no content its structured form."""
    if not result.content and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False)
    return "\n\n".join(text for block in result.content if (text := _show(block)))


def _show(block: ContentBlock) -> str:
    match block:
        case TextContent(text=text) | EmbeddedResource(resource=TextResourceContents(text=text)):
            return text
        case ResourceLink():
            return f"{block.title or block.name}\n{block.uri}\n{block.description or ''}".rstrip()
    return ""
