"""Agents that follow a script: they answer, go wrong, hang, crash or spend, as a test wants it.

A test's project registers them in its ``conftest.py``. They keep what they must remember between attempts
and processes as files in the project's ``agent-notes`` folder.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_searchlight.domain import (
    CallOutcome,
    CheckOutcome,
    RunStatus,
    SearchSetup,
    Task,
    ToolCall,
    Usage,
    Verdict,
)
from pytest_searchlight.errors import RunError
from pytest_searchlight.extensions import AgentJob, AgentTrace, Answer, Registry
from pytest_searchlight.workspace import run_process

if TYPE_CHECKING:
    from pydantic import JsonValue

Script = Callable[[AgentJob], AgentTrace]

NOTES: Final = Path("agent-notes")
MAY_ANSWER: Final = Path("may-answer")
SURROGATE: Final = "lone \ud83d and \x00 and \x1b[31m and \u2028"
SECRET_TEXT: Final = "key is sk-very-secret-value"


@dataclass(frozen=True)
class ScriptedAgent:
    """An agent whose whole behaviour is one function."""

    name: str
    script: Script
    version: str | None = "1.0"
    refusal: str | None = None
    default_model: str | None = None
    calls_tools: bool = False
    reads_reference_answer: bool = False

    def find_version(self) -> str | None:
        return self.version

    def explain_unsupported(self, setup: SearchSetup) -> str | None:  # noqa: ARG002 - part of the Protocol
        return self.refusal

    def list_own_tools(self, setup: SearchSetup) -> frozenset[str]:  # noqa: ARG002 - part of the Protocol
        return frozenset({"notepad"})

    def run(self, job: AgentJob) -> AgentTrace:
        note(job, "attempt")
        return self.script(job)


# --- remembering -----------------------------------------------------------------------------------------


def note(job: AgentJob, what: str) -> int:
    """Write down that something happened in a run, and give how often it has."""
    NOTES.mkdir(exist_ok=True)
    file = NOTES / f"{what}.{job.run.task.id}.{job.run.setup.name}.r{job.run.repetition}"
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{os.getpid()} {time.time_ns()}\n")
    return len(file.read_text(encoding="utf-8").splitlines())


def count_notes(project: Path, what: str) -> int:
    """How often something was written down in a project."""
    files = (project / NOTES).glob(f"{what}.*")
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


# --- answers ---------------------------------------------------------------------------------------------


def answer(
    text: str, *, tool_calls: tuple[ToolCall, ...] = (), tokens: int = 0, reason: str = ""
) -> AgentTrace:
    """A finished run with this final message."""
    return AgentTrace(
        status=RunStatus.GRADED,
        reason=reason,
        answer_text=text,
        transcript=({"type": "answer", "text": text},),
        tool_calls=tool_calls,
        usage=Usage(input_tokens=tokens, output_tokens=0),
    )


def answer_right(job: AgentJob) -> AgentTrace:
    return answer(json.dumps(job.run.task.reference_answer))


def answer_wrong(job: AgentJob) -> AgentTrace:  # noqa: ARG001 - every script gets its job
    return answer('{"colour": "red"}')


def answer_what_it_reads(job: AgentJob) -> AgentTrace:
    return answer_right(job) if "<reference>" in job.prompt else answer('{"colour": null}')


def answer_in_prose(job: AgentJob) -> AgentTrace:  # noqa: ARG001
    return answer("It is blue, I think.")


def answer_with_many_tokens(job: AgentJob) -> AgentTrace:
    return answer_right(job).model_copy(update={"usage": Usage(input_tokens=600, output_tokens=400)})


def fail_at_a_cost(job: AgentJob) -> AgentTrace:  # noqa: ARG001
    usage = Usage(input_tokens=1000, output_tokens=0)
    return AgentTrace(status=RunStatus.AGENT_ERROR, reason="fell over", usage=usage, retry_after_s=0.0)


def answer_without_usage(job: AgentJob) -> AgentTrace:
    return answer_right(job).model_copy(update={"usage": Usage()})


def answer_oddly(job: AgentJob) -> AgentTrace:  # noqa: ARG001
    call = ToolCall(
        tool="notepad", arguments={"text": SURROGATE}, outcome=CallOutcome.OK, result_text=SURROGATE
    )
    return answer(json.dumps({"colour": SURROGATE}) + SURROGATE + "x" * 200_000, tool_calls=(call,))


def tell_secret(job: AgentJob) -> AgentTrace:
    (job.record / "raw.txt").write_text(SECRET_TEXT, encoding="utf-8")
    return answer(f'{{"colour": "{SECRET_TEXT}"}}')


# --- statuses --------------------------------------------------------------------------------------------


def end_as(status: RunStatus, reason: str) -> Script:
    """A script that ends with a status; infrastructure faults ask to be tried again at once."""

    def script(job: AgentJob) -> AgentTrace:  # noqa: ARG001
        return AgentTrace(status=status, reason=reason, retry_after_s=0.0)

    return script


def call_outside(*, executed: bool) -> Script:
    """A script that answers right after a call that no contract allows."""

    def script(job: AgentJob) -> AgentTrace:
        outcome = CallOutcome.OK if executed else CallOutcome.REFUSED
        call = ToolCall(tool="shell", arguments="curl", outcome=outcome, executed=executed)
        return answer_right(job).model_copy(update={"tool_calls": (call,)})

    return script


def recover(job: AgentJob) -> AgentTrace:
    if note(job, "recovering") < 2:
        raise RunError("the line was dead", status=RunStatus.PROVIDER_ERROR, retry_after_s=0.0)
    return answer_right(job)


def throw(job: AgentJob) -> AgentTrace:
    if note(job, "throwing") < 2:
        raise LookupError(SURROGATE)
    return answer_right(job)


def ail(job: AgentJob) -> AgentTrace:
    """Fail until the file ``may-answer`` is there."""
    if MAY_ANSWER.exists():
        return answer_right(job)
    return AgentTrace(status=RunStatus.RATE_LIMITED, reason="too many requests", retry_after_s=0.0)


# --- processes -------------------------------------------------------------------------------------------

STUBBORN: Final = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
open(sys.argv[1] + "." + str(os.getpid()), "w").close()
while True:
    time.sleep(60)
"""
"""Ignores every polite signal, and leaves a child in a session of its own that does too."""


