"""A hosted search provider on loopback: the MCP SDK's own streamable-HTTP server behind a key.

It wants the key that stands in HOSTED_SEARCH_KEY and prints its port. A call that says "busy" or "broken" is
answered by HTTP status, as a gateway in front of a provider does.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

GATEWAY_ANSWERS = {b'"busy"': 429, b'"broken"': 503}

provider = MCPServer("hosted-search", log_level="ERROR")


@provider.tool()
def web_search(objective: str, search_queries: list[str]) -> str:
    """Search the web for an objective."""
    return f"{objective}: nothing but {len(search_queries)} queries"


@provider.tool()
def web_fetch(urls: list[str]) -> str:
    """Read pages."""
    return "\n".join(f"read {url}" for url in urls)


def guard(app: App, *, key: str) -> App:
    """Let only requests with the key through to `app`, and not those that a gateway would answer."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        messages = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        body = b"".join(message.get("body", b"") for message in messages)
        authorized = (b"authorization", f"Bearer {key}".encode()) in scope["headers"]
        status = next((code for sign, code in GATEWAY_ANSWERS.items() if sign in body), None)
        if authorized and status is None:
            await app(scope, _replay(messages, receive), send)
            return
        await _refuse(send, status=status or 401)

    return guarded


def _replay(messages: list[MutableMapping[str, Any]], receive: Receive) -> Receive:
    async def replay() -> MutableMapping[str, Any]:
        return messages.pop(0) if messages else await receive()

    return replay


async def _refuse(send: Send, *, status: int) -> None:
    headers = [(b"content-type", b"application/json"), (b"retry-after", b"7")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": "refused"}).encode()})


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    application = guard(provider.streamable_http_app(), key=os.environ["HOSTED_SEARCH_KEY"])
    uvicorn.Server(uvicorn.Config(application, log_level="error")).run(sockets=[listener])
