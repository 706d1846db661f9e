"""A bare MCP server over stdio whose tools do, on request, what servers do wrong.

Options: ``--stubborn`` ignores the end of its input and SIGTERM, ``--pages N`` lists a tool a page,
``--same-cursor`` returns the same cursor for ever, ``--greeting TEXT`` prints a line before anything else,
``--version V`` speaks that version of the protocol, ``--refuse KEY`` refuses to begin and repeats the key.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

held: list[Json] = []


def write(data: bytes) -> None:
    """Write to stdout, whatever it takes."""
    while data:
        data = data[os.write(1, data) :]


def send(message: Json) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def answer(request: Json, text: str, **more: object) -> None:
    send({"id": request["id"], "result": {"content": [{"type": "text", "text": text}], **more}})


def tool_echo(request: Json, text: str) -> None:
    answer(request, text)


def tool_repeat(request: Json, size: int) -> None:
    answer(request, "x" * size)


def tool_twice(request: Json, text: str) -> None:
    answer(request, text, structuredContent={"text": text})


def tool_fail(request: Json, text: str) -> None:
    answer(request, text, isError=True)


def tool_refuse(request: Json) -> None:
    send({"id": request["id"], "error": {"code": -32602, "message": "wrong arguments"}})


def tool_result(request: Json, result: Json) -> None:
    send({"id": request["id"], "result": result})


def tool_raw(request: Json, data: str) -> None:
    """Write exactly these bytes; ``%ID%`` in them stands for the request's id."""
    write(_decode(request, data))


def tool_drip(request: Json, data: str) -> None:
    """Write these bytes one by one."""
    for byte in _decode(request, data):
        write(bytes([byte]))


def tool_heard(request: Json) -> None:
    """Tell which bytes the request came in."""
    answer(request, base64.b64encode(request["line"]).decode())


def tool_stderr(request: Json, text: str, times: int) -> None:
    os.write(2, b"first words\n")
    data = (text * times).encode()
    while data:
        data = data[os.write(2, data) :]
    os.write(2, b"last words\n")
    answer(request, "done")


def tool_die(request: Json, code: int, data: str = "") -> None:
    write(_decode(request, data))
    os._exit(code)


def tool_kill(request: Json, signum: int) -> None:
    del request
    os.kill(os.getpid(), signum)


def tool_deaf(request: Json) -> None:
    """Hear and say nothing any more."""
    del request
    time.sleep(3600)


def tool_stop_hearing(request: Json) -> None:
    """Close stdin, and stay."""
    os.close(0)
    answer(request, "last words")
    time.sleep(3600)


def tool_stop_speaking(request: Json) -> None:
    """Close stdout, and stay."""
    answer(request, "last words")
    os.close(1)
    time.sleep(3600)


def tool_hang(request: Json) -> None:
    del request


def tool_hold(request: Json) -> None:
    """Answer when `tool_let_go` is called."""
    held.append(request)


def tool_let_go(request: Json) -> None:
    answer(request, "done")
    for waiting in held:
        answer(waiting, "at last")


def tool_progress(request: Json, count: int) -> None:
    token = request["params"]["_meta"]["progressToken"]
    for step in range(count):
        params = {"progressToken": token, "progress": step}
        send({"method": "notifications/progress", "params": params})
    answer(request, "done")


def tool_environment(request: Json) -> None:
    answer(request, json.dumps({"environment": dict(os.environ), "folder": str(os.getcwd())}))  # noqa: PTH109


def tool_child(request: Json) -> None:
    """Start a child that stays in the process group, and tell its process id."""
    child = os.posix_spawn("/bin/sleep", ["sleep", "300"], {})
    answer(request, str(child))


def _decode(request: Json, data: str) -> bytes:
    return base64.b64decode(data).replace(b"%ID%", json.dumps(request["id"]).encode())


def list_tools(request: Json) -> None:
    cursor = (request.get("params") or {}).get("cursor")
    page = int(cursor or 0)
    result: Json = {"tools": [{"name": f"tool-{page}", "inputSchema": {"type": "object"}}]}
    if "--same-cursor" in sys.argv:
        result["nextCursor"] = "1"
    elif page + 1 < int(_option("--pages", "1")):
        result["nextCursor"] = str(page + 1)
    send({"id": request["id"], "result": result})


def _option(name: str, default: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def initialize(request: Json) -> None:
    if key := _option("--refuse", ""):
        send({"id": request["id"], "error": {"code": -32000, "message": f"no licence for {key}"}})
        return
    info = {"name": "stub", "version": "1.2.3"}
    result = {
        "protocolVersion": _option("--version", "2025-06-18"),
        "capabilities": {"tools": {}},
        "serverInfo": info,
    }
    send({"id": request["id"], "result": result})


def call_tool(request: Json) -> None:
    tool: Callable[..., None] = globals()["tool_" + request["params"]["name"]]
    tool(request, **(request["params"].get("arguments") or {}))


METHODS = {"initialize": initialize, "tools/list": list_tools, "tools/call": call_tool}


def main() -> None:
    if "--stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if greeting := _option("--greeting", ""):
        write(greeting.encode() + b"\n")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "method" in message and "id" in message:
            METHODS[message["method"]]({**message, "line": line})
    while "--stubborn" in sys.argv:
        time.sleep(60)


if __name__ == "__main__":
    main()
