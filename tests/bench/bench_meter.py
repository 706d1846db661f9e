"""What the metering proxy costs: the same bare server with and without it, in one run.

Run all with ``make bench``. The client is raw pipes, so that it measures the proxy and
not an SDK; both routes are up at the same time and take turns, so that drift hits both alike.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_searchlight.metering import METER_PROGRAM, read_metering

if TYPE_CHECKING:
    from collections.abc import Iterator

START_REPEATS = 15
CALL_PLAN = {200: 600, 20_000: 400, 1_000_000: 40, 5_000_000: 16}
"""Payload bytes of a result -> number of calls on each route."""

SERVER = """
import os, sys
reply = b'{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}],"isError":false}}\\n'
texts = {}
for line in sys.stdin.buffer:
    head, _, size = line.rstrip(b'}\\n').rpartition(b':')
    request_id = head.split(b'"id":', 1)[1].split(b',', 1)[0]
    size = int(size) if b'tools/call' in head else 2
    if size not in texts:
        texts[size] = b'word ' * (size // 5)
    data = memoryview(reply % (request_id, texts[size]))
    while data:
        data = data[os.write(1, data):]
"""


class Cost(NamedTuple):
    """One line of the table; times in milliseconds, medians over the same run."""

    name: str
    direct: float
    metered: float
    goal: str
    met: bool

    @property
    def added(self) -> float:
        """What the meter adds, in the unit of the row."""
        return self.metered - self.direct


class Route:
    """A running server, reached directly or through the meter, on raw pipes."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._calls = 0
        self.pid = self._process.pid

    def ask(self, method: str, *, size: int = 0) -> float:
        """Sends one request and reads its whole answer; returns the milliseconds it took."""
        self._calls += 1
        request = b'{"jsonrpc":"2.0","id":%d,"method":"%b","params":{"arguments":{"size":%d}}}\n'
        started = time.perf_counter()
        os.write(self._input, request % (self._calls, method.encode(), size))
        while not os.read(self._output, 1 << 20).endswith(b"\n"):
            pass
        return (time.perf_counter() - started) * 1000

    def close(self) -> None:
        """Closes the client's end and waits until the server is gone."""
        self._process.communicate(timeout=10)


def measure() -> list[Cost]:
    """All rows of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = folder / "server.py"
        server.write_text(SERVER)
        command = [sys.executable, "-I", "-S", str(server)]
        return [_measure_start(command, folder=folder), *_measure_calls(command, folder=folder)]


def _measure_start(command: list[str], *, folder: Path) -> Cost:
    samples: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(START_REPEATS):
        for metered in (False, True):
            started = time.perf_counter()
            with _open_route(command, folder=folder, metered=metered) as (route, _spool):
                route.ask("initialize")
                samples[metered].append((time.perf_counter() - started) * 1000)
    direct, through = (statistics.median(samples[metered]) for metered in (False, True))
    return Cost("start to initialize, ms", direct, through, "+40 ms", through - direct <= 40)


def _measure_calls(command: list[str], *, folder: Path) -> Iterator[Cost]:
    with (
        _open_route(command, folder=folder, metered=False) as (direct, _),
        _open_route(command, folder=folder, metered=True) as (metered, spool),
    ):
        for route in (direct, metered):
            route.ask("initialize")
        for size, repeats in CALL_PLAN.items():
            pairs = [_ask_both(direct, metered, size=size) for _ in range(repeats)]
            before, after = (statistics.median(samples) for samples in zip(*pairs, strict=True))
            yield _judge_call(size, before, after)
        peak_mb = _read_peak_mb(metered.pid)
    yield Cost("peak resident memory, MB", 0, peak_mb, "16 MB", peak_mb <= 16)
    recorded, made = len(read_metering(spool).calls), sum(CALL_PLAN.values())
    yield Cost("calls recorded", made, recorded, "all", recorded == made)


def _ask_both(direct: Route, metered: Route, *, size: int) -> tuple[float, float]:
    return direct.ask("tools/call", size=size), metered.ask("tools/call", size=size)


def _judge_call(size: int, direct: float, metered: float) -> Cost:
    name = f"call of {size:,} B, ms"
    if size <= 20_000:
        return Cost(name, direct, metered, "+0.10 ms", metered - direct <= 0.10)
    return Cost(name, direct, metered, "+15 %", metered / direct <= 1.15)


@contextlib.contextmanager
def _open_route(command: list[str], *, folder: Path, metered: bool) -> Iterator[tuple[Route, Path]]:
    spool = Path(tempfile.mkdtemp(dir=folder))
    if metered:
        spec = spool / "spec.json"
        spec.touch(0o600)
        spec.write_text(json.dumps({"server": {"command": command}, "spool": str(spool)}))
        command = [sys.executable, "-I", "-S", str(METER_PROGRAM), "--spec", str(spec)]
    route = Route(command)
    try:
        yield route, spool
    finally:
        route.close()


def _read_peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1000


def main() -> None:
    """Prints the table."""
    print(f"{'':28}{'direct':>10}{'metered':>10}{'added':>10}{'ratio':>8}  goal")
    for cost in measure():
        ratio = f"{cost.metered / cost.direct:8.2f}" if cost.direct else " " * 8
        verdict = "met" if cost.met else "MISSED"
        times = f"{cost.direct:10.2f}{cost.metered:10.2f}{cost.added:10.2f}{ratio}"
        print(f"{cost.name:28}{times}  {cost.goal} {verdict}")


if __name__ == "__main__":
    main()
