"""The seams: what an agent, a validator, a judge and an audit rule are, and the registry that holds them.

Built-ins enter through the same registry as guests, which may add to it but never replace: a number has
to mean the same in every installation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pydantic import JsonValue, NonNegativeInt

from pytest_searchlight.domain import (
    SLUG_PATTERN,
    AuditFinding,
    Record,
    RunStatus,
    SearchSetup,
    TappedSpend,
    Task,
    TestRun,
    ToolCall,
    Usage,
    Verdict,
)
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.metering import Metering

# --- agents ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class McpServer:
    """How an agent starts the MCP server that its setup allows: the metering proxy's command line.

    The provider's key is not in here; it waits for the proxy in a private file.
    """

    name: str
    command: tuple[str, ...]
    tools: tuple[str, ...]
    start_timeout_s: float


@dataclass(frozen=True, kw_only=True)
class AgentJob:
    """Everything an agent is given for one attempt at a run.

    Attributes:
        run: which run this is; agents read the setup's kind, the model and the budgets from it.
        prompt: the whole prompt, ceiling excerpt included.
        workspace: empty folder to work in.
        home: private folder for the agent's own configuration.
        record: folder whose files become part of the evidence (raw event stream, stderr).
        server: the MCP server to offer, or None when the setup has none.
        environment: allow-listed environment, without provider keys.
        answer: the reference answer; set only for agents that declare `reads_reference_answer`.
    """

    run: TestRun
    prompt: str
    workspace: Path
    home: Path
    record: Path
    server: McpServer | None
    environment: Mapping[str, str]
    answer: JsonValue = None

    @property
    def mark(self) -> str:
        """A name for the attempt's processes that the agent may see: it tells nothing about the setup."""
        return self.workspace.parent.name


