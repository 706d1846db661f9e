"""Whether a question without an answer is declined honestly, and nothing is made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, JsonValue, ValidationError

from pytest_searchlight.deliverables import find_subschema, resolve_field, shorten
from pytest_searchlight.domain import CheckOutcome, Record, Task, Verdict
from pytest_searchlight.extensions import Answer
from pytest_searchlight.validators.declines import find_fabrication
from pytest_searchlight.validators.fields import Pointer, explain_invalid, read_params


class DeclineParams(Record):
    """Which fields must claim nothing: name those that hold a claim, never those that explain one.

    allow_text: whether words may decline (``not announced``); otherwise only null, or an empty value.
    """

    fields: Annotated[tuple[Pointer, ...], Field(min_length=1)]
    allow_text: bool = True


class DeclineValidator:
    """Fields that must be null, empty, or say that there is no answer."""

    kind = "decline"
    params_model = DeclineParams

    def explain_params(self, params: Mapping[str, JsonValue], *, task: Task) -> str | None:
        """What is wrong with `params`, or None when they are right."""
        try:
            parsed = DeclineParams.model_validate(params)
        except ValidationError as error:
            return explain_invalid(error)
        for pointer in parsed.fields:
            if find_subschema(task.deliverable, pointer) is None:
                return f"fields {pointer!r} → the deliverable has no such field → correct the pointer"
        return None

    def validate(self, params: Mapping[str, JsonValue], *, answer: Answer, task: Task) -> Verdict:  # noqa: ARG002
        """Pass when every field declines; wrong when one claims something."""
        parsed = read_params(DeclineParams, params)
        values = {pointer: resolve_field(answer.deliverable, pointer) for pointer in parsed.fields}
        claims = [
            f"{pointer} claims {shorten(value)}"
            for pointer, value in values.items()
            if _claims(value, allow_text=parsed.allow_text)
        ]
        outcome = CheckOutcome.WRONG if claims else CheckOutcome.PASS
        reason = "; ".join(claims) or "declines, as it should: there is no answer"
        return Verdict(kind=self.kind, target=" ".join(parsed.fields), outcome=outcome, reason=reason)


def _claims(value: JsonValue, *, allow_text: bool) -> bool:
    return find_fabrication(value) is not None if allow_text else value not in (None, "", [], {})
