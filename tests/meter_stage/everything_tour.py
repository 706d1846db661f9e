"""A tour of all that the MCP reference server offers, through the MCP SDK's client, as comparable notes."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from mcp import ClientSession, MCPError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from pydantic import BaseModel, FileUrl

STEP_TIMEOUT_S = 30.0
# What differs from one start of the server to the next, with or without a meter.
VOLATILE = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}:\d\d:\d\d [AP]M|[0-9a-f]{8}-[0-9a-f-]{27}|task_[0-9a-z]+"
)

Notes = list[tuple[str, object]]
Step = Callable[[], Awaitable[BaseModel]]


class Tourist:
    """A client that answers whatever the server asks of it, and notes what it was asked and told."""

    def __init__(self) -> None:
        self.notes: Notes = []
        self.unasked: list[str] = []
        self.listed_again = asyncio.Event()

    def note(self, step: str, value: BaseModel | str) -> None:
        found = value.model_dump(mode="json", by_alias=True) if isinstance(value, BaseModel) else value
        self.notes.append((step, _steady(found)))

    async def sample(
        self, context: object, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        del context
        self.note("asked to sample", params)
        text = types.TextContent(type="text", text="sampled \u2028 text")
        return types.CreateMessageResult(role="assistant", content=text, model="none", stopReason="endTurn")

    async def elicit(self, context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        del context
        self.note("asked to elicit", params)
        return types.ElicitResult(action="accept", content={"name": "Ada", "check": True})

    async def list_roots(self, context: object) -> types.ListRootsResult:
        del context
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl("file:///tour"), name="tour")])

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.unasked.append(f"log {params.logger}")

    async def hear(self, message: object) -> None:
        method = getattr(message, "method", None)
        if isinstance(method, str):
            self.unasked.append(method)
            if method == "notifications/tools/list_changed":
                self.listed_again.set()

    async def note_progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.notes.append(("progress", (progress, total, message)))


async def tour_server(server: StdioServerParameters) -> tuple[Notes, set[str]]:
    """Every step's notes in order, and the kinds of messages that came unasked."""
    tourist = Tourist()
    async with (
        stdio_client(server) as (read, write),
        ClientSession(
            read,
            write,
            sampling_callback=tourist.sample,
            elicitation_callback=tourist.elicit,
            list_roots_callback=tourist.list_roots,
            logging_callback=tourist.log,
            message_handler=tourist.hear,
        ) as session,
    ):
        tourist.note("initialize", await session.initialize())
        with suppress(TimeoutError):
            await asyncio.wait_for(tourist.listed_again.wait(), 3)
        for step, take in plan_tour(session, tourist):
            await _take_step(tourist, step, take)
        await _cancel_a_call(session, tourist)
    return tourist.notes, set(tourist.unasked)


def plan_tour(
    session: ClientSession, tourist: Tourist
) -> Iterator[tuple[str, Callable[[], Awaitable[BaseModel]]]]:
    """The steps with their names."""
    yield "ping", session.send_ping
    yield "tools", session.list_tools
    yield "prompts", session.list_prompts
    yield "resources", session.list_resources
    yield "templates", session.list_resource_templates
    yield "log level", lambda: session.set_logging_level("debug")
    for tool, arguments in TOOL_CALLS:
        yield f"call {tool}", partial(session.call_tool, tool, arguments)
    yield "progress", lambda: _make_progress(session, tourist)
    yield "prompt", lambda: session.get_prompt("simple-prompt")
    yield "prompt with arguments", lambda: session.get_prompt("args-prompt", {"city": "Łódź", "state": "PL"})
    yield "prompt without its arguments", lambda: session.get_prompt("args-prompt")
    yield "no such prompt", lambda: session.get_prompt("no-such-prompt")
    reference = types.PromptReference(type="ref/prompt", name="completable-prompt")
    yield "complete", lambda: session.complete(reference, {"name": "department", "value": "E"})
    yield "read text", lambda: session.read_resource("demo://resource/dynamic/text/1")
    yield "read blob", lambda: session.read_resource("demo://resource/dynamic/blob/2")
    yield "read nothing", lambda: session.read_resource("demo://no/such/resource")
    yield "subscribe", lambda: session.subscribe_resource("demo://resource/dynamic/text/1")
    yield "unsubscribe", lambda: session.unsubscribe_resource("demo://resource/dynamic/text/1")


TOOL_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("echo", {"message": "a\u2028b\u0085c 🐎"}),
    ("echo", {"message": "x" * 300_000}),
    ("echo", {}),
    ("get-sum", {"a": 1, "b": 2}),
    ("get-env", {}),
    ("get-annotated-message", {"messageType": "error", "includeImage": True}),
    ("get-resource-links", {"count": 3}),
    ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}),
    ("get-structured-content", {"location": "Chicago"}),
    ("get-tiny-image", {}),
    ("get-roots-list", {}),
    ("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource"}),
    ("trigger-sampling-request", {"prompt": "hello", "maxTokens": 5}),
    ("trigger-elicitation-request", {}),
    ("trigger-url-elicitation", {"url": "https://login.example/", "elicitationId": "e-1"}),
    ("trigger-url-elicitation", {"url": "https://login.example/", "elicitationId": "e-1", "errorPath": True}),
    ("trigger-sampling-request-async", {"prompt": "hello"}),
    ("trigger-elicitation-request-async", {}),
    ("simulate-research-query", {"topic": "metering"}),
    ("toggle-simulated-logging", {}),
    ("toggle-simulated-logging", {}),
    ("toggle-subscriber-updates", {}),
    ("toggle-subscriber-updates", {}),
    ("no-such-tool", {}),
)


async def _take_step(tourist: Tourist, step: str, take: Step) -> None:
    try:
        tourist.note(step, await asyncio.wait_for(take(), STEP_TIMEOUT_S))
    except MCPError as error:
        tourist.note(f"{step} fails", f"{error.error.code} {error.error.message}")
    except (RuntimeError, ValueError) as error:
        tourist.note(f"{step} is refused by the client", str(error))


async def _make_progress(session: ClientSession, tourist: Tourist) -> BaseModel:
    arguments = {"duration": 0.3, "steps": 3}
    return await session.call_tool(
        "trigger-long-running-operation", arguments, progress_callback=tourist.note_progress
    )


async def _cancel_a_call(session: ClientSession, tourist: Tourist) -> None:
    """Cancelling the waiting task sends the notification; the session must be usable afterwards."""
    call = asyncio.create_task(
        session.call_tool("trigger-long-running-operation", {"duration": 60, "steps": 60})
    )
    await asyncio.sleep(0)
    await session.send_ping()
    call.cancel()
    with suppress(asyncio.CancelledError):
        await call
    tourist.note("after the cancellation", await session.call_tool("get-sum", {"a": 2, "b": 2}))


def _steady(value: object) -> object:
    if isinstance(value, str):
        return VOLATILE.sub("…", value)
    if isinstance(value, dict):
        return {key: _steady(_decode(member) if key == "blob" else member) for key, member in value.items()}
    return [_steady(member) for member in value] if isinstance(value, list) else value


def _decode(blob: str) -> str:
    return base64.b64decode(blob).decode("utf-8", "backslashreplace")