def hang_once(job: AgentJob) -> AgentTrace:
    """Hang in a stubborn process until killed; answer when made again."""
    if job.run.task.id.startswith("quick") or MAY_ANSWER.exists():
        return answer_right(job)
    NOTES.mkdir(exist_ok=True)
    run_process(
        [sys.executable, "-c", STUBBORN, str(NOTES.resolve() / "hanging")],
        cwd=job.workspace,
        env=job.environment,
        run_id=os.environ["TEST_MARK"],
        stdout_path=job.record / "stdout.txt",
        stderr_path=job.record / "stderr.txt",
        timeout_s=job.run.task.budgets.wall_clock_s,
        stop_grace_s=0.2,
    )
    return AgentTrace(status=RunStatus.TIMEOUT, reason="hung until its time was over")


def outlast_controller(job: AgentJob) -> AgentTrace:
    """Answer once the session is summed up, or soon after the file ``may-answer`` is there."""
    note(job, "begun")
    give_up_s = time.monotonic() + 30
    while not MAY_ANSWER.exists() and time.monotonic() < give_up_s:
        time.sleep(0.02)
    give_up_s = time.monotonic() + 1
    while not list(job.record.parents[2].glob("summary.json")) and time.monotonic() < give_up_s:
        time.sleep(0.02)
    return answer_right(job)


def kill_worker_once(job: AgentJob) -> AgentTrace:
    """Die with the whole worker process, once, in the task called ``deadly``."""
    if job.run.task.id == "deadly" and not MAY_ANSWER.exists():
        (job.record / "last-words.txt").write_text("about to die", encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return answer_right(job)


def fill_disk(job: AgentJob) -> AgentTrace:
    """Leave a raw file of 1 MB, as agents do, so that a small disk is soon full."""
    (job.record / "events.jsonl").write_bytes(b"x" * 1_000_000)
    return answer_right(job)


# --- grading ---------------------------------------------------------------------------------------------


@dataclass
class AbsentJudge:
    """A check that cannot be decided until the file ``judge-is-back`` is there."""

    kind: str = "absent-judge"

    def explain_params(self, params: Mapping[str, JsonValue], *, task: Task) -> str | None:  # noqa: ARG002
        return None

    def validate(self, params: Mapping[str, JsonValue], *, answer: Answer, task: Task) -> Verdict:  # noqa: ARG002
        if Path("judge-is-back").exists():
            return Verdict(kind=self.kind, outcome=CheckOutcome.PASS, reason="judged")
        return Verdict(kind=self.kind, outcome=CheckOutcome.UNGRADED, reason="the judge is away")


@dataclass
class BrokenCheck:
    """A check that throws, in words that no report can hold as they are."""

    kind: str = "broken-check"

    def explain_params(self, params: Mapping[str, JsonValue], *, task: Task) -> str | None:  # noqa: ARG002
        return None

    def validate(self, params: Mapping[str, JsonValue], *, answer: Answer, task: Task) -> Verdict:  # noqa: ARG002
        raise LookupError(SURROGATE)


SCRIPTS: Final[dict[str, Script]] = {
    "right": answer_right,
    "wrong": answer_wrong,
    "reader": answer_what_it_reads,
    "prose": answer_in_prose,
    "spender": answer_with_many_tokens,
    "costly-fault": fail_at_a_cost,
    "uncounted": answer_without_usage,
    "odd": answer_oddly,
    "teller": tell_secret,
    "stray": call_outside(executed=True),
    "held-back": call_outside(executed=False),
    "late": end_as(RunStatus.TIMEOUT, "its time was over"),
    "wasteful": end_as(RunStatus.BUDGET_EXHAUSTED, "its own budget was used up"),
    "refuser": end_as(RunStatus.REFUSED, "the model declined"),
    "broken": end_as(RunStatus.AGENT_ERROR, "it crashed"),
    "odd-broken": end_as(RunStatus.AGENT_ERROR, SURROGATE + "y" * 200_000),
    "toolless": end_as(RunStatus.SETUP_UNAVAILABLE, "no tools came up"),
    "unserved": end_as(RunStatus.PROVIDER_ERROR, "the provider is down"),
    "limited": end_as(RunStatus.RATE_LIMITED, "too many requests"),
    "ailing": ail,
    "recovering": recover,
    "throwing": throw,
    "hanging": hang_once,
    "deadly": kill_worker_once,
    "outlasting": outlast_controller,
    "heavy": fill_disk,
}


def pytest_searchlight_register(registry: Registry) -> None:
    """Register every scripted agent, one that is not installed and one that supports nothing."""
    for name, script in SCRIPTS.items():
        registry.agents.add(name, ScriptedAgent(name, script))
    registry.agents.add("missing", ScriptedAgent("missing", answer_right, version=None))
    registry.agents.add("unfit", ScriptedAgent("unfit", answer_right, refusal="unfit never searches"))
    registry.agents.add("talker", ScriptedAgent("talker", answer_right, default_model="talk-1"))
    registry.validators.add("absent-judge", AbsentJudge())
    registry.validators.add("broken-check", BrokenCheck())
