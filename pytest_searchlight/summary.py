"""`runs.jsonl` and `summary.json`: numbers and nothing else, rebuilt from evidence at any time.

A row is written for every planned run, also for those that never ran, so that everything in the summary
can be recomputed from the rows. Counts that do not reconcile are refused.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

from pydantic import JsonValue

from pytest_searchlight.domain import Access, RunRecord, SetupKind
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import (
    SessionFolder,
    encode_json,
    encode_json_line,
    encode_text,
    write_atomic,
)
from pytest_searchlight.habits import measure_habits, select_measured
from pytest_searchlight.measures import (
    RunColumns,
    count_runs,
    join_columns,
    measure_runs,
    rate_runs,
    read_columns,
)
from pytest_searchlight.run_rows import describe_unreadable, read_records
from pytest_searchlight.stats.figures import Comparisons
from pytest_searchlight.summary_schema import (
    AccessRates,
    JudgeExpense,
    ResultRow,
    ScanRates,
    Summary,
    TaskRow,
)

_KIND_ORDER: Final = {kind: place for place, kind in enumerate(SetupKind)}


def write_summary(
    session: SessionFolder,
    *,
    extra: Mapping[str, JsonValue] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Summary:
    """Write `runs.jsonl` and `summary.json` of a session from its evidence, and give the summary.

    Args:
        session: the session's folder.
        extra: what extensions add under ``extra``; None keeps what an earlier summary holds there.
        warn: is told, in a sentence, which runs do not count since their evidence cannot be read.

    Raises:
        EvidenceError: a file cannot be read or written.
        SummaryError: the counts do not reconcile.
    """
    records = read_records(session)
    facts = _read_facts(session)
    kept = extra if extra is not None else _read_extra(session)
    summary = summarize(records, facts=facts, extra=kept)
    rows = (encode_text(encode_json_line(record.model_dump(mode="json"))) for record in records)
    write_atomic(session.root / "runs.jsonl", more=rows)
    write_atomic(session.root / "summary.json", encode_json(summary.model_dump(mode="json")))
    unreadable = describe_unreadable(records)
    if warn is not None and unreadable is not None:
        warn(unreadable)
    return summary


def _read_facts(session: SessionFolder) -> dict[str, JsonValue]:
    try:
        facts = json.loads(session.session_file.read_bytes())
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{session.session_file}: not a readable session ({error})") from error
    if not isinstance(facts, dict):
        raise EvidenceError(f"{session.session_file}: not a readable session (no JSON object)")
    return facts


def summarize(
    records: Sequence[RunRecord], *, facts: Mapping[str, JsonValue], extra: Mapping[str, JsonValue]
) -> Summary:
    """The summary of `records`.

    Raises:
        SummaryError: ``planned = passes + failures + excluded`` does not hold somewhere.
    """
    tasks = _group_by_task(records)
    results = tuple(map(_make_result, _join_lanes(tasks)))
    return Summary(
        session=dict(facts),
        counts=count_runs(records),
        results=results,
        tasks=tuple(map(_make_task_row, tasks)),
        comparisons=_compare(records, results, seed=int(str(facts.get("seed", 0)))),
        extra=dict(extra),
    )


def _compare(records: Sequence[RunRecord], lanes: Sequence[ResultRow], *, seed: int) -> Comparisons | None:
    if len({(lane.catalog, lane.agent, lane.model_name) for lane in lanes}) == len(lanes):
        return None
    from pytest_searchlight.stats.comparing import compare_setups  # loads numpy and scipy

    return compare_setups(records, seed=seed)


class _RunGroup(NamedTuple):
    """Runs that are measured together, and their columns."""

    runs: Sequence[RunRecord]
    columns: RunColumns


_READ_LANE: Final = attrgetter("catalog", "agent", "model_name", "setup_kind", "setup")
_READ_TASK: Final = attrgetter("catalog", "task", "agent", "model_name", "setup_kind", "setup")


def _group_by_task(records: Iterable[RunRecord]) -> list[_RunGroup]:
    """The runs of each catalog, task, agent, model and setup, in that order, the setup's kind first."""
    groups: defaultdict[object, list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[_READ_TASK(record)].append(record)
    ordered = sorted(groups.values(), key=lambda runs: (runs[0].catalog, runs[0].task, *_place_lane(runs[0])))
    return [_RunGroup(runs, read_columns(runs)) for runs in ordered]


def _place_lane(record: RunRecord) -> tuple[str | int, ...]:
    kind = _KIND_ORDER[record.setup_kind]
    return record.catalog, record.agent, record.model_name or "", kind, record.setup


def _join_lanes(tasks: Iterable[_RunGroup]) -> list[_RunGroup]:
    """The runs of each catalog, agent, model and setup, in that order, the setup's kind first."""
    groups: defaultdict[object, list[_RunGroup]] = defaultdict(list)
    for group in tasks:
        groups[_READ_LANE(group.runs[0])].append(group)
    lanes = [_join(parts) for parts in groups.values()]
    return sorted(lanes, key=lambda lane: _place_lane(lane.runs[0]))


def _join(parts: Sequence[_RunGroup]) -> _RunGroup:
    runs = [run for part in parts for run in part.runs]
    return _RunGroup(runs, join_columns(part.columns for part in parts))


def measure_lanes(records: Iterable[RunRecord]) -> tuple[ResultRow, ...]:
    """A row for each catalog, agent, model and setup, in that order, the setup's kind first."""
    return tuple(map(_make_result, _join_lanes(_group_by_task(records))))


def _make_result(lane: _RunGroup) -> ResultRow:
    return ResultRow(
        **_describe_lane(lane.runs[0]),
        **measure_runs(lane.columns),
        searching=measure_habits(lane.runs),
        by_access=_rate_by_access([run for run in lane.runs if not run.control]),
        scan=_rate_by_scan(lane.runs),
        judging=_measure_judging(lane.runs),
    )


def _make_task_row(group: _RunGroup) -> TaskRow:
    first = group.runs[0]
    return TaskRow(
        task=first.task,
        family=first.family,
        control=first.control,
        **_describe_lane(first),
        **measure_runs(group.columns),
    )


def _describe_lane(record: RunRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("catalog", "agent", "model_name", "setup", "setup_kind")}


def _rate_by_access(runs: Iterable[RunRecord]) -> AccessRates:
    by_access: defaultdict[Access | None, list[RunRecord]] = defaultdict(list)
    for run in select_measured(runs):
        by_access[run.access].append(run)
    return AccessRates(
        fetched=rate_runs(by_access[Access.FETCHED]),
        surfaced=rate_runs(by_access[Access.SURFACED]),
        remembered=rate_runs(by_access[Access.REMEMBERED]),
        unknown=rate_runs(by_access[None]),
    )


def _rate_by_scan(runs: Iterable[RunRecord]) -> ScanRates:
    signs = [run.signs for run in select_measured(runs)]
    return ScanRates(
        flagged=sum(map(bool, signs)),
        unscanned=signs.count(None),
        without_flagged=rate_runs([run for run in runs if not run.signs]),
    )


def _measure_judging(runs: Iterable[RunRecord]) -> JudgeExpense:
    costs = [run.judging for run in runs if run.judging is not None]
    tokens = [cost.usage.total_tokens for cost in costs]
    usd = [cost.usd for cost in costs]
    return JudgeExpense(
        judged_runs=len(costs),
        tokens=None if None in tokens else sum(filter(None, tokens)),
        cost_usd=None if None in usd else math.fsum(filter(None, usd)),
    )


def _read_extra(session: SessionFolder) -> dict[str, JsonValue]:
    try:
        return dict(json.loads((session.root / "summary.json").read_bytes())["extra"])
    except (OSError, ValueError, KeyError, TypeError):  # there is none, or it is no summary
        return {}
