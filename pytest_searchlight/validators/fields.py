"""What the validators of one field share: parameters checked by a record, verdicts with a reason."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Generic, TypeVar

from pydantic import JsonValue, StringConstraints, ValidationError

from pytest_searchlight.deliverables import find_subschema, join_pointer, resolve_field, shorten
from pytest_searchlight.domain import CheckOutcome, Record, Task, Verdict
from pytest_searchlight.extensions import Answer

Pointer = Annotated[str, StringConstraints(pattern=r"^(?:/[^/]+)+$")]
"""An RFC 6901 pointer to a field of the deliverable."""


R = TypeVar("R", bound=Record)


def read_params(model: type[R], params: Mapping[str, JsonValue]) -> R:
    """Parameters as a record; equal ones are read once. Raises pydantic's ValidationError."""
    read: R = _read_written(model, json.dumps(params))  # type: ignore[assignment]  # of the type asked for
    return read


@lru_cache(maxsize=1024)
def _read_written(model: type[Record], text: str) -> Record:
    return model.model_validate_json(text)


class FieldParams(Record):
    """Parameters of a check on one field of the deliverable."""

    field: Pointer


P = TypeVar("P", bound=FieldParams)


class FieldValidator(ABC, Generic[P]):
    """A validator of one field, with its parameters as a record."""

    kind: str
    params_model: type[P]

    def explain_params(self, params: Mapping[str, JsonValue], *, task: Task) -> str | None:
        """What is wrong with `params`, or None when they are right."""
        try:
            parsed = self.params_model.model_validate(params)
        except ValidationError as error:
            return explain_invalid(error)
        if find_subschema(task.deliverable, parsed.field) is None:
            return f"field {parsed.field!r} → the deliverable has no such field → correct the pointer"
        return self.explain_fit(parsed, task=task)

    def explain_fit(self, params: P, *, task: Task) -> str | None:  # noqa: ARG002 - for those that need it
        """What keeps right `params` from fitting the deliverable of `task`, or None."""
        return None

    def validate(self, params: Mapping[str, JsonValue], *, answer: Answer, task: Task) -> Verdict:  # noqa: ARG002
        """Hold the field of `answer` against `params`."""
        parsed = read_params(self.params_model, params)
        return self.judge(resolve_field(answer.deliverable, parsed.field), parsed)

    @abstractmethod
    def judge(self, value: JsonValue, params: P) -> Verdict:
        """The verdict on the field's value; an absent field is None."""

    def decide(
        self,
        outcome: CheckOutcome,
        params: P,
        *,
        reason: str,
        details: dict[str, JsonValue] | None = None,
    ) -> Verdict:
        """A verdict of this validator on the field of `params`."""
        return Verdict(
            kind=self.kind, target=params.field, outcome=outcome, reason=reason, details=details or {}
        )


def explain_invalid(error: ValidationError) -> str:
    """What a record has against parameters, each as ``field: value → rule``."""
    parts = []
    for each in error.errors(include_url=False):
        where = join_pointer(each["loc"]) or "/"
        value = "" if each["type"] in {"missing", "value_error"} else f"{shorten(each['input'])} → "
        parts.append(f"{where}: {value}{each['msg'].removeprefix('Value error, ')}")
    return "; ".join(parts)
