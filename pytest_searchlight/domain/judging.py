"""What a judge is given and what it gives back. No field tells setup, agent or provider."""

from __future__ import annotations

from pydantic import Field, PositiveInt

from pytest_searchlight.domain.base import Encodable, Record, Slug, Text, hash_content
from pytest_searchlight.domain.observations import Usage


class PayloadFact(Record):
    """A key fact of the rubric, by the number that a judge answers with."""

    number: PositiveInt
    text: Text


class PayloadClaim(Record):
    """A claim of the brief, and the numbers of the sources it cites that could be read."""

    number: PositiveInt
    text: Text
    sources: tuple[PositiveInt, ...] = Field(min_length=1)


class PayloadSource(Record):
    """A source's readable text, once, under every address that it was cited by."""

    number: PositiveInt
    urls: tuple[str, ...]
    text: Encodable


class JudgePayload(Record):
    """All that a judge sees of a run.

    Attributes:
        question: the task's prompt.
        brief: the brief's text.
        facts: which of these does the brief, its claims included, state?
        claims: which of these do the sources they cite support?
        sources: what the cited pages say.
    """

    question: Text
    brief: str
    facts: tuple[PayloadFact, ...]
    claims: tuple[PayloadClaim, ...]
    sources: tuple[PayloadSource, ...]

    @property
    def content_hash(self) -> str:
        """Hash of everything the judge saw; equal payloads must get equal verdicts."""
        return hash_content(self.model_dump(mode="json"))


class FactLabel(Record):
    """Whether the brief states a key fact, and why the judge says so."""

    number: PositiveInt
    covered: bool
    reason: Text


class ClaimLabel(Record):
    """Whether a claim's own sources support it, and why the judge says so."""

    number: PositiveInt
    supported: bool
    reason: Text


class Judgement(Record):
    """A judge's labels, one for each number of the payload, and what they cost.

    `model_name` is None for a judge without a model. `note` says what was overlooked to read the labels;
    None where they were written as they should be.
    """

    judge: Slug
    model_name: str | None
    facts: tuple[FactLabel, ...]
    claims: tuple[ClaimLabel, ...]
    usage: Usage = Usage()
    note: str | None = None
