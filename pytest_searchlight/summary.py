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
from typing import Any, Final

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
from pytest_searchlight.measures import Group, Table, count_runs, measure_groups, rate_runs
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
    table = Table.read(records)
    tasks = _group_by_task(records)
    results = _make_results(table, _join_lanes(records, tasks))
    return Summary(
        session=dict(facts),
        counts=count_runs(records),
        results=results,
        tasks=_make_task_rows(table, tasks),
        comparisons=_compare(table, results, seed=int(str(facts.get("seed", 0)))),
        extra=dict(extra),
    )


def _compare(table: Table, lanes: Sequence[ResultRow], *, seed: int) -> Comparisons | None:
    if len({(lane.catalog, lane.agent, lane.model_name) for lane in lanes}) == len(lanes):
        return None
    from pytest_searchlight.stats.comparing import compare_setups  # loads scipy

    return compare_setups(table.records, columns=table.columns, seed=seed)


_READ_LANE: Final = attrgetter("catalog", "agent", "model_name", "setup_kind", "setup")
_READ_TASK: Final = attrgetter("catalog", "task", "agent", "model_name", "setup_kind", "setup")


def _group_by_task(records: Sequence[RunRecord]) -> list[Group]:
    """The runs of each catalog, task, agent, model and setup, in that order, the setup's kind first."""
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for place, name in enumerate(map(_READ_TASK, records)):
        groups[name].append(place)
    firsts = {group[0]: group for group in groups.values()}
    return [firsts[place] for place in sorted(firsts, key=lambda place: _order_task(records[place]))]


def _order_task(record: RunRecord) -> tuple[str | int, ...]:
    return record.catalog, record.task, *_order_lane(record)


def _order_lane(record: RunRecord) -> tuple[str | int, ...]:
    kind = _KIND_ORDER[record.setup_kind]
    return record.catalog, record.agent, record.model_name or "", kind, record.setup


def _join_lanes(records: Sequence[RunRecord], tasks: Iterable[Group]) -> list[Group]:
    """The runs of each catalog, agent, model and setup, in that order, the setup's kind first."""
    lanes: defaultdict[object, list[int]] = defaultdict(list)
    for group in tasks:
        lanes[_READ_LANE(records[group[0]])] += group
    return sorted(lanes.values(), key=lambda lane: _order_lane(records[lane[0]]))


def measure_lanes(records: Sequence[RunRecord]) -> tuple[ResultRow, ...]:
    """A row for each catalog, agent, model and setup, in that order, the setup's kind first."""
    return _make_results(Table.read(records), _join_lanes(records, _group_by_task(records)))


def _make_results(table: Table, lanes: Sequence[Group]) -> tuple[ResultRow, ...]:
    measured = zip(lanes, measure_groups(table, lanes), strict=True)
    return tuple(
        _make_result([table.records[place] for place in lane], measures) for lane, measures in measured
    )


def _make_result(runs: Sequence[RunRecord], measures: Mapping[str, Any]) -> ResultRow:
    studied = select_measured(runs)
    return ResultRow(
        **_describe_lane(runs[0]),
        **measures,
        searching=measure_habits(studied),
        by_access=_rate_by_access([run for run in studied if not run.control]),
        scan=_rate_by_scan(runs, studied),
        judging=_measure_judging(runs),
    )


def _make_task_rows(table: Table, tasks: Sequence[Group]) -> tuple[TaskRow, ...]:
    measured = zip(tasks, measure_groups(table, tasks), strict=True)
    return tuple(_make_task_row(table.records[task[0]], measures) for task, measures in measured)


def _make_task_row(first: RunRecord, measures: Mapping[str, Any]) -> TaskRow:
    return TaskRow(
        task=first.task,
        family=first.family,
        control=first.control,
        **_describe_lane(first),
        **measures,
    )


def _describe_lane(record: RunRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("catalog", "agent", "model_name", "setup", "setup_kind")}


def _rate_by_access(studied: Iterable[RunRecord]) -> AccessRates:
    by_access: defaultdict[Access | None, list[RunRecord]] = defaultdict(list)
    for run in studied:
        by_access[run.access].append(run)
    return AccessRates(
        fetched=rate_runs(by_access[Access.FETCHED]),
        surfaced=rate_runs(by_access[Access.SURFACED]),
        remembered=rate_runs(by_access[Access.REMEMBERED]),
        unknown=rate_runs(by_access[None]),
    )


def _rate_by_scan(runs: Iterable[RunRecord], studied: Iterable[RunRecord]) -> ScanRates:
    signs = [run.signs for run in studied]
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
