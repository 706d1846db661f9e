"""One run, from an empty folder to an observed result: workspace, metering proxy, agent, retries.

Whatever an agent adapter throws becomes a status of the run, never the end of the session. Guests are called
here and where answers are validated and runs audited; nowhere else is a broad ``except`` clause.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.agents.contract import OWN_SEARCHES
from pytest_searchlight.domain import (
    STATUS_RULES,
    CallOutcome,
    RunStatus,
    SearchSetup,
    SetupKind,
    TestRun,
)
from pytest_searchlight.errors import EvidenceError, RunError, UserError
from pytest_searchlight.evidence import OpenBundle, encode_json_line
from pytest_searchlight.extensions import Agent, AgentJob, AgentTrace, McpServer, ObservedRun
from pytest_searchlight.metering import METER_PROGRAM, Metering, read_metering
from pytest_searchlight.prompting import compose_prompt
from pytest_searchlight.providers import classify_failure
from pytest_searchlight.providers.tap import TAPPED_SPEND, read_tapped_spend, tap_launch
from pytest_searchlight.workspace import Workspace

MAX_ATTEMPTS: Final = 3
_FIRST_WAIT_S: Final = 1.0
_LONGEST_WAIT_S: Final = 120.0
_LAST_WORDS_CHARS: Final = 1000

OpenWorkspace = Callable[[], AbstractContextManager[Workspace]]
LaunchServer = Callable[[], Mapping[str, JsonValue]]


@dataclass(frozen=True)
class Pace:
    """How fast all workers together may call a provider, and the file through which they take turns."""

    file: Path
    calls_per_s: float


@dataclass(frozen=True)
class MeteringProxy:
    """Stands between an agent and the setup's server; one for every attempt.

    `launch` builds the server's part of the proxy's spec, the provider's key included; it is called only
    when a server is really needed. `tap_costs` also reads the charges that the provider's API reports.
    """

    run: TestRun
    launch: LaunchServer
    tap_costs: bool = False
    pace: Pace | None = None

    def prepare(self, workspace: Workspace, wire_folder: Path) -> McpServer:
        """Write the proxy's private spec file and give the command that starts the proxy.

        Raises:
            RunError: the server cannot be launched here; the status is `setup_unavailable`.
        """
        setup = self.run.setup
        wire_folder.mkdir(parents=True, exist_ok=True)
        spec = {
            "server": self._launch_or_fault(wire_folder),
            "spool": str(wire_folder),
            "max_tool_calls": self.run.task.budgets.provider_calls,
            "pace": None
            if self.pace is None
            else {"file": str(self.pace.file), "calls_per_s": self.pace.calls_per_s},
        }
        spec_file = workspace.write_private("meter.json", json.dumps(spec).encode())
        assert setup.server is not None, "only setups with a server are metered"
        return McpServer(
            name=setup.name,
            command=(sys.executable, "-I", "-S", str(METER_PROGRAM), "--spec", str(spec_file)),
            tools=tuple(sorted(setup.tool_names)),
            start_timeout_s=setup.server.start_timeout_s,
        )

    def _launch_or_fault(self, wire_folder: Path) -> Mapping[str, JsonValue]:
        try:
            launch = self.launch()
            return tap_launch(launch, record=wire_folder / TAPPED_SPEND) if self.tap_costs else launch
        except UserError as error:
            raise RunError(str(error), status=RunStatus.SETUP_UNAVAILABLE) from error


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """Makes attempts at one run until it settles.

    Attributes:
        run: what is run.
        agent: who runs it.
        agent_version: the product's version, for the record.
        open_workspace: opens a fresh scratch folder for each attempt.
        proxy: prepares the metering proxy, or None when the setup has no server.
        open_bundle: starts an evidence bundle for each attempt.
        keep_failed: stores an attempt that will be repeated.
        environment: allow-listed environment for the agent.
        wait: waits a number of seconds between attempts.
    """

    run: TestRun
    agent: Agent
    agent_version: str | None
    open_workspace: OpenWorkspace
    proxy: MeteringProxy | None
    open_bundle: Callable[[], OpenBundle]
    keep_failed: Callable[[ObservedRun, OpenBundle], None]
    environment: Mapping[str, str]
    wait: Callable[[float], None] = time.sleep

    def settle(self) -> tuple[ObservedRun, OpenBundle]:
        """Attempt the run; repeat infrastructure faults with growing pauses, nothing else.

        Raises:
            EvidenceError: the disk refuses evidence.
        """
        number = 0
        while True:
            number += 1
            bundle = self.open_bundle()
            observed = replace(self._attempt(bundle), attempts=number)
            if number == MAX_ATTEMPTS or not is_worth_repeating(observed.trace):
                return observed, bundle
            self.keep_failed(observed, bundle)
            self.wait(choose_pause_s(number, retry_after_s=observed.trace.retry_after_s))

    def _attempt(self, bundle: OpenBundle) -> ObservedRun:
        started_at = datetime.now(UTC)
        clock = time.perf_counter()
        prompt = compose_prompt(self.run.task, self.run.setup.kind)
        trace = self._run_agent(prompt, bundle)
        metering = confirm_record(self._read_wire(bundle), trace, server=self.run.setup.name)
        return ObservedRun(
            run=self.run,
            prompt=prompt,
            trace=settle_trace(trace, metering, setup=self.run.setup),
            metering=metering,
            tapped_spend=read_tapped_spend(bundle.wire_folder / TAPPED_SPEND),
            own_tools=self.agent.list_own_tools(self.run.setup),
            agent_version=self.agent_version,
            attempts=1,
            started_at=started_at.isoformat(timespec="milliseconds"),
            duration_s=round(time.perf_counter() - clock, 3),
        )

    def _run_agent(self, prompt: str, bundle: OpenBundle) -> AgentTrace:
        try:
            with self.open_workspace() as workspace:
                return accept_trace(self.agent.run(self._make_job(prompt, workspace, bundle)))
        except RunError as fault:
            return AgentTrace(
                status=RunStatus(fault.status), reason=str(fault), retry_after_s=fault.retry_after_s
            )
        except EvidenceError:
            raise
        except Exception as error:  # noqa: BLE001 - adapters are guests; their faults are a status, not a crash
            return AgentTrace(
                status=RunStatus.AGENT_ERROR,
                reason=f"adapter of agent {self.agent.name!r} failed: {type(error).__name__}: {error}",
            )

    def _make_job(self, prompt: str, workspace: Workspace, bundle: OpenBundle) -> AgentJob:
        server = None if self.proxy is None else self.proxy.prepare(workspace, bundle.wire_folder)
        bundle.agent_folder.mkdir(exist_ok=True)
        return AgentJob(
            run=self.run,
            prompt=prompt,
            workspace=workspace.work,
            home=workspace.home,
            record=bundle.agent_folder,
            server=server,
            environment=self.environment,
            answer=self.run.task.reference_answer if self.agent.reads_reference_answer else None,
        )

    def _read_wire(self, bundle: OpenBundle) -> Metering | None:
        if self.proxy is None:
            return None
        metering = read_metering(bundle.wire_folder)
        # The spool repeats, frame by frame, what `metering.jsonl` is about to hold call by call.
        for spool in (*bundle.wire_folder.glob("wire*"), *bundle.wire_folder.glob("*.tickets")):
            spool.unlink()
        return metering


def accept_trace(trace: object) -> AgentTrace:
    """What an adapter hands over, if evidence can hold it.

    Raises:
        TypeError: it is no trace.
        ValueError: it holds what JSON cannot, such as a number of thousands of digits.
    """
    if not isinstance(trace, AgentTrace):
        raise TypeError(f"run() must give an AgentTrace, not {type(trace).__name__}")
    for part in (trace.model_dump(exclude={"transcript"}, mode="json"), *trace.transcript):
        encode_json_line(part)
    return trace


def is_worth_repeating(trace: AgentTrace) -> bool:
    """Whether another attempt may end better: a login that was refused is refused again."""
    return STATUS_RULES[trace.status].retry and not LASTING_FAULTS & set(trace.flags)


LASTING_FAULTS: Final = frozenset({"fault_auth", "fault_billing"})
"""Flags of faults that no repetition can cure."""


def choose_pause_s(attempt: int, *, retry_after_s: float | None) -> float:
    """Seconds to wait after the `attempt`-th attempt: what the other side asked for, else 1, 4, 16..."""
    asked = _FIRST_WAIT_S * 4 ** (attempt - 1) if retry_after_s is None else retry_after_s
    return min(max(asked, 0.0), _LONGEST_WAIT_S)


def name_busy_side(observed: ObservedRun) -> str:
    """Who asked for time: the agent's model, as the agent itself tells by a fault, or else the provider."""
    of_model = any(flag.startswith("fault_") for flag in observed.trace.flags) or observed.metering is None
    return observed.run.agent if of_model else observed.run.setup.name


