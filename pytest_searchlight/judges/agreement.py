"""How far two judges agree, beyond what chance would have them agree, and whether one favours its own kin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import NonNegativeInt

from pytest_searchlight.domain import CheckOutcome, Record, Verdict


class Agreement(Record):
    """Two judges on the same things.

    Attributes:
        pairs: things that both labelled.
        agreed: of these, labelled alike.
        kappa: Cohen's, -1 to 1; None without pairs, or when both gave one and the same label throughout: then
            chance explains everything and kappa is not defined.
    """

    pairs: NonNegativeInt
    agreed: NonNegativeInt
    kappa: float | None


class FamilyLean(Record):
    """Whether a judge favours the agent of its own vendor, measured against the other judge on the same runs.

    `lean` is how much more often the judge passes its own agent than the other judge does, less the same for
    all other agents: a difference of pass rates, -1 to 1. None when either group has no runs.
    """

    judge: str
    own_runs: NonNegativeInt
    other_runs: NonNegativeInt
    lean: float | None


class JudgeAgreement(Record):
    """A second judge held against the primary one.

    Attributes:
        primary: the judge that decides.
        second: the judge that measures.
        facts: agreement on whether key facts are covered.
        claims: agreement on whether claims are supported.
        verdicts: agreement on pass or fail.
        disputed: runs on whose verdict they differ.
        unpaired: runs that one of them left ungraded.
        leans: the family-lean check, for each judge that is also an agent.
    """

    primary: str
    second: str
    facts: Agreement
    claims: Agreement
    verdicts: Agreement
    disputed: tuple[str, ...]
    unpaired: tuple[str, ...]
    leans: tuple[FamilyLean, ...]


@dataclass(frozen=True, kw_only=True)
class TwiceJudged:
    """One run's rubric verdicts by both judges."""

    run_id: str
    agent: str
    primary: Verdict
    second: Verdict

    @property
    def is_paired(self) -> bool:
        """Whether both came to a verdict."""
        return CheckOutcome.UNGRADED not in {self.primary.outcome, self.second.outcome}

    @property
    def passes(self) -> tuple[bool, bool]:
        """Whether the primary and the second judge pass it."""
        return self.primary.outcome is CheckOutcome.PASS, self.second.outcome is CheckOutcome.PASS


def compare_judges(runs: Iterable[TwiceJudged], *, primary: str, second: str) -> JudgeAgreement:
    """What two judges say of the same runs; a number is None where there is nothing to count."""
    known = list(runs)
    paired = [run for run in known if run.is_paired]
    return JudgeAgreement(
        primary=primary,
        second=second,
        facts=measure_agreement(_pair_labels(paired, kind="fact_labels", verdict="covered")),
        claims=measure_agreement(_pair_labels(paired, kind="claim_labels", verdict="supported")),
        verdicts=measure_agreement([run.passes for run in paired]),
        disputed=tuple(run.run_id for run in paired if len(set(run.passes)) == 2),
        unpaired=tuple(run.run_id for run in known if not run.is_paired),
        leans=tuple(_list_leans(paired, primary=primary, second=second)),
    )


def measure_agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """Agreement and Cohen's kappa of paired labels."""
    agreed = sum(first == second for first, second in pairs)
    return Agreement(pairs=len(pairs), agreed=agreed, kappa=_compute_kappa(pairs, agreed=agreed))


def _compute_kappa(pairs: Sequence[tuple[bool, bool]], *, agreed: int) -> float | None:
    count = len(pairs)
    if count == 0:
        return None
    first, second = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
    # In whole numbers, so that a chance of exactly 1 is seen as such.
    by_chance = sum(first[label] * second[label] for label in (True, False))
    if by_chance == count**2:
        return None
    return (agreed * count - by_chance) / (count**2 - by_chance)


def _pair_labels(runs: Iterable[TwiceJudged], *, kind: str, verdict: str) -> list[tuple[bool, bool]]:
    pairs = []
    for run in runs:
        first, second = (_read_labels(each, kind=kind, verdict=verdict) for each in (run.primary, run.second))
        pairs += [(first[number], second[number]) for number in sorted(first.keys() & second.keys())]
    return pairs


def _read_labels(judged: Verdict, *, kind: str, verdict: str) -> dict[str, bool]:
    labels = judged.details.get(kind)
    known = [each for each in labels if isinstance(each, dict)] if isinstance(labels, list) else []
    return {str(each["number"]): bool(each[verdict]) for each in known}


def _list_leans(paired: list[TwiceJudged], *, primary: str, second: str) -> Iterable[FamilyLean]:
    agents = {run.agent for run in paired}
    for place, judge in enumerate((primary, second)):
        if judge not in agents:
            continue
        own = [run for run in paired if run.agent == judge]
        others = [run for run in paired if run.agent != judge]
        lean = _compute_excess(own, place) - _compute_excess(others, place) if own and others else None
        yield FamilyLean(judge=judge, own_runs=len(own), other_runs=len(others), lean=lean)


def _compute_excess(runs: list[TwiceJudged], place: int) -> float:
    """How much more often the judge in `place` passes these runs than the other judge does."""
    return sum(run.passes[place] - run.passes[1 - place] for run in runs) / len(runs)
