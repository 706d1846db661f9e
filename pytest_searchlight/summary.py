"""`runs.jsonl` and `summary.json`: numbers and nothing else, rebuilt from evidence at any time.

A row is written for every planned run, also for those that never ran, so that everything in the summary
can be recomputed from the rows. Counts that do not reconcile are refused.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from pytest_searchlight.domain import STATUS_RULES, Access, RunRecord, RunStatus, SetupKind
from pytest_searchlight.errors import EvidenceError, SummaryError
from pytest_searchlight.evidence import (
    SessionFolder,
    encode_json,
    encode_json_line,
    encode_text,
    write_atomic,
)
from pytest_searchlight.habits import measure_habits, select_measured
from pytest_searchlight.run_rows import describe_unreadable, read_records
from pytest_searchlight.stats import divide, quantile, wilson_interval
from pytest_searchlight.stats.figures import Comparisons
from pytest_searchlight.summary_schema import (
    AccessRates,
    Counts,
    JudgeExpense,
    Latency,
    Rate,
    ResultRow,
    ScanRates,
    Summary,
    TaskRow,
    Use,
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
    return Summary(
        session=dict(facts),
        counts=count_runs(records),
        results=measure_lanes(records),
        tasks=tuple(_make_task_row(group) for group in _group(records, _name_task)),
        comparisons=_compare(records, seed=int(str(facts.get("seed", 0)))),
        extra=dict(extra),
    )


def count_runs(records: Sequence[RunRecord]) -> Counts:
    """How many runs were planned, passed, failed (by status) and were excluded (by status)."""
    statuses = Counter(record.status for record in records)
    passes = sum(record.passed is True for record in records)
    failed_as = {
        str(status): statuses[status] - (passes if status is RunStatus.GRADED else 0)
        for status, rule in STATUS_RULES.items()
        if rule.counts
    }
    excluded = {str(status): statuses[status] for status, rule in STATUS_RULES.items() if not rule.counts}
    planned, failures = len(records), sum(failed_as.values())
    if planned != passes + failures + sum(excluded.values()) or min(failed_as.values()) < 0:
        raise SummaryError(
            f"{planned} planned runs, but {passes} passes, {failed_as} and {excluded}: refused"
        )
    return Counts(
        planned=planned,
        graded=passes + failures,
        passes=passes,
        failures=failures,
        contaminated=statuses[RunStatus.CONTAMINATED],
        failed_as=failed_as,
        excluded=excluded,
    )


def _compare(records: Sequence[RunRecord], *, seed: int) -> Comparisons | None:
    lanes = {(record.catalog, record.agent, record.model_name, record.setup) for record in records}
    if len({lane[:3] for lane in lanes}) == len(lanes):
        return None
    from pytest_searchlight.stats.comparing import compare_setups  # loads numpy and scipy

    return compare_setups(records, seed=seed)


Place = tuple[str | int, ...]


def _name_lane(record: RunRecord) -> Place:
    kind = _KIND_ORDER[record.setup_kind]
    return record.catalog, record.agent, record.model_name or "", kind, record.setup


def _name_task(record: RunRecord) -> Place:
    catalog, *lane = _name_lane(record)
    return catalog, record.task, *lane


def _group(records: Sequence[RunRecord], key: Callable[[RunRecord], Place]) -> Iterator[list[RunRecord]]:
    groups: defaultdict[Place, list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    for place in sorted(groups):
        yield groups[place]


def measure_lanes(records: Sequence[RunRecord]) -> tuple[ResultRow, ...]:
    """A row for each catalog, agent, model and setup, in that order, the setup's kind first."""
    return tuple(_make_result(group) for group in _group(records, _name_lane))


def _make_result(runs: Sequence[RunRecord]) -> ResultRow:
    return ResultRow(
        **_describe_lane(runs[0]),
        **measure_runs(runs),
        searching=measure_habits(runs),
        by_access=_rate_by_access([run for run in runs if not run.control]),
        scan=_rate_by_scan(runs),
        judging=_measure_judging(runs),
    )