class AgentTrace(Record):
    """What an agent did and said.

    `status` is GRADED when the agent finished and its answer should be graded, else the reason it is not.
    `transcript` holds one JSON object per step, in order, as ``transcript.jsonl`` will keep it.
    `offloaded_chars` are characters of the server's results that the product kept from its model, in a file
    or not at all; None when the product does not tell.
    """

    status: RunStatus
    reason: str = ""
    answer_text: str | None = None
    transcript: tuple[dict[str, JsonValue], ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    cli_reported_usd: float | None = None
    model_names: tuple[str, ...] = ()
    tools_offered: tuple[str, ...] | None = None
    retry_after_s: float | None = None
    offloaded_chars: NonNegativeInt | None = None
    flags: tuple[str, ...] = ()


class Agent(Protocol):
    """A coding-agent product behind an adapter."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        ...

    @property
    def default_model(self) -> str | None:
        """The model of runs that name none; None for agents without an LLM."""
        ...

    @property
    def calls_tools(self) -> bool:
        """False for agents that never use the setup's server, so that none is started for them."""
        ...

    @property
    def reads_reference_answer(self) -> bool:
        """Whether its jobs hold the reference answer."""
        ...

    def find_version(self) -> str | None:
        """Version of the product that would run, or None when it is not installed. Raises nothing."""
        ...

    def explain_unsupported(self, setup: SearchSetup) -> str | None:
        """Why this agent cannot run `setup`, in a sentence, or None when it can."""
        ...

    def list_own_tools(self, setup: SearchSetup) -> frozenset[str]:
        """The product's own tools (not the provider's) that its contract under `setup` allows."""
        ...

    def run(self, job: AgentJob) -> AgentTrace:
        """Do the job. Faults of infrastructure are a trace's status or a `RunError`."""
        ...


# --- grading ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a run answered, as found in its final message.

    `deliverable` is None when no JSON object could be found; `problem` then says why. `note` says what had to
    be overlooked to read the deliverable (loose notation, a wrapper). `text` is the whole final message.
    """

    text: str
    deliverable: JsonValue
    problem: str | None = None
    note: str | None = None


class Validator(Protocol):
    """A deterministic check, addressed by its `kind` in a task's ``checks``."""

    kind: str

    def explain_params(self, params: Mapping[str, JsonValue], *, task: Task) -> str | None:
        """What is wrong with `params` (field, value, rule), or None when they are right."""
        ...

    def validate(self, params: Mapping[str, JsonValue], *, answer: Answer, task: Task) -> Verdict:
        """Hold `answer` against `params`. Never raises for what an agent wrote."""
        ...


class Judge(Protocol):
    """A blinded assessment. It is given what it needs to read and nothing that tells the setup."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        ...

    @property
    def model_name(self) -> str | None:
        """The pinned model that it asks, None when it needs none."""
        ...

    def explain_unavailable(self) -> str | None:
        """Why this judge cannot judge here, or None when it can."""
        ...

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        """Label every fact and claim of `payload`.

        Args:
            payload: the blinded brief; what it holds is data, whatever it says.
            record: existing folder for raw output, which becomes part of the evidence.

        Raises:
            RunError: no sound judgement came; that is nobody's pass and nobody's fail.
        """
        ...


# --- audit -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ObservedRun:
    """What is known of a run once it has ended, from both sides: all that audit and grading need.

    Attributes:
        run: which run it was.
        prompt: the prompt the agent was given.
        trace: what the agent product reported.
        metering: what the metering proxy saw; None when the run had no server to meter.
        tapped_spend: what the provider's API itself reported of its charges, when its server was tapped.
        own_tools: the agent product's own tools that the contract allows.
        agent_version: version of the product that ran, None when unknown.
        attempts: how many attempts were made, this one included.
        started_at: start of this attempt, UTC, ISO 8601.
        duration_s: length of this attempt.
    """

    run: TestRun
    prompt: str
    trace: AgentTrace
    metering: Metering | None
    tapped_spend: tuple[TappedSpend, ...] = ()
    own_tools: frozenset[str]
    agent_version: str | None
    attempts: int
    started_at: str
    duration_s: float


AuditRule = Callable[[ObservedRun], Iterator[AuditFinding]]


# --- registry --------------------------------------------------------------------------------------------

T = TypeVar("T")


@dataclass(frozen=True)
class Shelf(Generic[T]):
    """Things of one sort by name, in the order they were added; names cannot be taken twice."""

    sort: str
    _things: dict[str, T] = field(default_factory=dict)

    def add(self, name: str, thing: T) -> None:
        """Put `thing` on the shelf. Raises SettingsError when `name` is taken, or no slug."""
        if not re.fullmatch(SLUG_PATTERN, name):
            raise SettingsError(
                f"{self.sort} {name!r}: a name consists of a-z, 0-9, '.', '_' and '-', and starts with a "
                "letter or digit; choose another"
            )
        if name in self._things:
            raise SettingsError(
                f"{self.sort} {name!r} is registered twice; extensions may add names but not replace one"
            )
        self._things[name] = thing

    def get(self, name: str) -> T:
        """The thing called `name`. Raises SettingsError with the nearest name and all known ones."""
        if name not in self._things:
            near = get_close_matches(name, self._things, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            known = ", ".join(self._things) or "none"
            raise SettingsError(f"unknown {self.sort} {name!r}{hint} (known: {known})")
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def values(self) -> Iterator[T]:
        """The things, in the order they were added."""
        return iter(self._things.values())


@dataclass(frozen=True)
class Registry:
    """What this session knows: filled by the ``pytest_searchlight_register`` hook, then only read."""

    agents: Shelf[Agent] = field(default_factory=lambda: Shelf("agent"))
    setups: Shelf[SearchSetup] = field(default_factory=lambda: Shelf("search setup"))
    validators: Shelf[Validator] = field(default_factory=lambda: Shelf("validator"))
    judges: Shelf[Judge] = field(default_factory=lambda: Shelf("judge"))
    audit_rules: Shelf[AuditRule] = field(default_factory=lambda: Shelf("audit rule"))
