"""Search setups: what an agent may search with, at which pin, at which price."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    Field,
    JsonValue,
    PositiveFloat,
)

from pytest_searchlight.domain.base import Record, Slug, Text, hash_content


class SetupKind(StrEnum):
    """What sort of search a setup gives."""

    __hash__ = str.__hash__  # see `RunStatus`

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
    headers: dict[str, str] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
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
    when: dict[str, JsonValue] = Field(default_factory=dict)
    source: Text
    checked: date


class UnitPrice(Record):
    """The price of one unit that a provider's answers report (a credit), with where and when it was read."""

    usd_per_unit: Annotated[float, Field(ge=0)] | None
    source: Text
    checked: date


class FailureKind(StrEnum):
    """What went wrong with a call to a provider.

    Two are no faults: `ARGUMENTS` is the agent's own mistake, `NOTHING_FOUND` an answer, billed as any other,
    that the server marks as an error.
    """

    AUTH = "auth"
    RATE_LIMIT = "rate-limit"
    QUOTA = "quota"
    PROVIDER = "provider"
    ARGUMENTS = "arguments"
    NOTHING_FOUND = "nothing-found"


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
    tariffs: dict[str, tuple[Tariff, ...]] = Field(default_factory=dict)
    unit_prices: dict[str, UnitPrice] = Field(default_factory=dict)
    failures: tuple[FailureRule, ...] = ()

    @property
    def tool_names(self) -> frozenset[str]:
        """Names of the tools the provider's server may offer."""
        return frozenset(tool.name for tool in self.tools)

    @property
    def pin_hash(self) -> str:
        """Hash of what the setup gives an agent: kind, pinned server and tools, never prices."""
        return hash_content(self.model_dump(mode="json", include={"name", "kind", "server", "tools"}))
