from __future__ import annotations

import pytest

from pytest_searchlight.agents.error_classes import (
    ERROR_CLASSES,
    OTHER,
    ErrorSigns,
    classify_error,
    find_wait_s,
)
from pytest_searchlight.domain import STATUS_RULES, RunStatus


@pytest.mark.parametrize(
    ("signs", "name"),
    [
        (ErrorSigns(code="authentication_failed", http_status=500, text="overloaded"), "auth"),
        (ErrorSigns(http_status=429, text="Your credit balance is too low"), "rate_limit"),
        (ErrorSigns(text="Quota exceeded. Check your plan and billing details."), "billing"),
        (ErrorSigns(text="Codex ran out of room in the model's context window."), "context_overflow"),
        (ErrorSigns(text="Selected model is at capacity. Please try a different model."), "overload"),
        (ErrorSigns(text="Connection failed: error sending request"), "connection_lost"),
        (ErrorSigns(text="stream disconnected before completion"), "connection_lost"),
        (ErrorSigns(text="flagged as potentially violating our usage policy"), "refusal"),
        (ErrorSigns(text="You've hit your limit \u00b7 resets 3am (UTC)"), "rate_limit"),
        (ErrorSigns(text="5-hour limit reached \u2219 resets 3pm"), "rate_limit"),
        (ErrorSigns(text="input length and `max_tokens` exceed context limit: 201000"), "context_overflow"),
        (ErrorSigns(text="response exceeded the 32000 output token maximum"), "own_limit"),
        (ErrorSigns(text="This content was flagged for possible cybersecurity risk."), "refusal"),
        (ErrorSigns(text="the moon is full"), "other"),
        (ErrorSigns(), "other"),
    ],
)
def test_codes_are_believed_before_statuses_and_these_before_words(signs: ErrorSigns, name: str) -> None:
    assert classify_error(signs).name == name


def test_only_a_refusal_and_the_runs_own_limits_count_against_it() -> None:
    counted = {kind.name for kind in (*ERROR_CLASSES, OTHER) if STATUS_RULES[kind.status].counts}
    assert counted == {"refusal", "context_overflow", "own_limit"}


def test_no_fault_is_graded() -> None:
    assert RunStatus.GRADED not in {kind.status for kind in (*ERROR_CLASSES, OTHER)}


@pytest.mark.parametrize(
    ("text", "wait_s"),
    [
        ("Please try again in 11.054s.", 11.054),
        ("try again in 200ms", 0.2),
        ("Try again in 2 minutes", 120.0),
        ("try again in 20s. Visit", 20.0),
        ("Please try again in 6m0s.", 360.0),
        ("try again in 1h2m3.5s", 3723.5),
        ("try again in 1.2.3 s", None),
        ("try again later", None),
    ],
)
def test_a_wait_is_read_from_an_errors_text(text: str, wait_s: float | None) -> None:
    assert find_wait_s(text) == wait_s
