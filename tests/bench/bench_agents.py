"""Our own share of a run with a real agent product, beside the same product and server run by hand.

Run all with ``make bench``. Both ways use the same command,
environment and scripted model, which answers at once. By hand there is neither warden nor metering proxy.
The second part runs 64 runs of a slow model on eight workers and compares with eight perfect lanes.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from agent_stage import AGENTS, PROGRAMS, SERVER_COMMAND, SERVER_NAME, Stage, make_server
from scripted_model import Answer, CallTool, ModelRequest, RunCode, Step, serve_model
from scripted_model.catalog_player import play_catalog

from pytest_searchlight.agents import claude_code, codex
from pytest_searchlight.catalog import read_catalog
from pytest_searchlight.domain import RunStatus, SetupKind
from pytest_searchlight.extensions import McpServer
from pytest_searchlight.metering import METER_PROGRAM
from pytest_searchlight.workspace import ProcessResult

REPEATS = 15
SLOW_RUNS, WORKERS, TURN_S = 64, 8, 5.0
MAX_ADDED_CPU_MS, MAX_RATIO, MAX_STRETCH = 150.0, 1.15, 1.3


class Spent(NamedTuple):
    """Milliseconds of wall clock, and of CPU of all child processes."""

    wall_ms: float
    cpu_ms: float


def search_once(request: ModelRequest) -> Step:
    """A model that searches once and then answers, in the manner its product expects."""
    if request.turn == 0 and "functions__exec" in request.tools:
        tool = f"mcp__{SERVER_NAME.replace('-', '_')}__web_search"
        return RunCode(source=f'text(JSON.stringify(await tools.{tool}({{"query": "x"}})))')
    if request.turn == 0:
        return CallTool(tool="web_search", server=SERVER_NAME, arguments={"query": "x"})
    return Answer(text='{"colour": "red"}')


def run_plainly(argv: list[str], *, cwd: Path, env: dict[str, str], **facts: Any) -> ProcessResult:  # noqa: ANN401
    """What a person would do: start the command and wait for it."""
    with facts["stdout_path"].open("wb") as out, facts["stderr_path"].open("wb") as err:
        done = subprocess.run(
            argv, cwd=cwd, env=env, input=facts["stdin_bytes"], stdout=out, stderr=err, check=False
        )
    for line in facts["stdout_path"].read_bytes().split(b"\n"):
        facts["on_line"](line)
    return ProcessResult(
        ended_by="exit",
        exit_code=done.returncode,
        stop_reason=None,
        duration_s=None,
        cpu_s=None,
        max_rss_bytes=None,
        leftovers_killed=0,
        survivors=0,
        stdout_path=facts["stdout_path"],
        stderr_path=facts["stderr_path"],
        stderr_tail="",
        limited_reach=None,
    )


@contextmanager
def by_hand() -> Iterator[None]:
    """Lets the adapters start their product as a person would."""
    with (
        mock.patch.object(claude_code, "run_process", run_plainly),
        mock.patch.object(codex, "run_process", run_plainly),
    ):
        yield


def spend(action: Callable[[], object]) -> Spent:
    """What `action` takes."""
    cpu, wall = _children_cpu_s(), time.perf_counter()
    action()
    return Spent(1000 * (time.perf_counter() - wall), 1000 * (_children_cpu_s() - cpu))


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime + own.ru_utime + own.ru_stime


def put_meter_before(folder: Path, number: int) -> McpServer:
    """The plain server behind the metering proxy."""
    spool = folder / f"spool-{number}"
    spool.mkdir()
    spec = folder / f"spec-{number}.json"
    spec.touch(mode=0o600)
    spec.write_text(json.dumps({"server": {"command": list(SERVER_COMMAND)}, "spool": str(spool)}))
    return make_server(command=(sys.executable, "-I", "-S", str(METER_PROGRAM), "--spec", str(spec)))


def measure_share(agent: str, stage: Stage, folder: Path) -> tuple[Spent, Spent]:
    """Medians of a run by hand and of ours, taken in turns."""
    plain, ours = [], []
    for number in range(REPEATS):
        with by_hand():
            plain.append(spend(partial(_play, agent, stage, make_server())))
        ours.append(spend(partial(_play, agent, stage, put_meter_before(folder, number))))
    return _take_medians(plain), _take_medians(ours)


def _play(agent: str, stage: Stage, server: McpServer) -> None:
    played = stage.play(agent, search_once, kind=SetupKind.PROVIDER, server=server)
    assert played.trace.status is RunStatus.GRADED, played.trace.reason
    assert played.trace.tool_calls, "the model was to search once"


def _take_medians(spent: list[Spent]) -> Spent:
    return Spent(*(statistics.median(values) for values in zip(*spent, strict=True)))


def measure_stretch(folder: Path) -> float:
    """Wall clock of 64 runs of a slow model on eight workers, over that of eight perfect lanes."""
    (folder / "catalogs").mkdir()
    (folder / "catalogs" / "tasks.yaml").write_text(CATALOG)
    tasks = read_catalog(folder / "catalogs" / "tasks.yaml").tasks
    play = play_catalog(tasks)

    def play_slowly(request: ModelRequest) -> Step:
        time.sleep(TURN_S)
        return play(request)

    with serve_model() as model:
        base_url = model.add_scene("slow", play_slowly)
        environment = {
            **os.environ,
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "ANTHROPIC_BASE_URL": base_url,
            "ANTHROPIC_API_KEY": "scripted",
        }
        alone = _time_session(folder, environment, "--searchlight-repetitions=1")
        together = _time_session(
            folder, environment, f"--searchlight-repetitions={SLOW_RUNS}", "-n", str(WORKERS)
        )
    return together / (alone * SLOW_RUNS / WORKERS)


CATALOG = """
catalog: slow
title: One task
description: One task for a slow model.
defaults: {agents: [claude-code], setups: [no-search]}
tasks:
  - id: sky
    family: colours
    prompt: Which colour has the sky?
    deliverable: {type: object, required: [colour], properties: {colour: {type: [string, "null"]}}}
    checks: [{kind: value-match, field: /colour, equals: blue}]
    reference: {excerpt: Blue., source: "https://sky.example/", event_date: 2026-01-01}
    reference_answer: {colour: blue}
    wrong_answers: [{why: another colour, answer: {colour: red}}]
    freshness: {checked: 2026-11-30}
