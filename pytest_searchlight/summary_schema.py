"""The records that `summary.json` is made of: numbers, never display strings. None is unknown, never 0."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue, NonNegativeFloat, NonNegativeInt

from pytest_searchlight.domain import Record, SetupKind
from pytest_searchlight.stats.figures import Comparisons

SCHEMA_VERSION: Final = 1

Share = Annotated[float, Field(ge=0, le=1)]


class Counts(Record):
    """Runs by what became of them: ``planned = passes + failures + sum(excluded)``.

    `graded` is the denominator of pass rates, passes plus failures; `failed_as` splits the failures by
    status and `excluded` what is in no denominator.
    """

    planned: NonNegativeInt
    graded: NonNegativeInt
    passes: NonNegativeInt
    failures: NonNegativeInt
    contaminated: NonNegativeInt
    failed_as: dict[str, NonNegativeInt]
    excluded: dict[str, NonNegativeInt]


class Rate(Record):
    """Passes over graded runs, with the Wilson 95 % interval; both None when nothing was graded."""

    planned: NonNegativeInt
    graded: NonNegativeInt
    passes: NonNegativeInt
    pass_rate: Share | None
    pass_rate_ci95: tuple[Share, Share] | None


class Use(Record):
    """Tokens, US dollars or provider calls of the graded runs, failed ones included.

    `total` is None when it is unknown for any run; `mean` is over the `known_runs`; `per_success` is the
    total over the passes.
    """

    total: NonNegativeFloat | None
    known_runs: NonNegativeInt
    mean: NonNegativeFloat | None
    per_success: NonNegativeFloat | None


class Latency(Record):
    """Quantiles in seconds; None when there was nothing to time."""

    count: NonNegativeInt
    p50: NonNegativeFloat | None
    p90: NonNegativeFloat | None
    p99: NonNegativeFloat | None


class Measures(Counts):
    """Everything that is measured of a group of runs. `answerable` leaves out the controls."""

    coverage: Share | None
    pass_rate: Share | None
    pass_rate_ci95: tuple[Share, Share] | None
    answerable: Rate
    tokens: Use
    cost_usd: Use
    provider_calls: Use
    duration_s: Latency
    provider_latency_s: Latency


class ResultRow(Measures):
    """One search setup under one agent and model, over all tasks of a catalog."""

    catalog: str
    agent: str
    model_name: str | None
    setup: str
    setup_kind: SetupKind


class TaskRow(ResultRow):
    """The same for one task."""

    task: str
    family: str
    control: bool


class Summary(Record):
    """`summary.json`. Everything but `session` and `extra` can be recomputed from ``runs.jsonl``.

    `comparisons` is None where no two setups of one agent can be compared.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    session: dict[str, JsonValue]
    counts: Counts
    results: tuple[ResultRow, ...]
    tasks: tuple[TaskRow, ...]
    comparisons: Comparisons | None
    extra: dict[str, JsonValue]