def confirm_record(metering: Metering | None, trace: AgentTrace, *, server: str) -> Metering | None:
    """Call a record complete that breaks off without a gap, when the agent reports the same answered calls.

    Codex kills its servers outright, the metering proxy among them, before it can write its last words.
    """
    if metering is None or not metering.intact or not metering.recording_incomplete:
        return metering
    reported = Counter(call.tool for call in trace.tool_calls if call.server == server and call.executed)
    answered = Counter(call.tool for call in metering.calls if call.outcome != "unanswered")
    agree = reported == answered and len(metering.calls) == answered.total()
    return metering.model_copy(update={"recording_incomplete": not agree})


def settle_trace(trace: AgentTrace, metering: Metering | None, *, setup: SearchSetup) -> AgentTrace:
    """Correct the agent's view of how the run ended by what went over the wire.

    An agent whose search never came up, or never once answered, goes on from memory and says all is well:
    that measures nothing, so the run ends as a fault of infrastructure. So it does where the search is the
    agent product's own, of which the transcript alone tells.
    """
    if metering is None:
        return _settle_own_search(trace, setup=setup)
    if trace.status is RunStatus.SETUP_UNAVAILABLE:
        return trace.model_copy(update={"reason": f"{trace.reason}{_quote_last_words(metering)}"})
    if not STATUS_RULES[trace.status].counts:
        return trace
    fault = _find_missing_tools(metering, setup=setup) or _find_dead_provider(trace, metering, setup=setup)
    if fault is not None:
        return trace.model_copy(
            update={"status": fault.status, "reason": fault.text, "retry_after_s": fault.retry_after_s}
        )
    return trace.model_copy(update={"flags": (*trace.flags, *list_wire_flags(metering, setup=setup))})


