"""Tasks: what an agent is asked and how its answer is graded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    ConfigDict,
    Field,
    JsonValue,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from pytest_searchlight.domain.base import Record, Slug, Text, hash_content


class Budgets(Record):
    """What one run may use. A limit of ``None`` is no limit."""

    wall_clock_s: PositiveFloat = 900.0
    tokens: PositiveInt | None = None
    provider_calls: NonNegativeInt | None = None


class Check(Record):
    """One deterministic check: a validator's ``kind`` plus that validator's own parameters."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: Slug

    @property
    def params(self) -> dict[str, JsonValue]:
        """The validator's own parameters, as written in the catalog."""
        return dict(self.__pydantic_extra__ or {})


class KeyFact(Record):
    """A statement that a right brief makes; `weight` is its share in the recall, and in its dimension's."""

    id: Slug
    text: Text
    weight: PositiveFloat = 1.0
    dimension: Slug | None = None


class Rubric(Record):
    """What a judge holds a brief against; part of the grading hash, so frozen per session.

    `dimensions` gives the least recall of the key facts of each dimension, where a brief must not make up for
    one side of the work by another.
    """

    key_facts: tuple[KeyFact, ...] = Field(min_length=1)
    min_recall: Annotated[float, Field(ge=0, le=1)] = 0.7
    max_unsupported: Annotated[float, Field(ge=0, le=1)] = 0.25
    dimensions: dict[Slug, Annotated[float, Field(gt=0, le=1)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_dimensions(self) -> Self:
        named = {fact.dimension for fact in self.key_facts if fact.dimension is not None}
        if unmatched := sorted(named ^ self.dimensions.keys()):
            raise ValueError(
                f"dimension {unmatched[0]!r}: needs both a minimum and a key fact that belongs to it"
            )
        return self


class Reference(Record):
    """Why the right answer is right; `excerpt` is what the ceiling setup puts into the prompt."""

    excerpt: Text
    source: Text
    event_date: date


class WrongAnswer(Record):
    """An answer that must fail, and what is wrong with it (a stale value, a decoy, an invention...)."""

    why: Text
    answer: JsonValue


class Freshness(Record):
    """The window in which the reference answer is known to hold."""

    checked: date
    valid_until: date | None = None

    def has_passed(self, today: date) -> bool:
        """Whether the window lies before `today`; without an end it never does."""
        return self.valid_until is not None and self.valid_until < today


class Task(Record):
    """One job: what the agent is asked, and how its answer is graded.

    `control` marks a question that has no answer: an honest decline passes it without any search, so it
    is left out of every comparison with the floor. A task written as a Python test may do without a
    reference; one in a catalog is a `CatalogTask`.
    """

    __test__: ClassVar[bool] = False

    id: Slug
    family: Slug
    prompt: Text
    deliverable: dict[str, JsonValue]
    checks: tuple[Check, ...] = ()
    rubric: Rubric | None = None
    reference: Reference | None = None
    reference_answer: JsonValue = None
    wrong_answers: tuple[WrongAnswer, ...] = ()
    freshness: Freshness | None = None
    budgets: Budgets = Budgets()
    control: bool = False
    tags: tuple[Slug, ...] = ()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; what is computed from the fields is computed anew."""
        copied = super().model_copy(update=update, deep=deep)
        for name in ("deliverable_text", "job_hash", "grading_hash", "content_hash"):
            copied.__dict__.pop(name, None)
        return copied

    @cached_property
    def deliverable_text(self) -> str:
        """The deliverable's schema as people and models read it."""
        return json.dumps(self.deliverable, indent=2, ensure_ascii=False)

    @cached_property
    def job_hash(self) -> str:
        """Hash of what an agent is asked and given; a change is another job, however like it is graded."""
        excerpt = None if self.reference is None else self.reference.excerpt
        budgets = self.budgets.model_dump(mode="json")
        return hash_content([self.prompt, self.deliverable, budgets, excerpt])

    @cached_property
    def grading_hash(self) -> str:
        """Hash of what the answer is held against; a change is a regrade, not a new run."""
        return hash_content(self.model_dump(mode="json", include={"checks", "rubric", "control"}))

    @cached_property
    def content_hash(self) -> str:
        """Hash of the whole task."""
        return hash_content(self.model_dump(mode="json"))


class CatalogTask(Task):
    """A task that can be proven: it has a reference, a right answer and at least one wrong one."""

    reference: Reference
    reference_answer: JsonValue
    wrong_answers: tuple[WrongAnswer, ...] = Field(min_length=1)
    freshness: Freshness
