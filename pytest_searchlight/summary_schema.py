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


class QueryHabits(Record):
    """What the queries of a lane look like; shares are of all its queries, None when there is none."""

    total: NonNegativeInt
    per_run: NonNegativeFloat | None
    words_per_query: NonNegativeFloat | None
    natural_language_share: Share | None
    site_share: Share | None
    quoted_share: Share | None
    year_share: Share | None


class SearchHabits(Record):
    """How one search setup was searched with under one agent and model.

    `runs` are those that were measured, or wait for a verdict only, and whose searching is known;
    `chars_known` and `time_known` are those of them that the next number is over. `provider_share` is the
    part of their time in which a call waited for the provider, `empty_search_share` is of the
    `told_searches`, whose result tells whether there were hits.
    """

    runs: NonNegativeInt
    searching_runs: NonNegativeInt
    fetch_only_runs: NonNegativeInt
    queries: QueryHabits
    fetches_per_run: NonNegativeFloat | None
    reformulations_per_run: NonNegativeFloat | None
    told_searches: NonNegativeInt
    empty_search_share: Share | None
    refused_calls: NonNegativeInt
    chars_known: NonNegativeInt
    shown_chars_per_run: NonNegativeFloat | None
    time_known: NonNegativeInt
    provider_share: Share | None


class AccessRates(Record):
    """Pass rates of the runs on tasks that have an answer, by how they came by the primary source."""

    fetched: Rate
    surfaced: Rate
    remembered: Rate
    unknown: Rate


class ScanRates(Record):
    """What the contamination scan of tool results leaves of a pass rate.

    `flagged` runs were shown a task's text, its reference answer or an address where benchmarks are kept;
    `without_flagged` leaves them out. `unscanned` measured runs, not wholly known, are in it.
    """

    flagged: NonNegativeInt
    unscanned: NonNegativeInt
    without_flagged: Rate


class JudgeExpense(Record):
    """What judges were given to read the briefs of a lane, apart from what its agent used.

    `tokens` and `cost_usd` are over the `judged_runs`; None when they are unknown for any of them.
    """

    judged_runs: NonNegativeInt
    tokens: NonNegativeInt | None
    cost_usd: NonNegativeFloat | None


class LaneRow(Measures):
    """One search setup under one agent and model."""

    catalog: str
    agent: str
    model_name: str | None
    setup: str
    setup_kind: SetupKind


class ResultRow(LaneRow):
    """A lane over all tasks of a catalog, and how it searched."""

    searching: SearchHabits
    by_access: AccessRates
    scan: ScanRates
    judging: JudgeExpense


class TaskRow(LaneRow):
    """A lane on one task."""

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