"""


def _time_session(folder: Path, environment: dict[str, str], *options: str) -> float:
    began = time.perf_counter()
    command = (sys.executable, "-m", "pytest", "-q", "catalogs", "--searchlight-exit=soundness", *options)
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    print(f"{'':24}{'by hand':>10}{'ours':>10}{'added':>10}  goal")
    with serve_model() as model, tempfile.TemporaryDirectory() as root:
        for agent in AGENTS:
            folder = Path(root, agent)
            folder.mkdir()
            plain, ours = measure_share(agent, Stage(model=model, folder=folder), folder)
            added = ours.cpu_ms - plain.cpu_ms
            verdict = "met" if added <= MAX_ADDED_CPU_MS else "MISSED"
            cells = f"{plain.cpu_ms:10.0f}{ours.cpu_ms:10.0f}{added:10.0f}"
            print(f"{agent + ', CPU ms':24}{cells}  <= {MAX_ADDED_CPU_MS:.0f} {verdict}")
            ratio = ours.wall_ms / plain.wall_ms
            verdict = "met" if ratio <= MAX_RATIO else "MISSED"
            cells = f"{plain.wall_ms:10.0f}{ours.wall_ms:10.0f}{ratio:10.2f}"
            print(f"{agent + ', wall ms':24}{cells}  <= {MAX_RATIO} {verdict}")
        slow = Path(root, "slow")
        slow.mkdir()
        stretch = measure_stretch(slow)
    verdict = "met" if stretch <= MAX_STRETCH else "MISSED"
    name = f"{SLOW_RUNS} slow runs on {WORKERS} workers, over {WORKERS} perfect lanes:"
    print(f"{name} {stretch:.2f}  <= {MAX_STRETCH} {verdict}")


if __name__ == "__main__":
    main()
