"""The habits of a session's runs, counted when they are graded and read from their rows."""

from __future__ import annotations

import pytest
from rooms.records_for_tests import NO_SEARCH, make_record
from searching.searched_sessions import (
    RIGHT,
    SOURCE,
    SearchedSession,
    make_searched_task,
    meter_fetch,
    meter_search,
)

from pytest_searchlight.domain import CallOutcome, RunStatus, SearchSetup, SetupKind, Sign, ToolCall
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.grading import SIGNS_FILE
from pytest_searchlight.habit_lines import describe_habits
from pytest_searchlight.run_rows import read_records
from pytest_searchlight.summary import measure_lanes

BUILT_IN = SearchSetup(name="built-in", kind=SetupKind.BUILT_IN)
CEILING = SearchSetup(name="ceiling", kind=SetupKind.CEILING)
HIT = f"1. The sky\n   URL: {SOURCE}/?utm_source=shop\n   It is blue."


def test_queries_are_counted_a_run_and_described_by_their_form(session: SearchedSession) -> None:
    session.add_run(meter_search('sky colour "Norrvik" 2026'), meter_search("site:colours.example sky"))
    session.add_run(meter_search("What is the colour of the sky?"), meter_search("sky colour"))
    queries = session.study_lane().searching.queries
    assert (queries.total, queries.per_run, queries.words_per_query) == (4, 2.0, 3.5)
    shares = (queries.natural_language_share, queries.site_share, queries.quoted_share, queries.year_share)
    assert shares == (0.25, 0.25, 0.25, 0.25)


def test_runs_that_fetch_without_searching_are_counted_apart(session: SearchedSession) -> None:
    session.add_run(meter_fetch(SOURCE))
    session.add_run(meter_search("sky"), meter_fetch(SOURCE))
    session.add_run()
    lane = session.study_lane()
    assert (lane.searching.runs, lane.searching.searching_runs, lane.searching.fetch_only_runs) == (3, 1, 1)
    assert lane.searching.fetches_per_run == pytest.approx(2 / 3)


def test_a_search_in_other_words_is_a_reformulation_and_a_new_subject_is_none(
    session: SearchedSession,
) -> None:
    session.add_run(
        *map(meter_search, ("sky colour", "sky colour norrvik", "harbour depth", "harbour depth"))
    )
    assert session.study_lane().searching.reformulations_per_run == 1.0


def test_only_searches_whose_result_tells_are_in_the_share_of_empty_ones(session: SearchedSession) -> None:
    session.add_run(
        meter_search("a", "No results for: a"),
        meter_search("b", HIT),
        meter_search("c", "The sky is blue, says everybody."),
        meter_search("d", "upstream broke", outcome="tool_error"),
        meter_search("e", "", outcome="tool_error"),
    )
    lane = session.study_lane()
    assert (lane.searching.told_searches, lane.searching.empty_search_share) == (2, 0.5)


def test_a_server_may_say_by_way_of_an_error_that_it_found_nothing(session: SearchedSession) -> None:
    session.add_run(meter_search("a", "No web results found", outcome="tool_error"))
    lane = session.study_lane()
    assert (lane.searching.told_searches, lane.searching.empty_search_share) == (1, 1.0)


def test_calls_side_by_side_count_their_time_once(session: SearchedSession) -> None:
    session.add_run(
        meter_search("a", started_s=1.0, latency_s=1.0), meter_search("b", started_s=1.5, latency_s=0.75)
    )
    assert session.study_lane().searching.provider_share == pytest.approx(1.25 / 2.5)


def test_an_answer_that_never_came_leaves_the_time_unknown(session: SearchedSession) -> None:
    session.add_run(meter_search("a", None, outcome="unanswered", latency_s=None))
    lane = session.study_lane()
    assert (lane.searching.time_known, lane.searching.provider_share, lane.searching.shown_chars_per_run) == (
        0,
        None,
        0.0,
    )


def test_a_result_too_large_to_record_leaves_the_characters_unknown(session: SearchedSession) -> None:
    session.add_run(meter_search("a", None))
    session.add_run(meter_search("a", "12345"))
    lane = session.study_lane()
    assert (lane.searching.runs, lane.searching.chars_known, lane.searching.shown_chars_per_run) == (
        2,
        1,
        5.0,
    )


def test_what_the_product_kept_from_its_model_was_not_shown(session: SearchedSession) -> None:
    session.add_run(meter_search("a", "1234567890"), offloaded_chars=4)
    session.add_run(meter_search("a", "1234567890"), offloaded_chars=None)
    lane = session.study_lane()
    assert (lane.searching.chars_known, lane.searching.shown_chars_per_run) == (1, 6.0)


def test_refused_calls_are_counted_as_such_and_as_nothing_else(session: SearchedSession) -> None:
    by_product = ToolCall(
        tool="find", server="shop", arguments={"query": "x"}, outcome=CallOutcome.REFUSED, executed=False
    )
    over_budget = meter_search("y", "refused: budget used up", outcome="refused_budget", latency_s=None)
    session.add_run(meter_search("a"), over_budget, reported=[by_product])
    lane = session.study_lane()
    assert (lane.searching.refused_calls, lane.searching.queries.total, lane.searching.time_known) == (
        2,
        1,
        1,
    )


