"""Holds an answer against its task: the deliverable's schema first, then every check."""

from __future__ import annotations

from typing import Final

from pytest_searchlight.domain import Check, CheckOutcome, Score, Task, Verdict
from pytest_searchlight.extensions import Answer, Registry

SCHEMA_CHECK: Final = Check(kind="schema")
"""The check that every task has without naming it."""

RUBRIC_UNJUDGED: Final = Verdict(
    kind="rubric", outcome=CheckOutcome.UNGRADED, reason="every check passes, and no judge has read the brief"
)
"""The verdict that keeps an answer to a task with a rubric from passing on its checks alone."""


def list_checks(task: Task) -> tuple[Check, ...]:
    """The checks of `task`, the schema check first."""
    return (SCHEMA_CHECK, *(check for check in task.checks if check.kind != SCHEMA_CHECK.kind))


def score_answer(task: Task, answer: Answer, registry: Registry) -> Score:
    """All verdicts on `answer`. A malformed answer gets one, which is wrong.

    `passed` is None when a check could not be graded, or when all checks pass and the rubric waits for a
    judge; `share` is passed checks over all checks.
    """
    if answer.deliverable is None:
        return sum_up((_judge_malformed(answer),))
    verdicts = tuple(
        _validate(check, answer=answer, task=task, registry=registry) for check in list_checks(task)
    )
    score = sum_up(verdicts)
    return sum_up((*verdicts, RUBRIC_UNJUDGED)) if task.rubric is not None and score.passed else score


def settle_rubric(score: Score, verdict: Verdict) -> Score:
    """`score` with the judge's verdict in the place that waited for it."""
    return sum_up(tuple(verdict if each is RUBRIC_UNJUDGED else each for each in score.verdicts))


def _validate(check: Check, *, answer: Answer, task: Task, registry: Registry) -> Verdict:
    """The verdict of one validator; a guest that breaks must not cost a run that is made and paid for."""
    validator = registry.validators.get(check.kind)
    try:
        return validator.validate(check.params, answer=answer, task=task)
    except Exception as error:  # noqa: BLE001 - ungraded: the run is kept and can be graded again
        reason = f"validator {check.kind!r} failed: {type(error).__name__}: {error}"
        return Verdict(kind=check.kind, outcome=CheckOutcome.UNGRADED, reason=reason)


def _judge_malformed(answer: Answer) -> Verdict:
    reason = f"malformed: {answer.problem or 'no deliverable'}"
    return Verdict(kind=SCHEMA_CHECK.kind, target="answer", outcome=CheckOutcome.WRONG, reason=reason)


def sum_up(verdicts: tuple[Verdict, ...]) -> Score:
    """The score that verdicts add up to; `passed` is None while one is ungraded."""
    outcomes = [verdict.outcome for verdict in verdicts]
    if CheckOutcome.UNGRADED in outcomes:
        return Score(passed=None, share=None, verdicts=verdicts)
    passes = outcomes.count(CheckOutcome.PASS)
    return Score(passed=passes == len(outcomes), share=passes / len(outcomes), verdicts=verdicts)
