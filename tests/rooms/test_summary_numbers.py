"""The summary's numbers: they reconcile, they can be recomputed, and what is unknown is null."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooms.records_for_tests import make_record, make_searching

from pytest_searchlight.domain import (
    STATUS_RULES,
    Access,
    Cost,
    JudgeCost,
    RunRecord,
    RunStatus,
    SearchFacts,
    SetupKind,
    Sign,
    Usage,
)
from pytest_searchlight.errors import EvidenceError, SummaryError
from pytest_searchlight.evidence import Scrubber, SessionFolder, encode_json, open_bundle, seal_bundle
from pytest_searchlight.measures import count_runs
from pytest_searchlight.run_rows import PlannedRun, read_records, write_plan
from pytest_searchlight.summary import summarize, write_summary

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_searchlight.summary_schema import Summary


def sum_up(*records: RunRecord) -> Summary:
    return summarize(records, facts={"seed": 0}, extra={})


@st.composite
def random_searching(draw: st.DrawFn) -> SearchFacts:
    signs = st.just(()) | st.just((Sign(kind="task-text", call=0),))
    searches, queries = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    return make_searching(
        searches=searches,
        fetches=draw(st.integers(0, 9)),
        queries=queries,
        query_words=draw(st.integers(0, 99)),
        year_queries=draw(st.integers(0, queries)),
        told_searches=searches,
        empty_searches=draw(st.integers(0, searches)),
        shown_chars=draw(st.none() | st.integers(0, 10**6)),
        provider_s=draw(st.none() | st.floats(0, 1e6)),
        access=draw(st.none() | st.sampled_from(Access)),
        signs=draw(st.none() | signs),
    )


@st.composite
def random_record(draw: st.DrawFn) -> RunRecord:
    status = draw(st.sampled_from(RunStatus))
    tokens, usd = draw(st.none() | st.integers(0, 10**9)), draw(st.none() | st.floats(0, 1e6))
    return make_record(
        catalog=draw(st.sampled_from(["small", "other"])),
        task=draw(st.sampled_from(["sky", "sea", "sun"])),
        agent=draw(st.sampled_from(["one", "two"])),
        model_name=draw(st.sampled_from([None, "m-1"])),
        repetition=draw(st.integers(1, 3)),
        setup=draw(st.sampled_from(["no-search", "floor"])),
        setup_kind=SetupKind.NO_SEARCH,
        control=draw(st.booleans()),
        status=status,
        passed=draw(st.booleans()) if status is RunStatus.GRADED else None,
        usage=Usage(input_tokens=tokens, output_tokens=tokens),
        cost=Cost(agent_usd=usd, provider_usd=usd),
        provider_calls=draw(st.none() | st.integers(0, 100)),
        provider_latencies_s=tuple(draw(st.lists(st.floats(0, 1e4), max_size=4))),
        duration_s=draw(st.none() | st.floats(0, 1e5)),
        searching=draw(st.none() | random_searching()),
        judging=draw(st.none() | st.builds(make_judging, st.none() | st.floats(0, 1e6))),
    )


def make_judging(usd: float | None) -> JudgeCost:
    return JudgeCost(judge="codex", model_name="m-1", usage=Usage(input_tokens=1, output_tokens=1), usd=usd)


def name_cell(record: RunRecord) -> tuple[object, ...]:
    """What no two runs of a session have in common."""
    return record.catalog, record.task, record.agent, record.model_name, record.setup, record.repetition


RANDOM_SESSION = st.lists(random_record(), max_size=30, unique_by=name_cell)


@settings(max_examples=15, deadline=None)
@given(RANDOM_SESSION)
def test_counts_reconcile_in_every_row_whatever_happened(records: list[RunRecord]) -> None:
    summary = sum_up(*records)
    for row in (summary.counts, *summary.results, *summary.tasks):
        assert row.planned == row.passes + row.failures + sum(row.excluded.values())
        assert row.graded == row.passes + row.failures == row.passes + sum(row.failed_as.values())
    for rows in (summary.results, summary.tasks):
        assert sum(row.planned for row in rows) == len(records)
        assert sum(row.passes for row in rows) == summary.counts.passes


def test_the_order_of_rows_changes_no_digit() -> None:
    amounts = (0.1, 0.2, 0.3)  # whose sum depends on which two are added first
    records = [
        make_record(
            repetition=repetition,
            cost=Cost(agent_usd=amount, provider_usd=0.0),
            judging=make_judging(amount),
            duration_s=1 + amount,
            searching=make_searching(provider_s=amount),
        )
        for repetition, amount in enumerate(amounts, start=1)
    ]
    assert len({sum_up(*mixed).model_dump_json() for mixed in permutations(records)}) == 1


@settings(max_examples=10, deadline=None)
@given(RANDOM_SESSION)
def test_rates_by_access_and_without_flagged_runs_reconcile_with_the_whole(records: list[RunRecord]) -> None:
    for row in sum_up(*records).results:
        access = row.by_access
        parts = (access.fetched, access.surfaced, access.remembered, access.unknown)
        assert sum(part.graded for part in parts) == row.answerable.graded
        assert sum(part.passes for part in parts) == row.answerable.passes
        assert row.graded - row.scan.flagged <= row.scan.without_flagged.graded <= row.graded


@settings(max_examples=10, deadline=None)
@given(RANDOM_SESSION)
def test_everything_is_recomputed_from_the_rows_and_is_plain_json(records: list[RunRecord]) -> None:
    summary = sum_up(*records)
    rows = [record.model_dump_json() for record in records]
    again = sum_up(*(RunRecord.model_validate_json(row) for row in rows))
    text = encode_json(summary.model_dump(mode="json"))
    assert encode_json(again.model_dump(mode="json")) == text
    json.loads(text, parse_constant=pytest.fail)


def test_a_setup_without_a_measured_run_has_nulls_and_no_zeros() -> None:
    (row,) = sum_up(make_record(status=RunStatus.AGENT_ERROR, passed=None)).results
    assert (row.coverage, row.pass_rate, row.pass_rate_ci95) == (0.0, None, None)
    assert (row.tokens.total, row.tokens.mean, row.cost_usd.per_success) == (None, None, None)
    assert (row.duration_s.count, row.duration_s.p50) == (0, None)
    assert row.excluded["agent_error"] == 1


def test_faults_of_infrastructure_are_in_no_denominator() -> None:
    fault = make_record(status=RunStatus.PROVIDER_ERROR, passed=None)
    (row,) = sum_up(make_record(), make_record(passed=False), fault).results
    assert (row.planned, row.graded, row.pass_rate) == (3, 2, 0.5)


@pytest.mark.parametrize("status", [s for s, rule in STATUS_RULES.items() if rule.counts])
def test_what_counts_is_a_failure_unless_it_passed(status: RunStatus) -> None:
    counts = count_runs([make_record(status=status, passed=False if status is RunStatus.GRADED else None)])
    assert (counts.failures, counts.failed_as[status]) == (1, 1)


def test_contaminated_runs_never_pass_and_are_counted_apart() -> None:
    (row,) = sum_up(make_record(status=RunStatus.CONTAMINATED, passed=None)).results
    assert (row.contaminated, row.passes, row.pass_rate) == (1, 0, 0.0)


def test_controls_count_but_are_left_out_of_what_has_an_answer() -> None:
    (row,) = sum_up(make_record(), make_record(control=True), make_record(passed=False)).results
    assert (row.passes, row.graded) == (2, 3)
    assert (row.answerable.planned, row.answerable.passes, row.answerable.graded) == (2, 1, 2)


def test_a_sum_is_unknown_as_soon_as_one_part_is() -> None:
    unknown = make_record(passed=False, usage=Usage(), cost=Cost(agent_usd=None, provider_usd=0.0))
    (row,) = sum_up(make_record(), unknown).results
    assert (row.tokens.total, row.tokens.known_runs, row.tokens.mean) == (None, 1, 15)
    assert row.cost_usd.total is None


def test_failed_runs_are_in_the_price_of_a_success() -> None:
    (row,) = sum_up(make_record(), make_record(passed=False)).results
    assert row.cost_usd.per_success == 0.5
    assert row.tokens.per_success == 30


def test_a_pass_of_a_run_that_does_not_count_is_refused() -> None:
    with pytest.raises(SummaryError, match="1 planned runs"):
        count_runs([make_record(status=RunStatus.AGENT_ERROR, passed=True)])


# --- on disk ---------------------------------------------------------------------------------------------


@pytest.fixture
def session(tmp_path: Path) -> SessionFolder:
    """A session of two planned runs, one of them made."""
    folder = SessionFolder(tmp_path / "session")
    folder.create()
    folder.session_file.write_text('{"seed": 7}', encoding="utf-8")
    records = [make_record(run_id="a", task="sky"), make_record(run_id="b", task="sea")]
    write_plan(folder, [PlannedRun(nodeid=record.run_id, record=not_run(record)) for record in records])
    seal(folder, records[0])
    return folder


def not_run(record: RunRecord) -> RunRecord:
    return record.model_copy(update={"status": RunStatus.NOT_RUN, "passed": None})


def seal(folder: SessionFolder, record: RunRecord) -> None:
    bundle = open_bundle(folder, record.run_id)
    head = {"record": record.model_dump(mode="json")}
    seal_bundle(bundle, destination=folder.runs / record.run_id, head=head, files={}, scrub=Scrubber([]))


def test_every_planned_run_has_a_row_in_the_plans_order(session: SessionFolder) -> None:
    assert [(record.run_id, record.status) for record in read_records(session)] == [
        ("a", RunStatus.GRADED),
        ("b", RunStatus.NOT_RUN),
    ]


def test_what_extensions_added_is_kept_when_the_summary_is_rebuilt(session: SessionFolder) -> None:
    write_summary(session, extra={"weather": "fine"})
    assert write_summary(session).extra == {"weather": "fine"}


@pytest.mark.parametrize("content", ["null", "[]", '{"extra": null}', '{"extra": 1}', "{", ""])
def test_a_summary_that_is_none_adds_nothing_to_the_one_that_replaces_it(
    session: SessionFolder, content: str
) -> None:
    (session.root / "summary.json").write_text(content)
    assert write_summary(session).extra == {}


def test_evidence_of_a_run_that_was_never_planned_is_refused(session: SessionFolder) -> None:
    seal(session, make_record(run_id="stray"))
    with pytest.raises(
        SummaryError, match="1 run\\(s\\) have evidence but were never planned, for example stray"
    ):
        write_summary(session)


def test_a_plan_keeps_what_it_has_and_takes_what_is_new(session: SessionFolder) -> None:
    new = make_record(run_id="c", task="sun")
    write_plan(session, [PlannedRun(nodeid="c", record=not_run(new))])
    write_plan(session, [PlannedRun(nodeid="c", record=not_run(new))])
    assert [record.run_id for record in read_records(session)] == ["a", "b", "c"]


def test_a_changed_run_takes_its_place_and_sets_the_old_evidence_aside(session: SessionFolder) -> None:
    write_plan(session, [PlannedRun(nodeid="a", record=not_run(make_record(run_id="a2", task="sky")))])
    assert sorted(record.run_id for record in read_records(session)) == ["a2", "b"]
    assert [path.name.partition(".")[0] for path in session.attempts.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "Invalid JSON: EOF while parsing"),
        (b'{"record": {"run_id": "a"', "Invalid JSON: EOF while parsing"),
        (b'{"record": {"run_id": "a"}}', "Field required"),
    ],
)
def test_a_torn_seal_costs_its_own_run_alone(session: SessionFolder, content: bytes, why: str) -> None:
    seal(session, make_record(run_id="b", task="sea"))
    (session.runs / "a" / "run.json").write_bytes(content)
    warnings: list[str] = []
    summary = write_summary(session, warn=warnings.append)
    assert (summary.counts.graded, summary.counts.excluded["not_run"]) == (1, 1)
    assert [warning.partition(";")[0] for warning in warnings] == [
        "not measured, since run.json cannot be read: a"
    ]
    (torn, _) = read_records(session)
    assert torn.flags == ("evidence_unreadable",)
    assert torn.reason.startswith(f"run.json cannot be read ({why}")


def test_a_seal_of_another_run_is_not_taken_for_the_planned_one(session: SessionFolder) -> None:
    seal(session, make_record(run_id="b", task="sea"))
    (session.runs / "a" / "run.json").write_bytes((session.runs / "b" / "run.json").read_bytes())
    assert [record.status for record in read_records(session)] == [RunStatus.NOT_RUN, RunStatus.GRADED]


def test_a_torn_plan_is_told_by_its_path(session: SessionFolder) -> None:
    session.plan_file.write_text('{"nodeid": "a", "rec', encoding="utf-8")
    with pytest.raises(EvidenceError, match=r"plan\.jsonl: not a readable plan"):
        read_records(session)