def test_where_the_proxy_lost_a_part_the_transcript_speaks(session: SearchedSession) -> None:
    call = ToolCall(
        tool="find", server="shop", arguments={"query": "a"}, outcome=CallOutcome.OK, result_text="12345"
    )
    session.add_run(reported=[call, call], intact=False)
    lane = session.study_lane()
    assert (
        lane.searching.queries.total,
        lane.searching.shown_chars_per_run,
        lane.searching.provider_share,
    ) == (2, 5.0 * 2, None)


def test_a_product_s_own_search_is_read_from_its_transcript_and_its_other_tools_are_not(
    session: SearchedSession,
) -> None:
    action = {"type": "open_page", "url": SOURCE}
    calls = [
        ToolCall(
            tool="web_search",
            arguments={"query": "sky", "action": {"type": "search"}},
            outcome=CallOutcome.OK,
        ),
        ToolCall(tool="web_search", arguments={"query": "", "action": action}, outcome=CallOutcome.OK),
        ToolCall(tool="ToolSearch", arguments={"query": "select:find"}, outcome=CallOutcome.OK),
    ]
    session.add_run(setup=BUILT_IN, reported=calls)
    lane = session.study_lane()
    assert (lane.searching.queries.total, lane.searching.fetches_per_run) == (1, 1.0)
    assert (lane.searching.chars_known, lane.searching.provider_share, lane.scan.unscanned) == (0, None, 1)


def test_pass_rates_are_told_apart_by_how_the_primary_source_was_reached(session: SearchedSession) -> None:
    session.add_run(meter_search("a", HIT), meter_fetch("http://www.colours.example/sky#top"), answer=RIGHT)
    session.add_run(meter_search("a", HIT))
    session.add_run(meter_search("a"), meter_fetch(SOURCE, "gone", outcome="tool_error"))
    session.add_run(meter_search("a", None))
    access = session.study_lane().by_access
    rates = [
        (rate.passes, rate.graded)
        for rate in (access.fetched, access.surfaced, access.remembered, access.unknown)
    ]
    assert rates == [(1, 1), (0, 1), (0, 1), (0, 1)]


def test_without_tools_an_answer_is_remembered_and_under_the_ceiling_it_was_told(
    session: SearchedSession,
) -> None:
    session.add_run(setup=NO_SEARCH, answer=RIGHT)
    session.add_run(setup=CEILING, answer=RIGHT)
    no_search, ceiling = session.study().lanes
    assert (no_search.by_access.remembered.passes, ceiling.by_access.unknown.passes) == (1, 1)


def test_controls_are_left_out_of_the_rates_by_source(session: SearchedSession) -> None:
    session.task = make_searched_task(control=True)
    session.add_run(meter_search("a", HIT))
    lane = session.study_lane()
    assert (lane.searching.runs, lane.by_access.surfaced.graded) == (1, 0)


def test_results_are_given_with_and_without_flagged_runs(session: SearchedSession) -> None:
    flagged = session.add_run(meter_search("a", "see https://www.swebench.com/lite"), answer=RIGHT)
    session.add_run(meter_search("a"))
    habits = session.study()
    scan = habits.lanes[0].scan
    assert (scan.flagged, scan.unscanned) == (1, 0)
    assert (habits.lanes[0].passes, habits.lanes[0].graded) == (1, 2)
    assert (scan.without_flagged.passes, scan.without_flagged.graded) == (0, 1)
    assert [run.run_id for run in habits.flagged_runs] == [flagged]
    assert f"flagged: {flagged}: call 0 holds benchmark-host: swebench.com/lite" in [*describe_habits(habits)]


def test_a_row_holds_kinds_and_numbers_but_no_query_and_no_found_text(session: SearchedSession) -> None:
    session.add_run(meter_search("a secret wish", "see https://www.swebench.com/lite"))
    (record,) = read_records(session.folder)
    assert record.signs == (Sign(kind="benchmark-host", call=0),)
    row = record.model_dump_json()
    assert "secret wish" not in row
    assert "swebench" not in row


def test_rows_from_before_searching_was_counted_are_read_and_told_as_unknown() -> None:
    (lane,) = measure_lanes([make_record(searching=None)])
    assert (lane.searching.runs, lane.searching.queries.per_run) == (0, None)
    assert (lane.by_access.unknown.graded, lane.scan.unscanned) == (1, 1)
    assert lane.scan.without_flagged.graded == lane.graded == 1


def test_runs_that_were_not_measured_are_left_out_and_counted(session: SearchedSession) -> None:
    session.add_run(meter_search("a"))
    session.add_run(meter_search("b"), status=RunStatus.TIMEOUT)
    session.add_run(meter_search("c"), status=RunStatus.PROVIDER_ERROR)
    session.plan_run()
    lane = session.study_lane()
    assert (lane.planned, lane.searching.runs, lane.searching.queries.total) == (4, 2, 2)


def test_a_lane_without_measured_runs_says_nothing_in_numbers(session: SearchedSession) -> None:
    session.plan_run()
    lane = session.study_lane()
    assert (lane.searching.runs, lane.searching.queries.per_run, lane.searching.empty_search_share) == (
        0,
        None,
        None,
    )
    assert "queries: - a run, - words each" in "\n".join(describe_habits(session.study()))


def test_signs_that_cannot_be_read_are_named(session: SearchedSession) -> None:
    run_id = session.add_run(meter_search("a", "see https://www.swebench.com/lite"))
    (session.folder.runs / run_id / SIGNS_FILE).write_text('{"kind": "odd"}\n', encoding="utf-8")
    with pytest.raises(EvidenceError, match=f"{run_id}/{SIGNS_FILE}: cannot be read"):
        session.study()
