"""A provider's server behind the metering proxy, spoken to line by line, as an agent's MCP client would."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import JsonValue

import pytest_searchlight.meter

METER = Path(pytest_searchlight.meter.__file__).parent
ANSWER_TIMEOUT_S = 30.0

Message = dict[str, JsonValue]


class MeteredServer:
    """An initialized MCP session. Answers come back as they are, results and errors alike."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._last_id = 0
        self._pending = b""
        hello: Message = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "searchlight-tests", "version": "1"},
        }
        self.server_info = self.ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: Message) -> Message:
        """Send a request and wait for its answer."""
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        while True:
            message: Message = json.loads(self._read_line(deadline))
            if message.get("id") == self._last_id:
                return message

    def list_tools(self) -> Message:
        """Ask for the tools, as every agent does before its first call."""
        return self.ask("tools/list", {})

    def call(self, tool: str, **arguments: JsonValue) -> Message:
        """Call a tool and wait for its answer."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def _send(self, message: Message) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _read_line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._pending:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self._process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                raise AssertionError("no answer in time" if not ready else "the server's output ended")
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line


@contextmanager
def start_metered(launch: Mapping[str, JsonValue], folder: Path) -> Iterator[MeteredServer]:
    """Start the server that `launch` describes; the meter records into ``folder/spool``."""
    spool = folder / "spool"
    spool.mkdir(parents=True)
    spec = folder / "spec.json"
    spec.touch(mode=0o600)
    spec.write_text(json.dumps({"server": dict(launch), "spool": str(spool)}))
    command = [sys.executable, "-I", "-S", str(METER), "--spec", str(spec)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}) as process:
        try:
            yield MeteredServer(process)
            process.communicate(timeout=ANSWER_TIMEOUT_S)
        finally:
            process.kill()


def read_text(answer: Message) -> str:
    """The text that an agent is shown for `answer`."""
    result, error = answer.get("result"), answer.get("error")
    if isinstance(error, dict):
        return str(error.get("message"))
    content = result.get("content") if isinstance(result, dict) else None
    assert isinstance(content, list)
    return "\n".join(str(part.get("text")) for part in content if isinstance(part, dict))
