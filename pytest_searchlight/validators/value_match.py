"""Whether one field holds the expected value."""

from __future__ import annotations

from pydantic import JsonValue

from pytest_searchlight.deliverables import find_subschema, list_types
from pytest_searchlight.domain import Task, Verdict
from pytest_searchlight.validators.expectations import Expectation, meet_expectation
from pytest_searchlight.validators.fields import FieldParams, FieldValidator


class ValueMatchParams(Expectation, FieldParams):
    """A field and what its value should be."""


class ValueMatchValidator(FieldValidator[ValueMatchParams]):
    """One value against one expectation."""

    kind = "value-match"
    params_model = ValueMatchParams

    def explain_fit(self, params: ValueMatchParams, *, task: Task) -> str | None:
        """A number expected where the deliverable wants text is a value that lost its quotes."""
        schema = find_subschema(task.deliverable, params.field)
        types = list_types(schema, task.deliverable) if schema else frozenset()
        wanted = params.any_of or (params.equals,)
        numbers = [each for each in wanted if isinstance(each, int | float) and not isinstance(each, bool)]
        if numbers and types and not types & {"number", "integer"}:
            advice = "quote it, or use number or version"
            return f"expected {numbers[0]} is a number, but the field is text → {advice}"
        return None

    def judge(self, value: JsonValue, params: ValueMatchParams) -> Verdict:
        """Pass, missing or wrong."""
        finding = meet_expectation(value, params)
        return self.decide(finding.outcome, params, reason=finding.reason)
