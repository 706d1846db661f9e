"""A judge's labels: one sound label for every number that was asked about, or none at all.

Products are asked for nothing but the labels, by a schema; where one writes around them all the same, they
are read as an agent's answer is. Nothing is ever completed: labels that were cut off are no labels.
"""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue, ValidationError

from pytest_searchlight.answers import find_answer
from pytest_searchlight.deliverables import find_violations
from pytest_searchlight.domain import RunStatus, Usage
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import RunError


class NoJudgementError(RunError):
    """No sound judgement came; `usage` is what asking for it took all the same."""

    def __init__(self, message: str, *, usage: Usage, retry_after_s: float | None = None) -> None:
        super().__init__(message, status=RunStatus.UNGRADED, retry_after_s=retry_after_s)
        self.usage = usage


def _describe_label(verdict: str) -> dict[str, JsonValue]:
    # The reason stands before the verdict, so that a model gives it before it decides.
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["number", "reason", verdict],
        "properties": {
            "number": {"type": "integer"},
            "reason": {"type": "string"},
            verdict: {"type": "boolean"},
        },
    }


LABELS_SCHEMA: Final[dict[str, JsonValue]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["facts", "claims"],
    "properties": {
        "facts": {"type": "array", "items": _describe_label("covered")},
        "claims": {"type": "array", "items": _describe_label("supported")},
    },
}
"""What a model that judges must answer with."""


def read_labels(
    text: str, *, payload: JudgePayload, judge: str, model_name: str | None, usage: Usage
) -> Judgement:
    """The judgement in `text`, a judge's last message.

    Raises:
        NoJudgementError: there is none: no verdict rests on a guess at what was meant.
    """

    def refuse(problem: str) -> NoJudgementError:
        return NoJudgementError(f"judge {judge}: {problem}", usage=usage)

    answer = find_answer(text, LABELS_SCHEMA)
    if not isinstance(answer.deliverable, dict):
        raise refuse(f"no labels: {answer.problem}")
    violations = find_violations(answer.deliverable, LABELS_SCHEMA)
    if problems := (*violations.wrong, *violations.missing):
        raise refuse(f"the answer breaks its schema: {problems[0]}")
    known = {"judge": judge, "model_name": model_name, "usage": usage, "note": answer.note}
    try:
        judgement = Judgement.model_validate({**known, **answer.deliverable})
    except ValidationError as error:
        raise refuse(f"a label breaks a rule: {error.errors(include_url=False)[0]['msg']}") from error
    return accept_judgement(judgement, payload=payload)


def accept_judgement(given: object, *, payload: JudgePayload) -> Judgement:
    """What a judge hands over, if it labels all that `payload` asks about, each once.

    Raises:
        NoJudgementError: it labels something else.
        ValidationError: it is no judgement.
    """
    judgement = Judgement.model_validate(given)
    for kind, labels, asked in (
        ("facts", judgement.facts, payload.facts),
        ("claims", judgement.claims, payload.claims),
    ):
        labelled, wanted = [label.number for label in labels], [each.number for each in asked]
        if sorted(labelled) != sorted(wanted):
            problem = f"labels {kind} {labelled} where {wanted} were asked about"
            raise NoJudgementError(f"judge {judgement.judge}: {problem}", usage=judgement.usage)
    return judgement
