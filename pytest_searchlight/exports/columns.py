"""The flat columns of a run: one table of names, kinds, units and meanings for CSV and Parquet alike.

Columns are named as the fields of ``runs.jsonl`` are. Unknown is empty, never 0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from pytest_searchlight.domain import STATUS_RULES, CheckOutcome, RunRecord
from pytest_searchlight.reporting.texts import clean_text

Value = str | bool | int | float | datetime | tuple[str, ...] | tuple[float, ...] | None
Read = Callable[[RunRecord], Value]


class Kind(StrEnum):
    """What the cells of a column hold."""

    WORD = "word"
    """One of few words, such as a setup's name."""
    TEXT = "text"
    FLAG = "flag"
    COUNT = "count"
    NUMBER = "number"
    TIME = "time"
    WORDS = "words"
    NUMBERS = "numbers"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column. `unit` is None for what has none; `read` gives a run's cell, None where it is unknown."""

    name: str
    kind: Kind
    unit: str | None
    meaning: str
    read: Read


def describe_columns() -> Iterator[str]:
    """A line for each column: name, kind, unit, meaning."""
    for column in COLUMNS:
        unit = f" [{column.unit}]" if column.unit else ""
        yield f"{column.name:<26} {column.kind:<8} {column.meaning}{unit}"


def _make(
    name: str, kind: Kind, meaning: str, *, unit: str | None = None, read: Read | None = None
) -> Column:
    return Column(name=name, kind=kind, unit=unit, meaning=meaning, read=read or _look_up(name))


def _look_up(path: str) -> Read:
    """A reader of the field at a dotted path; None where a part of the path is."""
    parts = path.split(".")

    def read(run: RunRecord) -> Value:
        value: object = run
        for part in parts:
            value = None if value is None else getattr(value, part)
        return _simplify(value)

    return read


def _simplify(value: object) -> Value:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, tuple):
        return tuple(clean_text(part) if isinstance(part, str) else part for part in value)
    assert value is None or isinstance(value, bool | int | float)
    return value


def _read_start(run: RunRecord) -> Value:
    return None if run.started_at is None else datetime.fromisoformat(run.started_at)


def _count_checks(outcome: CheckOutcome) -> Read:
    return lambda run: sum(verdict.outcome is outcome for verdict in run.verdicts)


def _read_verdicts(run: RunRecord) -> Value:
    return json.dumps([verdict.model_dump(mode="json") for verdict in run.verdicts])


def _read_signs(run: RunRecord) -> Value:
    return None if run.signs is None else tuple(sorted({sign.kind for sign in run.signs}))


def _is_flagged(run: RunRecord) -> Value:
    return None if run.signs is None else bool(run.signs)


