"""A client on raw pipes for a meter that runs as a process of its own, as it does behind an agent."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_searchlight.metering import METER_PROGRAM, Metering, read_metering

STUB = Path(__file__).with_name("stub_server.py")
PATIENCE_S = 20.0

Json = dict[str, Any]


def encode(data: bytes) -> str:
    """Bytes as the tools ``raw``, ``drip`` and ``die`` of the stub server take them."""
    return base64.b64encode(data).decode()


def write_spec(folder: Path, document: Mapping[str, object]) -> Path:
    """The spec file that a meter is started with."""
    path = folder / "spec.json"
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(json.dumps(document))
    return path


class MeterClient:
    """A running meter and the client's ends of its pipes. Every wait is bounded."""

    def __init__(self, command: Sequence[str], *, spool: Path, environment: Mapping[str, str]) -> None:
        self.spool = spool
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input = self.process.stdin.fileno()
        self._output = self.process.stdout.fileno()
        self._received = bytearray()
        self._last_id = 0

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        while data:
            data = data[os.write(self._input, data) :]

    def fill_pipe(self) -> None:
        """Send the beginning of a frame for as long as anybody takes it."""
        os.set_blocking(self._input, False)
        while select.select([], [self._input], [], 0.5)[1]:
            with contextlib.suppress(BlockingIOError):
                os.write(self._input, b"x" * 65536)

    def send(self, method: str, **params: object) -> int:
        """Send a request and return its id."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self.send_bytes(json.dumps(message).encode() + b"\n")
        return self._last_id

    def send_call(self, tool: str, **arguments: object) -> int:
        """Send a ``tools/call`` and return its id."""
        return self.send("tools/call", name=tool, arguments=arguments)

    def notify(self, method: str, **params: object) -> None:
        """Send a notification."""
        self.send_bytes(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\n")

    def answer(self, request_id: object, result: Json) -> None:
        """Answer a request of the server."""
        message = {"jsonrpc": "2.0", "id": request_id, "result": result}
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def read_frame(self) -> bytes:
        """The next frame with its 0x0A; what is left when the meter's output has ended."""
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if not self._receive():
                end = searched - 1
                break
        frame = bytes(self._received[: end + 1])
        del self._received[: end + 1]
        return frame

    def read(self) -> Json:
        """The next message."""
        frame = self.read_frame()
        assert frame, f"the meter's output ended; it said: {self.read_errors()}"
        message = json.loads(frame)
        assert isinstance(message, dict)
        return message

    def ask(self, method: str, **params: object) -> Json:
        """Send a request and return the next message, which is its answer."""
        request_id = self.send(method, **params)
        message = self.read()
        assert message["id"] == request_id
        return message

    def call(self, tool: str, **arguments: object) -> Json:
        """Call a tool and return the answer."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    def call_for_text(self, tool: str, **arguments: object) -> str:
        """Call a tool and return the text of its result."""
        text = self.call(tool, **arguments)["result"]["content"][0]["text"]
        assert isinstance(text, str)
        return text

    def close(self) -> int:
        """Close the meter's stdin, read what still comes and return the exit code."""
        self.close_input()
        return self.wait()

    def close_input(self) -> None:
        """Close the meter's stdin."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def wait(self) -> int:
        """Wait for the meter's end and return the exit code."""
        while self._receive():
            pass
        return self.process.wait(PATIENCE_S)

    def discard(self) -> None:
        """Kill the meter if it still runs, and close all pipes."""
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self.close_input()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def read_errors(self) -> str:
        """What the meter wrote to stderr until it ended."""
        assert self.process.stderr is not None
        self.process.wait(PATIENCE_S)
        return self.process.stderr.read().decode()

    def read_metering(self) -> Metering:
        """What the meter recorded."""
        return read_metering(self.spool)

    def read_peak_mb(self) -> float:
        """The meter's largest resident memory so far, in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1000

    def _receive(self) -> bool:
        ready, _, _ = select.select([self._output], [], [], PATIENCE_S)
        assert ready, f"nothing came within {PATIENCE_S} s"
        chunk = os.read(self._output, 1 << 20)
        self._received += chunk
        return bool(chunk)


@contextlib.contextmanager
def open_meter(
    folder: Path,
    *options: str,
    server: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    meter: Sequence[str] = (str(METER_PROGRAM),),
    **spec: object,
) -> Iterator[MeterClient]:
    """Start a meter in front of the stub server with these options, or of another `server`.

    `spec` adds fields to the spec, `prefix` is put before the command, `meter` is run in the meter's place.
    """
    spool = folder / "spool"
    spool.mkdir(exist_ok=True)
    stub = {"command": [sys.executable, "-I", "-S", str(STUB), *options]}
    document = {"server": server or stub, "spool": str(spool), "stop_grace_s": 1.0, **spec}
    path = write_spec(folder, document)
    command = [*prefix, sys.executable, "-I", "-S", *meter, "--spec", str(path)]
    client = MeterClient(command, spool=spool, environment=environment or {})
    try:
        yield client
    finally:
        client.discard()


def wait_until_gone(pid: int) -> None:
    """Wait until a process that is nobody's concern any more has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} survives"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def find_server_pid(client: MeterClient) -> int:
    """Process id of the server behind a meter."""
    for child in find_children(client.process.pid):
        if STUB.name in Path(f"/proc/{child}/cmdline").read_text():
            return child
    raise AssertionError("the meter has no server")


def find_children(pid: int) -> list[int]:
    """Process ids of the children of a process."""
    children = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        children += [int(child) for child in (task / "children").read_text().split()]
    return children


def stop_hard(pid: int) -> None:
    """Kill a process."""
    os.kill(pid, signal.SIGKILL)
