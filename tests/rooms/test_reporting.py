from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooms.records_for_tests import make_record, make_searching

from pytest_searchlight.domain import (
    CheckOutcome,
    Cost,
    JudgeCost,
    RunStatus,
    Score,
    SetupKind,
    Sign,
    Usage,
    Verdict,
)
from pytest_searchlight.reporting.progress import Progress
from pytest_searchlight.reporting.results import describe_exclusions, render_comparisons, render_table
from pytest_searchlight.reporting.texts import (
    clean_text,
    explain_failure,
    format_duration,
    format_usd,
    list_properties,
)
from pytest_searchlight.summary import summarize


@dataclass
class Report:
    """One phase of an item, as pytest reports it."""

    nodeid: str
    when: str
    outcome: str = "passed"
    user_properties: list[tuple[str, object]] = field(default_factory=list)


@given(st.text(st.characters(categories=None, exclude_categories=[])))
def test_every_string_becomes_short_plain_utf8(text: str) -> None:
    clean = clean_text(text)
    clean.encode("utf-8")
    assert len(clean) <= 4096
    assert not any(character < " " and character not in "\t\n" for character in clean)
    assert not set(clean) & {"\u2028", "\u2029", "\x7f"}


def test_long_text_is_cut_and_the_cut_is_shown() -> None:
    assert clean_text("x" * 5000).endswith("x…")


def test_what_is_unknown_is_a_dash_in_junit() -> None:
    record = make_record(usage=Usage(), cost=Cost(), provider_calls=None, status=RunStatus.AGENT_ERROR)
    properties = dict(list_properties(record))
    assert (properties["tokens"], properties["cost"], properties["calls"]) == ("-", "-", "-")
    assert properties["status"] == "agent_error"


def test_a_failure_names_each_check_that_did_not_pass_and_the_evidence() -> None:
    verdicts = (
        Verdict(kind="value-match", target="/colour", outcome=CheckOutcome.WRONG, reason="red is not blue"),
        Verdict(kind="citation-set", target="/sources", outcome=CheckOutcome.MISSING, reason="none given"),
        Verdict(kind="schema", outcome=CheckOutcome.PASS, reason="it conforms"),
    )
    score = Score(passed=False, share=0.3, verdicts=verdicts)
    text = explain_failure(make_record(passed=False), score, evidence="runs/x")
    assert text.splitlines() == [
        "wrong answer",
        "  wrong    value-match /colour: red is not blue",
        "  missing  citation-set /sources: none given",
        "evidence: runs/x",
    ]


def report_run(progress: Progress, name: str, *, setup: str, passed: bool, status: str = "graded") -> bool:
    properties: list[tuple[str, object]] = [
        ("status", status),
        ("setup", setup),
        ("cost", "0.25"),
        ("calls", "-"),
    ]
    progress.add(Report(name, "setup"))
    progress.add(Report(name, "call", "passed" if passed else "failed"))
    return progress.add(Report(name, "teardown", user_properties=properties))


def test_progress_counts_runs_as_their_reports_arrive() -> None:
    progress = Progress(planned=4)
    assert report_run(progress, "a", setup="exa", passed=True)
    assert report_run(progress, "b", setup="exa", passed=False)
    assert report_run(progress, "c", setup="floor", passed=False, status="agent_error")
    assert not progress.add(Report("test_unit", "teardown"))
    line = progress.describe()
    assert line.startswith("3/4 done · exa 1/2 · $0.75 · 0 calls · ")
    assert line.endswith(" left")


def test_progress_before_anything_is_known_says_so() -> None:
    assert Progress().describe() == "0/? done · $0.00 · 0 calls"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (61, "1:01"), (3599.7, "1:00:00"), (7325, "2:02:05")]
)
def test_durations_are_read_like_a_clock(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("usd", "text"), [(0, "$0.00"), (0.002, "<$0.01"), (0.01, "$0.01"), (1234.5, "$1234.50")]
)
def test_a_small_cost_is_not_told_as_none(usd: float, text: str) -> None:
    assert format_usd(usd) == text


def test_the_table_has_a_row_a_setup_and_dashes_for_what_is_unknown() -> None:
    unknown = make_record(setup="floor", status=RunStatus.TIMEOUT, passed=None, usage=Usage(), cost=Cost())
    fault = make_record(setup="exa", status=RunStatus.PROVIDER_ERROR, passed=None)
    summary = summarize([make_record(), unknown, fault], facts={}, extra={})
    rows = {line.split()[0]: line.split() for line in render_table(summary)}
    assert rows["no-search"][2:6] == ["1/1", "21-100", "%", "1/1"]
    assert rows["floor"][-4:] == ["1/1", "-", "-", "2"]
    assert rows["exa"][2:6] == ["0/0", "-", "0/0", "0/1"]


def test_the_table_tells_of_flagged_runs_and_how_it_looks_without_them() -> None:
    flagged = make_searching(signs=(Sign(kind="task-text", call=0),))
    runs = [make_record(run_id="a", searching=flagged), make_record(run_id="b", searching=make_searching())]
    *_, line = render_table(summarize(runs, facts={}, extra={}))
    assert line.startswith("small, agent: no-search has runs that were shown task texts")
    assert line.endswith("without them 1/1 pass")


def test_what_judges_took_is_told_apart_from_the_table_and_only_where_it_is_something() -> None:
    nothing, something = (Usage(input_tokens=tokens, output_tokens=tokens) for tokens in (0, 750))
    free = JudgeCost(judge="lexical", model_name=None, usage=nothing, usd=0.0)
    dear = JudgeCost(judge="codex", model_name="m", usage=something, usd=None)
    quiet = [*render_table(summarize([make_record(judging=free)], facts={}, extra={}))]
    *table, line = render_table(summarize([make_record(judging=dear)], facts={}, extra={}))
    assert table == quiet
    said = "small, agent: judging no-search (briefs: 1) took 1,500 tokens at an unknown cost,"
    assert line.startswith(said)


def test_what_is_said_of_an_agents_runs_names_the_model_since_there_may_be_several() -> None:
    cost = JudgeCost(judge="codex", model_name="m", usage=Usage(input_tokens=1, output_tokens=1), usd=0.0)
    seen = make_searching(signs=(Sign(kind="task-text", call=0),))
    setups = {"no-search": SetupKind.NO_SEARCH, "floor": SetupKind.FLOOR}
    rows = [
        make_record(setup=name, setup_kind=kind, model_name=model, judging=cost, searching=seen)
        for name, kind in setups.items()
        for model in ("large", "small")
    ]
    summary = summarize(rows, facts={}, extra={})
    assert summary.comparisons is not None
    lines = [line for line in render_table(summary) if "judging" in line or "were shown" in line]
    lines += render_comparisons(summary.comparisons)
    assert len(lines) == len(set(lines)) > 4
    assert all("agent large:" in line or "agent small:" in line for line in lines)


def test_exclusions_are_told_with_their_numbers_or_not_at_all() -> None:
    fault = make_record(status=RunStatus.PROVIDER_ERROR, passed=None)
    summary = summarize([make_record(), fault, fault], facts={}, extra={})
    assert describe_exclusions(summary.counts) == "not counted: 2 provider_error (of 3 planned)"
    assert describe_exclusions(summarize([make_record()], facts={}, extra={}).counts) is None
