"""A hosted server built with the MCP SDK, for the meter to speak streamable HTTP with; prints its port.

``--json`` makes it answer with documents instead of streams of events.
"""

from __future__ import annotations

import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("hosted", version="4.5.6", log_level="ERROR")


@server.tool()
def repeat(text: str, times: int) -> str:
    """Repeat a text."""
    return text * times


@server.tool()
async def progress(steps: int, context: Context) -> str:
    """Report progress, step by step."""
    for step in range(steps):
        await context.report_progress(step, steps)
    return "done"


@server.tool()
async def ask(context: Context) -> str:
    """Ask the client something."""
    return str((await context.session.list_roots()).roots[0].uri)


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    application = server.streamable_http_app(json_response="--json" in sys.argv)
    uvicorn.Server(uvicorn.Config(application, log_level="error")).run(sockets=[listener])
