"""Whether the answer conforms to the deliverable's JSON Schema; held against every answer before all else."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from pytest_searchlight.deliverables import find_violations
from pytest_searchlight.domain import CheckOutcome, Task, Verdict
from pytest_searchlight.extensions import Answer


class SchemaValidator:
    """Conformity to the deliverable's schema; a null or absent field is missing, anything else wrong."""

    kind = "schema"

    def explain_params(self, params: Mapping[str, JsonValue], *, task: Task) -> str | None:  # noqa: ARG002
        """Parameters are refused: there is nothing to set."""
        return f"{', '.join(params)} → the schema check has no parameters → remove them" if params else None

    def validate(self, params: Mapping[str, JsonValue], *, answer: Answer, task: Task) -> Verdict:  # noqa: ARG002
        """Hold the whole answer against the schema of `task`."""
        violations = find_violations(answer.deliverable, task.deliverable)
        if violations.wrong:
            return self._decide(CheckOutcome.WRONG, "; ".join(violations.wrong))
        if violations.missing:
            return self._decide(CheckOutcome.MISSING, "; ".join(violations.missing))
        return self._decide(CheckOutcome.PASS, "conforms to the deliverable's schema")

    def _decide(self, outcome: CheckOutcome, reason: str) -> Verdict:
        return Verdict(kind=self.kind, outcome=outcome, reason=reason)
