"""From an event stream and the end of a process to a status, whatever the product."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_searchlight.agents.endings import Ending, conclude, explain_over_budget
from pytest_searchlight.agents.error_classes import ErrorSigns, classify_error
from pytest_searchlight.domain import RunStatus
from pytest_searchlight.workspace import ProcessResult

WELL = ProcessResult(
    ended_by="exit",
    exit_code=0,
    stop_reason=None,
    duration_s=1.0,
    cpu_s=0.5,
    max_rss_bytes=1,
    leftovers_killed=0,
    survivors=0,
    stdout_path=Path("events.jsonl"),
    stderr_path=Path("stderr.log"),
    stderr_tail="",
    limited_reach=None,
)
ANSWERED = Ending(finished=True, answer_text="blue")
CUT_OFF = Ending(finished=False)
BUSY = ErrorSigns(http_status=429, text="Please try again in 20s.")


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (401, "auth"),
        (402, "billing"),
        (403, "auth"),
        (404, "model_missing"),
        (429, "rate_limit"),
        (503, "overload"),
        (529, "overload"),
        (500, "other"),
    ],
)
def test_an_http_status_names_its_fault(status: int, name: str) -> None:
    assert classify_error(ErrorSigns(http_status=status)).name == name


@pytest.mark.parametrize(
    ("ending", "wait_s"),
    [
        (Ending(finished=True, fault=BUSY), 20.0),
        (Ending(finished=False, waiting=BUSY), 20.0),
        (Ending(finished=False, waiting=ErrorSigns(http_status=429), retry_after_s=7.0), 7.0),
        (Ending(finished=True, fault=ErrorSigns(http_status=401), retry_after_s=7.0), None),
        (replace(ANSWERED, retry_after_s=7.0), None),
    ],
    ids=["fault's words", "while waiting", "stream", "no rate limit", "answered"],
)
def test_how_long_to_wait_is_read_from_the_fault_and_else_from_the_stream(
    ending: Ending, wait_s: float | None
) -> None:
    assert conclude(ending, result=WELL).retry_after_s == wait_s


@pytest.mark.parametrize(
    ("used", "budget", "over"),
    [(100, 100, None), (101, 100, "used 101 tokens of a budget of 100"), (None, 100, None), (5, None, None)],
)
def test_a_budget_may_be_used_up_and_not_overdrawn(
    used: int | None, budget: int | None, over: str | None
) -> None:
    assert explain_over_budget(used, budget=budget) == over


@pytest.mark.parametrize(
    ("result", "flags"),
    [
        (WELL, ()),
        (replace(WELL, exit_code=1), ("nonzero_exit",)),
        (replace(WELL, ended_by="stopped", exit_code=137), ("stopped_after_final_event",)),
        (replace(WELL, ended_by="timeout", exit_code=137), ("stopped_after_final_event",)),
    ],
)
def test_an_answer_is_kept_however_the_process_ended_after_it(
    result: ProcessResult, flags: tuple[str, ...]
) -> None:
    trace = conclude(ANSWERED, result=result)
    assert (trace.status, trace.answer_text, trace.flags) == (RunStatus.GRADED, "blue", flags)


@pytest.mark.parametrize(
    ("ending", "result", "status"),
    [
        (CUT_OFF, WELL, RunStatus.AGENT_ERROR),
        (CUT_OFF, replace(WELL, ended_by="timeout", stop_reason="still running"), RunStatus.TIMEOUT),
        (replace(ANSWERED, contradictory=True), WELL, RunStatus.AGENT_ERROR),
        (replace(ANSWERED, over_budget="too many"), WELL, RunStatus.BUDGET_EXHAUSTED),
        (replace(ANSWERED, unavailable="no tools"), WELL, RunStatus.SETUP_UNAVAILABLE),
        (replace(ANSWERED, denied_tools=("find",)), WELL, RunStatus.AGENT_ERROR),
        (replace(ANSWERED, fault=ErrorSigns(code="refusal")), WELL, RunStatus.REFUSED),
    ],
)
def test_what_is_no_sound_ending_is_no_answer(
    ending: Ending, result: ProcessResult, status: RunStatus
) -> None:
    trace = conclude(ending, result=result)
    assert (trace.status, trace.answer_text) == (status, None)
    assert trace.reason
