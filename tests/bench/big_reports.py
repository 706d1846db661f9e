"""Reports of many rows, made without running anything: rows as a battery of real agents leaves them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_searchlight.calibration import Calibration
from pytest_searchlight.domain import (
    Access,
    CheckOutcome,
    Cost,
    RunRecord,
    RunStatus,
    SearchFacts,
    SetupKind,
    Usage,
)
from pytest_searchlight.domain.records import VerdictLine
from pytest_searchlight.evidence import encode_json, encode_json_lines
from pytest_searchlight.publishing import Heading, prepare_scan, prepare_session, write_report
from pytest_searchlight.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import JsonValue

TASKS: Final = 40
REPETITIONS: Final = 25
SETUPS: Final = {
    "floor": (SetupKind.FLOOR, 0.05),
    "ceiling": (SetupKind.CEILING, 0.95),
    "no-search": (SetupKind.NO_SEARCH, 0.2),
    "built-in": (SetupKind.BUILT_IN, 0.6),
    "brave": (SetupKind.PROVIDER, 0.7),
    "exa": (SetupKind.PROVIDER, 0.7),
    "firecrawl": (SetupKind.PROVIDER, 0.7),
    "parallel": (SetupKind.PROVIDER, 0.7),
    "perplexity": (SetupKind.PROVIDER, 0.7),
    "tavily": (SetupKind.PROVIDER, 0.7),
}
ROWS: Final = TASKS * REPETITIONS * len(SETUPS)
CALLS: Final = 6


def write_reports(folder: Path, *, count: int) -> Path:
    """Publish one session of `ROWS` rows `count` times below `folder`, and give the folder of the reports."""
    session, reports = folder / "session", folder / "reports"
    session.mkdir()
    write_session(session, seed=1)
    publication = prepare_session(session, calibration=Calibration())
    for number in range(count):
        heading = Heading(name=f"battery-{number}")
        write_report(publication, heading=heading, reports=reports, scan=prepare_scan({}))
    return reports


def write_session(session: Path, *, seed: int) -> None:
    """Write ``summary.json`` and ``runs.jsonl`` of a session."""
    rows = list(make_rows(seed))
    facts: dict[str, JsonValue] = {
        "name": f"session-{seed}",
        "started_at": "2026-11-30T07:00:00+00:00",
        "seed": seed,
        "catalogs": {"bench": "0" * 64},
        "options": {},
    }
    summary = summarize(rows, facts=facts, extra={})
    (session / "summary.json").write_bytes(encode_json(summary.model_dump(mode="json")))
    (session / "runs.jsonl").write_text(encode_json_lines(row.model_dump(mode="json") for row in rows))


def make_rows(seed: int) -> Iterator[RunRecord]:
    """Rows of all setups on all tasks, each with four checks and six calls."""
    chance = random.Random(seed)
    for repetition in range(1, REPETITIONS + 1):
        for task in range(TASKS):
            for setup, (kind, rate) in SETUPS.items():
                row = _make_row(chance, setup=setup, kind=kind, passed=chance.random() < rate)
                run_id = f"bench.task-{task}.baseline.{setup}.r{repetition}.{row.identity[:10]}"
                yield row.model_copy(
                    update={"run_id": run_id, "task": f"task-{task}", "repetition": repetition}
                )


def _make_row(chance: random.Random, *, setup: str, kind: SetupKind, passed: bool) -> RunRecord:
    outcome = CheckOutcome.PASS if passed else CheckOutcome.WRONG
    return RunRecord(
        run_id="",
        identity=f"{chance.getrandbits(256):064x}",
        grading_hash="1" * 64,
        job_hash="2" * 64,
        catalog="bench",
        task="",
        family="typed-facts",
        control=False,
        tags=(),
        agent="baseline",
        agent_version="0.1.0",
        model_name=None,
        setup=setup,
        setup_kind=kind,
        repetition=1,
        status=RunStatus.GRADED,
        passed=passed,
        reason="",
        attempts=1,
        flags=(),
        usage=Usage(input_tokens=chance.randrange(100_000), output_tokens=chance.randrange(10_000)),
        cost=Cost(agent_usd=chance.random(), provider_usd=0.01),
        provider_calls=CALLS,
        provider_latencies_s=tuple(round(chance.random(), 3) for _ in range(CALLS)),
        model_visible_chars=chance.randrange(50_000),
        verdicts=tuple(
            VerdictLine(kind="value-match", target=f"/field_{place}", outcome=outcome) for place in range(4)
        ),
        started_at=f"2026-11-30T07:{chance.randrange(60):02}:00.{chance.randrange(1000):03}+00:00",
        duration_s=round(100 * chance.random(), 3),
        searching=_describe_searching(chance),
    )


def _describe_searching(chance: random.Random) -> SearchFacts:
    return SearchFacts(
        searches=2,
        fetches=4,
        queries=2,
        query_words=chance.randrange(5, 40),
        natural_language_queries=1,
        site_queries=0,
        quoted_queries=0,
        year_queries=0,
        reformulations=1,
        told_searches=2,
        empty_searches=0,
        refused_calls=0,
        shown_chars=chance.randrange(50_000),
        provider_s=round(chance.random(), 3),
        access=Access.FETCHED,
        signs=(),
    )
