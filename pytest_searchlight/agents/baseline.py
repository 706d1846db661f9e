"""The embedded agent `baseline`: its program run in a process of its own, its events read as a trace."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_searchlight import __version__
from pytest_searchlight.domain import NOTHING_USED, CallOutcome, RunStatus, SearchSetup, SetupKind, ToolCall
from pytest_searchlight.extensions import AgentJob, AgentTrace, McpServer
from pytest_searchlight.workspace import ProcessResult, run_process

MAX_CALLS: Final = 12

_PROGRAM: Final = (sys.executable, "-I", "-m", "pytest_searchlight.baseline")
_EXIT_SERVER_UNAVAILABLE: Final = 3

Event = dict[str, JsonValue]


@dataclass(frozen=True)
class BaselineAgent:
    """A classical retrieve-and-extract agent: no LLM, no key, the same answer for the same pages."""

    name: str = "baseline"
    default_model: str | None = None
    calls_tools: bool = True
    reads_reference_answer: bool = False

    def find_version(self) -> str:
        """This package's version."""
        return __version__

    def explain_unsupported(self, setup: SearchSetup) -> str | None:
        """Every setup but the agents' built-in search, which this agent does not have."""
        if setup.kind is SetupKind.BUILT_IN:
            return "baseline has no search of its own; choose a provider's setup, no-search, floor or ceiling"
        return None

    def list_own_tools(self, setup: SearchSetup) -> frozenset[str]:  # noqa: ARG002 - part of the Protocol
        """None: it can do nothing but call the provider's tools."""
        return frozenset()

    def run(self, job: AgentJob) -> AgentTrace:
        """Run the program on the job's prompt; its event stream is kept as ``events.jsonl``."""
        result = run_process(
            (*_PROGRAM, *_compose_options(job)),
            cwd=job.workspace,
            env=job.environment,
            run_id=job.mark,
            stdin_bytes=job.prompt.encode("utf-8", "replace"),
            stdout_path=job.record / "events.jsonl",
            stderr_path=job.record / "stderr.txt",
            timeout_s=job.run.task.budgets.wall_clock_s,
        )
        stream = read_events(result.stdout_path, server=job.server)
        status, reason = judge_end(result, stream)
        return AgentTrace(
            status=status,
            reason=reason,
            answer_text=stream.answer,
            transcript=tuple(stream.events),
            tool_calls=tuple(stream.list_calls()),
            usage=NOTHING_USED,
            tools_offered=stream.tools,
            offloaded_chars=0,
        )


def _compose_options(job: AgentJob) -> tuple[str, ...]:
    if job.server is None:
        return ()
    config = job.home / "mcp.json"
    content = {
        "name": job.server.name,
        "command": job.server.command,
        "tools": job.server.tools,
        "start_timeout_s": job.server.start_timeout_s,
    }
    config.write_text(json.dumps(content), encoding="utf-8")
    allowed = job.run.task.budgets.provider_calls
    limit = MAX_CALLS if allowed is None else min(MAX_CALLS, allowed)
    return ("--mcp-config", str(config), "--max-calls", str(limit))


# --- the event stream --------------------------------------------------------------------------------------


@dataclass
class EventStream:
    """The program's events. `corrupt` says what is wrong with a line that is none."""

    server: str | None
    events: list[Event] = field(default_factory=list)
    corrupt: str = ""

    @property
    def answer(self) -> str | None:
        """The final message, None when the stream ends without one."""
        return next((str(event.get("answer")) for event in self._of_type("result")), None)

    @property
    def tools(self) -> tuple[str, ...] | None:
        """The tools that the program was offered, None before it said so."""
        offered = next((event.get("tools") for event in self._of_type("init")), None)
        return tuple(map(str, offered)) if isinstance(offered, list) else None

    @property
    def unavailable(self) -> str:
        """Why the server's tools are not there; empty when they are."""
        return next((str(event["problem"]) for event in self._of_type("init") if event.get("problem")), "")

    def list_calls(self) -> Iterable[ToolCall]:
        """Every call in order; one without a result is unanswered."""
        results = {str(event.get("id")): event for event in self._of_type("tool_result")}
        for event in self._of_type("tool_use"):
            yield _make_call(event, results.get(str(event.get("id"))), server=self.server)

    def _of_type(self, name: str) -> Iterable[Event]:
        return (event for event in self.events if event.get("type") == name)


def read_events(path: Path, *, server: McpServer | None) -> EventStream:
    """The events in the file at `path`; reading stops at the first line that is none."""
    stream = EventStream(server.name if server else None)
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict):
            stream.corrupt = f"line {number} of the event stream is no JSON object: {line[:80]!r}"
            break
        stream.events.append(event)
    return stream


def judge_end(result: ProcessResult, stream: EventStream) -> tuple[RunStatus, str]:
    """How the run ended, and why. A complete answer counts, whatever happened after it."""
    if stream.answer is not None:
        return RunStatus.GRADED, ""
    if result.exit_code == _EXIT_SERVER_UNAVAILABLE and stream.unavailable:
        return RunStatus.SETUP_UNAVAILABLE, stream.unavailable
    if result.ended_by == "timeout":
        return RunStatus.TIMEOUT, str(result.stop_reason)
    what = stream.corrupt or result.stop_reason or f"exit code {result.exit_code} without an answer"
    return RunStatus.AGENT_ERROR, f"{what}; stderr ends: {result.stderr_tail.strip()[-800:] or '(empty)'}"


def _make_call(use: Event, result: Event | None, *, server: str | None) -> ToolCall:
    started = _read_seconds(use)
    call = ToolCall(
        tool=str(use.get("tool")),
        server=server,
        arguments=use.get("arguments"),
        outcome=CallOutcome.UNANSWERED,
        started_s=started,
    )
    if result is None:
        return call
    ended = _read_seconds(result)
    text = str(result.get("text", ""))
    is_error = result.get("is_error") is True
    return call.model_copy(
        update={
            "outcome": CallOutcome.ERROR if is_error else CallOutcome.OK,
            "result_text": text,
            "error_text": text if is_error else None,
            "duration_s": round(ended - started, 6) if ended is not None and started is not None else None,
        }
    )


def _read_seconds(event: Event) -> float | None:
    at = event.get("at_s")
    return float(at) if isinstance(at, int | float) else None