def _make_task_row(runs: Sequence[RunRecord]) -> TaskRow:
    first = runs[0]
    return TaskRow(
        task=first.task,
        family=first.family,
        control=first.control,
        **_describe_lane(first),
        **measure_runs(runs),
    )


def _describe_lane(record: RunRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("catalog", "agent", "model_name", "setup", "setup_kind")}


def measure_runs(runs: Sequence[RunRecord]) -> dict[str, Any]:
    """The fields of `Measures` for a group of runs; rates and use are over graded runs."""
    graded = [run for run in runs if STATUS_RULES[run.status].counts]
    rate = measure_rate(runs)
    return {
        **dict(count_runs(runs)),
        "coverage": divide(len(graded), len(runs)),
        "pass_rate": rate.pass_rate,
        "pass_rate_ci95": rate.pass_rate_ci95,
        "answerable": measure_rate([run for run in runs if not run.control]),
        "tokens": _measure_use([run.usage.total_tokens for run in graded], passes=rate.passes),
        "cost_usd": _measure_use([run.cost.total_usd for run in graded], passes=rate.passes),
        "provider_calls": _measure_use([run.provider_calls for run in graded], passes=rate.passes),
        "duration_s": _measure_latency([run.duration_s for run in graded if run.duration_s is not None]),
        "provider_latency_s": _measure_latency([s for run in graded for s in run.provider_latencies_s]),
    }


def measure_rate(runs: Sequence[RunRecord]) -> Rate:
    """The pass rate of a group of runs."""
    graded = [run for run in runs if STATUS_RULES[run.status].counts]
    passes = sum(run.passed is True for run in graded)
    return Rate(
        planned=len(runs),
        graded=len(graded),
        passes=passes,
        pass_rate=divide(passes, len(graded)),
        pass_rate_ci95=wilson_interval(passes, len(graded)),
    )


def _rate_by_access(runs: Sequence[RunRecord]) -> AccessRates:
    by_access: defaultdict[Access | None, list[RunRecord]] = defaultdict(list)
    for run in select_measured(runs):
        by_access[run.access].append(run)
    return AccessRates(
        fetched=measure_rate(by_access[Access.FETCHED]),
        surfaced=measure_rate(by_access[Access.SURFACED]),
        remembered=measure_rate(by_access[Access.REMEMBERED]),
        unknown=measure_rate(by_access[None]),
    )


def _rate_by_scan(runs: Sequence[RunRecord]) -> ScanRates:
    signs = [run.signs for run in select_measured(runs)]
    return ScanRates(
        flagged=sum(map(bool, signs)),
        unscanned=signs.count(None),
        without_flagged=measure_rate([run for run in runs if not run.signs]),
    )


def _measure_judging(runs: Sequence[RunRecord]) -> JudgeExpense:
    costs = [run.judging for run in runs if run.judging is not None]
    tokens = [cost.usage.total_tokens for cost in costs]
    usd = [cost.usd for cost in costs]
    return JudgeExpense(
        judged_runs=len(costs),
        tokens=None if None in tokens else sum(filter(None, tokens)),
        cost_usd=None if None in usd else sum(filter(None, usd)),
    )


def _measure_use(values: Sequence[float | None], *, passes: int) -> Use:
    known = [value for value in values if value is not None]
    total = sum(known) if values and len(known) == len(values) else None
    return Use(
        total=total,
        known_runs=len(known),
        mean=divide(sum(known), len(known)),
        per_success=divide(total, passes),
    )


def _measure_latency(values: Sequence[float]) -> Latency:
    ordered = sorted(values)  # once: what is in order already is sorted at no cost
    return Latency(
        count=len(values), p50=quantile(ordered, 0.5), p90=quantile(ordered, 0.9), p99=quantile(ordered, 0.99)
    )


def _read_extra(session: SessionFolder) -> dict[str, JsonValue]:
    try:
        return dict(json.loads((session.root / "summary.json").read_bytes())["extra"])
    except (OSError, ValueError, KeyError):
        return {}
