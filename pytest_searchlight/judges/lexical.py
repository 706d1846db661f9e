"""The embedded judge: no model, the same labels on every machine, and deaf to instructions.

It reads words, figures and denials, not meaning, so it errs to the strict side on free paraphrase; and where
a sentence gives two things a figure each, it cannot tell which is whose. What a source or an answer tells its
reader to do is to it one more sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pytest_searchlight.domain import NOTHING_USED
from pytest_searchlight.domain.judging import (
    ClaimLabel,
    FactLabel,
    Judgement,
    JudgePayload,
    PayloadClaim,
)
from pytest_searchlight.judges.statements import read_passages
from pytest_searchlight.judges.support import find_support


@dataclass(frozen=True)
class LexicalJudge:
    """Labels facts and claims by the sentences that hold their words and figures in the same sense."""

    name: ClassVar[str] = "lexical"
    model_name: ClassVar[None] = None

    def explain_unavailable(self) -> str | None:
        """It is always available."""
        return None

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:  # noqa: ARG002 - part of the Protocol
        """Label every fact by the brief and its claims, and every claim by the sources it cites."""
        said = read_passages("\n\n".join([payload.brief, *(claim.text for claim in payload.claims)]))
        facts = ((fact.number, find_support(fact.text, evidence=said, reach=None)) for fact in payload.facts)
        return Judgement(
            judge=self.name,
            model_name=None,
            facts=tuple(
                FactLabel(number=number, covered=found.holds, reason=found.reason) for number, found in facts
            ),
            claims=tuple(_label_claim(claim, payload) for claim in payload.claims),
            usage=NOTHING_USED,
        )


def _label_claim(claim: PayloadClaim, payload: JudgePayload) -> ClaimLabel:
    """Each source is read by itself: two pages that say half of it each do not say it."""
    texts = {source.number: source.text for source in payload.sources}
    found = [find_support(claim.text, evidence=read_passages(texts[number])) for number in claim.sources]
    best = next((each for each in found if each.holds), found[0])
    return ClaimLabel(number=claim.number, supported=best.holds, reason=best.reason)