def _settle_own_search(trace: AgentTrace, *, setup: SearchSetup) -> AgentTrace:
    own = [call for call in trace.tool_calls if call.server is None and call.executed]
    failed = [call for call in own if call.tool in OWN_SEARCHES and call.outcome is CallOutcome.ERROR]
    is_dead = failed and not any(call.outcome is CallOutcome.OK for call in own)
    if setup.kind is not SetupKind.BUILT_IN or not STATUS_RULES[trace.status].counts or not is_dead:
        return trace
    said = " ".join((failed[-1].error_text or "").split())[:_LAST_WORDS_CHARS]
    reason = f"none of {len(failed)} search(es) by the agent's own tool was answered; the last one: {said}"
    return trace.model_copy(update={"status": RunStatus.PROVIDER_ERROR, "reason": reason})


@dataclass(frozen=True)
class _WireFault:
    status: RunStatus
    text: str
    retry_after_s: float | None = None


def _find_missing_tools(metering: Metering, *, setup: SearchSetup) -> _WireFault | None:
    missing = setup.tool_names - {tool.name for tool in metering.tools}
    if metering.tools_listed and not missing:
        return None
    what = f"tools {', '.join(sorted(missing))}" if metering.tools_listed else "its tools"
    text = f"the metering proxy did not see the server list {what} (reached: {metering.state})"
    return _WireFault(RunStatus.SETUP_UNAVAILABLE, f"{text}{_quote_last_words(metering)}")


def _quote_last_words(metering: Metering) -> str:
    """What the server said before it failed; agent products keep that to themselves."""
    words = (metering.start_failure or metering.stderr_tail).strip()
    return f"; the server's last words: {words[-_LAST_WORDS_CHARS:]}" if words else ""


def _find_dead_provider(trace: AgentTrace, metering: Metering, *, setup: SearchSetup) -> _WireFault | None:
    failures = [classify_failure(setup, call) for call in metering.calls]
    if any(
        failure is None and call.outcome in _ANSWERED
        for failure, call in zip(failures, metering.calls, strict=True)
    ):
        return None
    if any(call.outcome == "server_died" for call in metering.calls):
        text = f"the server died and no call to it ever succeeded{_quote_last_words(metering)}"
        return _WireFault(RunStatus.SETUP_UNAVAILABLE, text)
    known = [failure for failure in failures if failure is not None]
    if known:
        last = known[-1]
        text = f"none of {len(failures)} provider call(s) was answered; the last one: {last.text}"
        return _WireFault(last.status, text, last.retry_after_s)
    if trace.status is RunStatus.TIMEOUT and any(call.outcome == "unanswered" for call in metering.calls):
        return _WireFault(RunStatus.PROVIDER_ERROR, "the provider's server never answered a call in time")
    return None


_ANSWERED: Final = frozenset({"ok", "tool_error", "protocol_error"})
"""Outcomes by which a server answered a call, be it by an error that the agent has to live with."""


def list_wire_flags(metering: Metering, *, setup: SearchSetup) -> Iterator[str]:
    """Short marks of what the wire saw besides ordinary calls."""
    outcomes = {call.outcome for call in metering.calls}
    if "server_died" in outcomes:
        yield "server_died"
    if "refused_budget" in outcomes:
        yield "refused_budget"
    if any(classify_failure(setup, call) for call in metering.calls):
        yield "provider_failures"
    if metering.recording_incomplete:
        yield "recording_incomplete"
    if metering.noise_lines:
        yield "stdout_noise"