_IDENTITY: Final = (
    _make("run_id", Kind.TEXT, "the run, unique in its session"),
    _make("identity", Kind.TEXT, "hash of all that matters for the result"),
    _make("job_hash", Kind.TEXT, "hash of what the agent was asked; unknown in early sessions"),
    _make("grading_hash", Kind.TEXT, "hash of what the answer was held against"),
    _make("catalog", Kind.WORD, "task catalog"),
    _make("task", Kind.WORD, "task"),
    _make("family", Kind.WORD, "family of tasks"),
    _make("control", Kind.FLAG, "whether the question has no answer"),
    _make("tags", Kind.WORDS, "tags of the task"),
    _make("agent", Kind.WORD, "agent"),
    _make("agent_version", Kind.WORD, "version that the agent gave of itself"),
    _make("model_name", Kind.WORD, "model; unknown for agents without one"),
    _make("setup", Kind.WORD, "search setup"),
    _make("setup_kind", Kind.WORD, "provider, built-in, no-search, floor or ceiling"),
    _make("repetition", Kind.COUNT, "repetition of the task, from 1"),
)
_OUTCOME: Final = (
    _make("status", Kind.WORD, "how the run ended"),
    _make(
        "counted",
        Kind.FLAG,
        "whether the run stands in the denominator of pass rates",
        read=lambda run: STATUS_RULES[run.status].counts,
    ),
    _make("passed", Kind.FLAG, "whether the answer was right; unknown where none was graded"),
    _make("reason", Kind.TEXT, "why it did not pass or was not measured"),
    _make("attempts", Kind.COUNT, "attempts made, repeated ones included"),
    _make("flags", Kind.WORDS, "marks of what may have bent the result"),
    _make("checks", Kind.COUNT, "checks of the answer", read=lambda run: len(run.verdicts)),
    *(
        _make(f"checks_{outcome}", Kind.COUNT, f"checks that ended as {outcome}", read=_count_checks(outcome))
        for outcome in CheckOutcome
    ),
    _make("verdicts", Kind.TEXT, "kind, target and outcome of each check, as JSON", read=_read_verdicts),
)
_USE: Final = (
    *(
        _make(name, Kind.COUNT, meaning, unit="tokens", read=_look_up(f"usage.{name}"))
        for name, meaning in (
            ("input_tokens", "input, neither cached nor written to the cache"),
            ("cached_input_tokens", "input read from the cache"),
            ("cache_write_tokens", "input written to the cache"),
            ("output_tokens", "output without reasoning"),
            ("reasoning_tokens", "reasoning"),
            ("total_tokens", "sum of the known classes"),
        )
    ),
    *(
        _make(name, Kind.NUMBER, meaning, unit="USD", read=_look_up(f"cost.{name}"))
        for name, meaning in (
            ("agent_usd", "cost of the agent's model"),
            ("provider_usd", "cost of the search provider"),
            ("total_usd", "agent and provider; unknown when either is"),
            ("cli_reported_usd", "what the agent product said itself"),
        )
    ),
    _make("unpriced", Kind.WORDS, "why a part of the cost is unknown", read=_look_up("cost.unpriced")),
)
_PROVIDER: Final = (
    _make("provider_calls", Kind.COUNT, "calls that reached the provider", unit="calls"),
    _make("provider_latencies_s", Kind.NUMBERS, "latency of each of these calls, in order", unit="s"),
    _make("result_chars", Kind.COUNT, "what the provider answered", unit="characters"),
    _make("offloaded_chars", Kind.COUNT, "of these, what the agent kept from its model", unit="characters"),
    _make("model_visible_chars", Kind.COUNT, "what their results showed the model", unit="characters"),
    _make("started_at", Kind.TIME, "start of the run", unit="UTC", read=_read_start),
    _make("duration_s", Kind.NUMBER, "duration of the run", unit="s"),
)
_SEARCHING: Final = (
    *(
        _make(name, Kind.COUNT, meaning, unit=unit, read=_look_up(f"searching.{name}"))
        for name, meaning, unit in (
            ("searches", "searches", "calls"),
            ("fetches", "pages fetched", "calls"),
            ("queries", "queries in these searches", "queries"),
            ("query_words", "words in all queries", "words"),
            ("natural_language_queries", "queries that read as a question or sentence", "queries"),
            ("site_queries", "queries limited to a site", "queries"),
            ("quoted_queries", "queries with a quoted phrase", "queries"),
            ("year_queries", "queries with a year", "queries"),
            ("reformulations", "queries that reword the one before", "queries"),
            ("told_searches", "searches whose result tells whether there were hits", "calls"),
            ("empty_searches", "of these, searches without a hit", "calls"),
            ("refused_calls", "calls that were refused", "calls"),
            ("shown_chars", "what all results showed the model", "characters"),
        )
    ),
    _make(
        "provider_s",
        Kind.NUMBER,
        "time in which a call waited for the provider",
        unit="s",
        read=_look_up("searching.provider_s"),
    ),
    _make("access", Kind.WORD, "how the run came by its primary source"),
    _make("flagged", Kind.FLAG, "whether a result showed a benchmark's own text", read=_is_flagged),
    _make("signs", Kind.WORDS, "kinds of such text", read=_read_signs),
)
_JUDGING: Final = (
    _make("judge", Kind.WORD, "judge of the brief", read=_look_up("judging.judge")),
    _make("judge_model_name", Kind.WORD, "its model", read=_look_up("judging.model_name")),
    _make(
        "judge_tokens",
        Kind.COUNT,
        "tokens it used, not part of the agent's",
        unit="tokens",
        read=_look_up("judging.usage.total_tokens"),
    ),
    _make(
        "judge_usd", Kind.NUMBER, "its cost, not part of the run's", unit="USD", read=_look_up("judging.usd")
    ),
)
COLUMNS: Final[tuple[Column, ...]] = (*_IDENTITY, *_OUTCOME, *_USE, *_PROVIDER, *_SEARCHING, *_JUDGING)
