"""From labels to the rubric's verdict: weighted recall of key facts, share of unsupported claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from pydantic import JsonValue

from pytest_searchlight.domain import CheckOutcome, KeyFact, Record, Rubric, Verdict
from pytest_searchlight.domain.judging import ClaimLabel, Judgement
from pytest_searchlight.judges.payload import BlindedBrief

RUBRIC_KIND = "rubric"
"""The `kind` of a verdict that a judge stands behind."""

MOST_EXCLUDED = 0.5
"""Share of claims that may be excluded for want of a readable source; with more, the rest is no basis."""


class Tally(Record):
    """What the labels add up to.

    Attributes:
        recall: weight of the covered key facts over the weight of all, 0 to 1.
        dimensions: the same within each dimension of the rubric.
        unsupported_share: unsupported claims over those that could be judged, 0 to 1; 1 without any claim.
        claims: claims made.
        excluded_claims: of these, how many nobody can judge since a source could not be read.
    """

    recall: float
    dimensions: dict[str, float]
    unsupported_share: float
    claims: int
    excluded_claims: int


def decide_verdict(blinded: BlindedBrief, *, rubric: Rubric, judgement: Judgement) -> Verdict:
    """The rubric's verdict; the right decision is for the checks to find."""
    labels = sorted((*judgement.claims, *blinded.settled), key=lambda label: label.number)
    tally = _count(labels, blinded=blinded, rubric=rubric, judgement=judgement)
    outcome, reason = _settle(tally, rubric, fault=blinded.fault)
    return Verdict(
        kind=RUBRIC_KIND,
        target=judgement.judge,
        outcome=outcome,
        reason=reason,
        details=_describe(tally, labels=labels, blinded=blinded, judgement=judgement),
    )


def refuse_verdict(reason: str, *, judge: str) -> Verdict:
    """The verdict of a brief that `judge` has not judged: nobody's pass and nobody's fail."""
    return Verdict(kind=RUBRIC_KIND, target=judge, outcome=CheckOutcome.UNGRADED, reason=reason)


def fail_verdict(reason: str, *, judge: str, missing: bool = False) -> Verdict:
    """The verdict of an answer that needs no judge to fail; `missing` when it was declined."""
    outcome = CheckOutcome.MISSING if missing else CheckOutcome.WRONG
    return Verdict(kind=RUBRIC_KIND, target=judge, outcome=outcome, reason=reason)


def _count(labels: list[ClaimLabel], *, blinded: BlindedBrief, rubric: Rubric, judgement: Judgement) -> Tally:
    covered = {label.number for label in judgement.facts if label.covered}
    numbered = list(enumerate(rubric.key_facts, start=1))
    # A claim that its readable sources do not support may be supported by the one that could not be read.
    unknown = {label.number for label in labels if not label.supported} & blinded.partly_read
    judged = [label for label in labels if label.number not in unknown]
    unsupported = sum(not label.supported for label in judged)
    excluded = len(blinded.unreadable) + len(unknown)
    return Tally(
        recall=_measure_recall(numbered, covered),
        dimensions={
            name: _measure_recall([each for each in numbered if each[1].dimension == name], covered)
            for name in rubric.dimensions
        },
        unsupported_share=unsupported / len(judged) if judged else 1.0,
        claims=len(judged) + excluded,
        excluded_claims=excluded,
    )


def _measure_recall(facts: Sequence[tuple[int, KeyFact]], covered: AbstractSet[int]) -> float:
    found = sum(fact.weight for number, fact in facts if number in covered)
    return found / sum(fact.weight for _, fact in facts)


def _settle(tally: Tally, rubric: Rubric, *, fault: str) -> tuple[CheckOutcome, str]:
    unread = f"the sources of {tally.excluded_claims} of {tally.claims} claims could not be read"
    if tally.excluded_claims > MOST_EXCLUDED * tally.claims:
        return CheckOutcome.UNGRADED, f"{unread}, and more than half is too many: {fault}"
    found = f"recall {tally.recall:.2f}, {tally.unsupported_share:.0%} of claims unsupported"
    problems = list(_list_problems(tally, rubric))
    outcome = CheckOutcome.WRONG if problems else CheckOutcome.PASS
    reason = "; ".join(problems) or found
    return outcome, f"{reason} ({unread}; these claims are left out)" if tally.excluded_claims else reason


def _list_problems(tally: Tally, rubric: Rubric) -> Iterator[str]:
    """Which thresholds of the rubric are missed."""
    recalls = [("key facts", tally.recall, rubric.min_recall)]
    recalls += [(name, tally.dimensions[name], least) for name, least in rubric.dimensions.items()]
    for name, recall, least in recalls:
        # A sum of weights such as 0.1 + 0.2 must not fail a brief that reaches the threshold exactly.
        if round(recall, 9) < least:
            yield f"recall of {name} {recall:.2f}, below {least:g}"
    if round(tally.unsupported_share, 9) > rubric.max_unsupported:
        yield f"{tally.unsupported_share:.0%} of claims unsupported, over {rubric.max_unsupported:.0%}"


def _describe(
    tally: Tally, *, labels: list[ClaimLabel], blinded: BlindedBrief, judgement: Judgement
) -> dict[str, JsonValue]:
    return {
        **tally.model_dump(mode="json"),
        "model_name": judgement.model_name,
        "secured_sources": blinded.secured,
        "payload_sha256": blinded.payload.content_hash,
        "fact_labels": [label.model_dump(mode="json") for label in judgement.facts],
        "claim_labels": [label.model_dump(mode="json") for label in labels],
    }
