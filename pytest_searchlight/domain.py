"""The records everything else is made of: frozen, JSON-ready, without behaviour that touches the world."""

from __future__ import annotations

import hashlib
import json
from datetime import date
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal, NamedTuple

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    StringConstraints,
)

SLUG_PATTERN: Final = r"^[a-z0-9][a-z0-9._-]*$"
RESERVED_WORDS: Final = frozenset({"and", "or", "not"})
"""Words pytest's ``-k`` reads as operators, so no id may be one of them."""

Slug = Annotated[str, StringConstraints(pattern=SLUG_PATTERN, max_length=80)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Record(BaseModel):
    """A frozen record that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def hash_content(value: object) -> str:
    """SHA-256 (hex) of a JSON-ready value, independent of key order."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- tasks -----------------------------------------------------------------------------------------------


class Budgets(Record):
    """What one run may use. A limit of ``None`` is no limit."""

    wall_clock_s: PositiveFloat = 900.0
    tokens: PositiveInt | None = None
    provider_calls: NonNegativeInt | None = None


class Check(Record):
    """One deterministic check: a validator's ``kind`` plus that validator's own parameters."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: Slug

    @property
    def params(self) -> dict[str, JsonValue]:
        """The validator's own parameters, as written in the catalog."""
        return dict(self.__pydantic_extra__ or {})


class KeyFact(Record):
    """A statement that a right brief makes; `weight` is its share in the recall."""

    id: Slug
    text: Text
    weight: PositiveFloat = 1.0


class Rubric(Record):
    """What a judge holds a brief against; part of the grading hash, so frozen per session."""

    key_facts: tuple[KeyFact, ...] = Field(min_length=1)
    min_recall: Annotated[float, Field(ge=0, le=1)] = 0.7
    max_unsupported: Annotated[float, Field(ge=0, le=1)] = 0.25


class Reference(Record):
    """Why the right answer is right; `excerpt` is what the ceiling setup puts into the prompt."""

    excerpt: Text
    source: Text
    event_date: date


class WrongAnswer(Record):
    """An answer that must fail, and what is wrong with it (a stale value, a decoy, an invention...)."""

    why: Text
    answer: JsonValue


class Freshness(Record):
    """The window in which the reference answer is known to hold."""

    checked: date
    valid_until: date | None = None

    def has_passed(self, today: date) -> bool:
        """Whether the window lies before `today`; without an end it never does."""
        return self.valid_until is not None and self.valid_until < today


class Task(Record):
    """One job: what the agent is asked, and how its answer is graded.

    `control` marks a question that has no answer: an honest decline passes it without any search, so it
    is left out of every comparison with the floor. A task written as a Python test may do without a
    reference; one in a catalog is a `CatalogTask`.
    """

    __test__: ClassVar[bool] = False

    id: Slug
    family: Slug
    prompt: Text
    deliverable: dict[str, JsonValue]
    checks: tuple[Check, ...] = ()
    rubric: Rubric | None = None
    reference: Reference | None = None
    reference_answer: JsonValue = None
    wrong_answers: tuple[WrongAnswer, ...] = ()
    freshness: Freshness | None = None
    budgets: Budgets = Budgets()
    control: bool = False
    tags: tuple[Slug, ...] = ()

    @property
    def grading_hash(self) -> str:
        """Hash of what the answer is held against; a change is a regrade, not a new run."""
        return hash_content(self.model_dump(mode="json", include={"checks", "rubric", "control"}))

    @property
    def content_hash(self) -> str:
        """Hash of the whole task."""
        return hash_content(self.model_dump(mode="json"))


class CatalogTask(Task):
    """A task that can be proven: it has a reference, a right answer and at least one wrong one."""

    reference: Reference
    reference_answer: JsonValue
    wrong_answers: tuple[WrongAnswer, ...] = Field(min_length=1)
    freshness: Freshness


# --- search setups ---------------------------------------------------------------------------------------


class SetupKind(StrEnum):
    """What sort of search a setup gives."""

    PROVIDER = "provider"
    BUILT_IN = "built-in"
    NO_SEARCH = "no-search"
    FLOOR = "floor"
    CEILING = "ceiling"

    @property
    def gives_tools(self) -> bool:
        """Whether an agent under this kind of setup has any search tool."""
        return self in {SetupKind.PROVIDER, SetupKind.BUILT_IN}


class ToolPin(Record):
    """A tool the provider's server advertises; the hash is of its canonical input schema."""

    name: str
    schema_sha256: str | None = None


class ServerPin(Record):
    """A provider's MCP server at a pinned version: a command over stdio, or a streamable-HTTP URL.

    `command` and `environment` values may use ``{python}``, ``{install}`` (where the pinned package is
    installed), ``{project}`` (the user's own project) and ``{closed_web}`` (the ``web/`` folder of the task's
    catalog). `environment` and `headers` values may name secrets as ``${NAME}``. `key_variable` names the
    provider's key, which a command also finds in its environment; no secret's value enters this record.
    """

    package: str | None = None
    version: str
    command: tuple[str, ...] = ()
    url: str | None = None
    headers: dict[str, str] = {}
    environment: dict[str, str] = {}
    key_variable: str | None = None
    start_timeout_s: PositiveFloat = 120.0

    @property
    def uses_closed_web(self) -> bool:
        """Whether the server serves the closed web that the task's catalog ships."""
        return any("{closed_web}" in part for part in self.command)


class Tariff(Record):
    """The price of one call of a provider's tool, with where and when it was read.

    `when` is a JSON Schema that the call's arguments must meet for the price to hold. `per_item_of` names an
    argument that is a list: the price is then for each of its items. A price of None is unknown, and `source`
    says why.
    """

    usd_per_call: Annotated[float, Field(ge=0)] | None
    per_item_of: str | None = None
    when: dict[str, JsonValue] = {}
    source: Text
    checked: date


class UnitPrice(Record):
    """The price of one unit that a provider's answers report (a credit), with where and when it was read."""

    usd_per_unit: Annotated[float, Field(ge=0)] | None
    source: Text
    checked: date


class FailureKind(StrEnum):
    """What went wrong with a call to a provider. `ARGUMENTS` is the agent's own mistake, not a fault."""

    AUTH = "auth"
    RATE_LIMIT = "rate-limit"
    QUOTA = "quota"
    PROVIDER = "provider"
    ARGUMENTS = "arguments"


class FailureRule(Record):
    """How a provider's answer gives away a failed call; in a list, the first rule that matches wins.

    `shape` is how the answer came: a tool result marked as error, a JSON-RPC error, or a tool result that
    calls itself a success. `pattern` is a regular expression searched in its text, without regard to case.
    `tool` limits the rule to one tool.
    """

    shape: Literal["error-result", "protocol-error", "success-text"]
    tool: str | None = None
    pattern: Text
    kind: FailureKind


class SearchSetup(Record):
    """What an agent may search with, and nothing else."""

    name: Slug
    kind: SetupKind
    server: ServerPin | None = None
    tools: tuple[ToolPin, ...] = ()
    tariffs: dict[str, tuple[Tariff, ...]] = {}
    unit_prices: dict[str, UnitPrice] = {}
    failures: tuple[FailureRule, ...] = ()

    @property
    def tool_names(self) -> frozenset[str]:
        """Names of the tools the provider's server may offer."""
        return frozenset(tool.name for tool in self.tools)

    @property
    def pin_hash(self) -> str:
        """Hash of what the setup gives an agent: kind, pinned server and tools, never prices."""
        return hash_content(self.model_dump(mode="json", include={"name", "kind", "server", "tools"}))


# --- test runs -------------------------------------------------------------------------------------------


class TestRun(Record):
    """One agent on one task under one setup, one repetition.

    `run_id` names the folder; `identity` is the hash of all that matters for the result and of nothing
    else (no paths, ports, times or worker counts), so equal identities may stand in for each other.
    """

    __test__: ClassVar[bool] = False

    run_id: str
    identity: str
    catalog: Slug
    task: Task
    setup: SearchSetup
    agent: Slug
    model_name: str | None
    repetition: PositiveInt


class RunStatus(StrEnum):
    """How a run ended; whether the answer was right is another question."""

    GRADED = "graded"
    TIMEOUT = "timeout"
    BUDGET_EXHAUSTED = "budget_exhausted"
    REFUSED = "refused"
    CONTAMINATED = "contaminated"
    SETUP_UNAVAILABLE = "setup_unavailable"
    AGENT_ERROR = "agent_error"
    PROVIDER_ERROR = "provider_error"
    RATE_LIMITED = "rate_limited"
    UNGRADED = "ungraded"
    SKIPPED = "skipped"
    NOT_RUN = "not_run"


class StatusRule(NamedTuple):
    """What follows from a status: another try, a place in the denominator, and pytest's word for it."""

    retry: bool
    counts: bool
    pytest: Literal["assert", "error", "skip"]


STATUS_RULES: Final[dict[RunStatus, StatusRule]] = {
    RunStatus.GRADED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.TIMEOUT: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.BUDGET_EXHAUSTED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.REFUSED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.CONTAMINATED: StatusRule(retry=False, counts=True, pytest="assert"),
    RunStatus.SETUP_UNAVAILABLE: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.AGENT_ERROR: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.PROVIDER_ERROR: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.RATE_LIMITED: StatusRule(retry=True, counts=False, pytest="error"),
    RunStatus.UNGRADED: StatusRule(retry=False, counts=False, pytest="error"),
    RunStatus.SKIPPED: StatusRule(retry=False, counts=False, pytest="skip"),
    RunStatus.NOT_RUN: StatusRule(retry=False, counts=False, pytest="skip"),
}


# --- what a run leaves behind ----------------------------------------------------------------------------


class CallOutcome(StrEnum):
    """How a tool call ended, from the agent's point of view."""

    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    UNANSWERED = "unanswered"


class ToolCall(Record):
    """A tool call as the agent's own transcript reports it.

    `executed` is False when the agent product refused to run it (not enabled, not approved), None when
    the transcript does not tell. `server` is the MCP server's name, None for the agent's own tools.
    """

    tool: str
    server: str | None = None
    arguments: JsonValue = None
    outcome: CallOutcome
    executed: bool | None = True
    result_text: str | None = None
    error_text: str | None = None
    started_s: float | None = None
    duration_s: float | None = None


class Usage(Record):
    """Tokens, in disjoint classes; ``None`` is unknown, which is not 0.

    `input_tokens` excludes cached and cache-write tokens; `reasoning_tokens` are part of no other class.
    """

    input_tokens: NonNegativeInt | None = None
    cached_input_tokens: NonNegativeInt | None = None
    cache_write_tokens: NonNegativeInt | None = None
    output_tokens: NonNegativeInt | None = None
    reasoning_tokens: NonNegativeInt | None = None

    @property
    def total_tokens(self) -> int | None:
        """Sum of the known classes, or None when input or output is unknown."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        extra = (self.cached_input_tokens, self.cache_write_tokens, self.reasoning_tokens)
        return self.input_tokens + self.output_tokens + sum(part or 0 for part in extra)


class Cost(Record):
    """US dollars of a run. A part that cannot be priced is None, and `unpriced` says why.

    `cli_reported_usd` is the agent product's own figure, kept beside ours and never mixed with it.
    """

    agent_usd: float | None = None
    provider_usd: float | None = None
    cli_reported_usd: float | None = None
    unpriced: tuple[str, ...] = ()

    @property
    def total_usd(self) -> float | None:
        """Agent plus provider, or None when either is unknown."""
        if self.agent_usd is None or self.provider_usd is None:
            return None
        return self.agent_usd + self.provider_usd


class CheckOutcome(StrEnum):
    """What a check found. `missing` is a declined field: a failure, but told apart from a wrong one."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    WRONG = "wrong"
    MISSING = "missing"
    UNGRADED = "ungraded"


class Verdict(Record):
    """One check's or one judge's finding, with the reason in a sentence."""

    kind: Slug
    target: str = ""
    outcome: CheckOutcome
    reason: str
    details: dict[str, JsonValue] = {}


class Score(Record):
    """All verdicts on one answer. `passed` is None while any verdict is ungraded."""

    passed: bool | None
    share: Annotated[float, Field(ge=0, le=1)] | None
    verdicts: tuple[Verdict, ...]


class AuditFinding(Record):
    """A departure from the setup's contract. `contaminates` ones turn the run's status."""

    rule: Slug
    message: str
    contaminates: bool
    tool: str | None = None
    executed: bool | None = None


class VerdictLine(Record):
    """A verdict as it stands in a row: what was checked and what came of it."""

    kind: str
    target: str
    outcome: CheckOutcome


class RunRecord(Record):
    """One row of ``runs.jsonl``: every fact a published number needs, and no transcript.

    Times are seconds, money US dollars, `started_at` is UTC in ISO 8601. None means unknown.
    """

    schema_version: Literal[1] = 1
    run_id: str
    identity: str
    grading_hash: str
    catalog: str
    task: str
    family: str
    control: bool
    tags: tuple[str, ...]
    agent: str
    agent_version: str | None
    model_name: str | None
    setup: str
    setup_kind: SetupKind
    repetition: int
    status: RunStatus
    passed: bool | None
    reason: str
    attempts: NonNegativeInt
    flags: tuple[str, ...]
    usage: Usage
    cost: Cost
    provider_calls: NonNegativeInt | None
    provider_latencies_s: tuple[float, ...]
    model_visible_chars: NonNegativeInt | None
    verdicts: tuple[VerdictLine, ...]
    started_at: str | None
    duration_s: float | None
