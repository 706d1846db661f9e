"""A very small agent: looks for the book that the prompt asks about, if it was given a shelf to look on."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Sequence

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent


async def find_book(word: str, *, command: Sequence[str]) -> str:
    """What the shelf says of `word`; `command` starts its MCP server."""
    server = StdioServerParameters(command=command[0], args=list(command[1:]))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await session.list_tools()
        result = await session.call_tool("find_book", {"word": word})
        return "".join(part.text for part in result.content if isinstance(part, TextContent))


def main(command: Sequence[str]) -> None:
    """Answer the prompt on stdin with one JSON object on stdout."""
    found = re.search(r"book about (\w+)", sys.stdin.read())
    if found is None or not command:
        print(json.dumps({"answer": json.dumps({"title": None}), "calls": []}))
        return
    title = asyncio.run(find_book(found[1], command=command))
    call = {"tool": "find_book", "arguments": {"word": found[1]}, "result_text": title}
    print(json.dumps({"answer": json.dumps({"title": title}), "calls": [call]}))


if __name__ == "__main__":
    main(sys.argv[1:])
