"""A small real MCP server over stdio, standard library only: `web_search` and `web_fetch`.

Its options make it slow, dead, or not quite what was expected; ``--help`` lists them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

TOOLS = [
    {
        "name": "web_search",
        "description": "Search the web.",
        "inputSchema": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        },
    },
    {
        "name": "web_fetch",
        "description": "Read a page.",
        "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
    },
]


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay-s", type=float, default=0.0, help="before initialize is answered")
    parser.add_argument("--think-s", type=float, default=0.0, help="before a call is answered")
    parser.add_argument("--die", action="store_true", help="exit 1 with a reason on stderr")
    parser.add_argument("--hide-fetch", action="store_true", help="advertise web_search only")
    parser.add_argument("--extra-tool", action="store_true", help="advertise web_crawl as well")
    parser.add_argument("--result-chars", type=int, default=40)
    return parser.parse_args()


def list_tools(options: argparse.Namespace) -> list[dict[str, Any]]:
    tools = TOOLS[:1] if options.hide_fetch else TOOLS
    return [*tools, TOOLS[1] | {"name": "web_crawl"}] if options.extra_tool else tools


def answer(request: dict[str, Any], *, options: argparse.Namespace) -> dict[str, Any]:
    """The result of one request; unknown methods get an empty one."""
    match request["method"]:
        case "initialize":
            time.sleep(options.delay_s)
            return {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "plain-search", "version": "1.0.0"},
            }
        case "tools/list":
            return {"tools": list_tools(options)}
        case "tools/call":
            return call_tool(request["params"], options=options)
        case _:
            return {}


def call_tool(params: dict[str, Any], *, options: argparse.Namespace) -> dict[str, Any]:
    time.sleep(options.think_s)
    arguments = params.get("arguments") or {}
    text = f"{params['name']} found {json.dumps(arguments, sort_keys=True)} "
    failed = arguments.get("query") == "fail"
    return {"content": [{"type": "text", "text": text.ljust(options.result_chars, ".")}], "isError": failed}


def main() -> None:
    options = read_options()
    if options.die:
        sys.exit("plain-search: no licence found")
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" in request and "method" in request:
            reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request, options=options)}
            sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
