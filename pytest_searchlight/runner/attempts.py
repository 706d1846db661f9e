"""Attempts at one run, each in a fresh workspace, until it settles.

Whatever an agent adapter throws becomes a status of the run, never the end of the session. Guests are called
here and where answers are validated, briefs judged and runs audited; for them alone, and for the parsers of
captured pages, is there a broad ``except`` clause.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from pytest_searchlight.domain import RunStatus, TestRun
from pytest_searchlight.errors import EvidenceError, RunError
from pytest_searchlight.evidence import OpenBundle, encode_json_line
from pytest_searchlight.extensions import Agent, AgentJob, AgentTrace, ObservedRun
from pytest_searchlight.metering import Metering, read_metering
from pytest_searchlight.prompting import compose_prompt
from pytest_searchlight.providers.tap import TAPPED_SPEND, read_tapped_spend
from pytest_searchlight.runner.faults import choose_pause_s, is_worth_repeating
from pytest_searchlight.runner.proxy import MeteringProxy
from pytest_searchlight.runner.settling import confirm_record, settle_deaf_product, settle_trace
from pytest_searchlight.workspace import Workspace

MAX_ATTEMPTS: Final = 3

OpenWorkspace = Callable[[], AbstractContextManager[Workspace]]


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
        duration_s = round(time.perf_counter() - clock, 3)
        metering = confirm_record(self._read_wire(bundle), trace, server=self.run.setup.name)
        return ObservedRun(
            run=self.run,
            prompt=prompt,
            trace=settle_deaf_product(
                settle_trace(trace, metering, setup=self.run.setup), metering, ran_s=duration_s
            ),
            metering=metering,
            tapped_spend=read_tapped_spend(bundle.wire_folder / TAPPED_SPEND),
            own_tools=self.agent.list_own_tools(self.run.setup),
            agent_version=self.agent_version,
            attempts=1,
            started_at=started_at.isoformat(timespec="milliseconds"),
            duration_s=duration_s,
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
