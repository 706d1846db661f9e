"""How far two judges agree, beyond what chance would have them agree, and whether one favours its own kin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import NonNegativeInt, PositiveInt

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


class PairedLabel(Record):
    """What two judges say of one numbered fact or claim."""

    number: PositiveInt
    primary: bool
    second: bool


class TwiceJudged(Record):
    """One run as two judges see it, without their reasons; None where one came to no verdict.

    `facts` (covered?) and `claims` (supported?) are those that both labelled; none are paired unless both
    came to a verdict.
    """

    run_id: str
    agent: str
    primary_passed: bool | None
    second_passed: bool | None
    facts: tuple[PairedLabel, ...]
    claims: tuple[PairedLabel, ...]

    @property
    def passes(self) -> tuple[bool, bool] | None:
        """Whether the primary and the second judge pass it, None unless both came to a verdict."""
        if self.primary_passed is None or self.second_passed is None:
            return None
        return self.primary_passed, self.second_passed


class JudgeAgreement(Record):
    """A second judge held against the primary one; all but `runs` can be recomputed from `runs`.

    Attributes:
        primary: the judge that decides.
        second: the judge that measures.
        runs: what both say of each run.
        facts: agreement on whether key facts are covered.
        claims: agreement on whether claims are supported.
        verdicts: agreement on pass or fail.
        disputed: runs on whose verdict they differ.
        unpaired: runs that one of them left ungraded.
        leans: the family-lean check, for each judge that is also an agent.
    """

    primary: str
    second: str
    runs: tuple[TwiceJudged, ...]
    facts: Agreement
    claims: Agreement
    verdicts: Agreement
    disputed: tuple[str, ...]
    unpaired: tuple[str, ...]
    leans: tuple[FamilyLean, ...]


def pair_verdicts(run_id: str, *, agent: str, primary: Verdict, second: Verdict) -> TwiceJudged:
    """What two judges say of a run, put side by side."""
    passes = _read_passed(primary), _read_passed(second)
    is_paired = None not in passes
    return TwiceJudged(
        run_id=run_id,
        agent=agent,
        primary_passed=passes[0],
        second_passed=passes[1],
        facts=_pair_labels(primary, second, kind="fact_labels", label="covered") if is_paired else (),
        claims=_pair_labels(primary, second, kind="claim_labels", label="supported") if is_paired else (),
    )


def _read_passed(verdict: Verdict) -> bool | None:
    return None if verdict.outcome is CheckOutcome.UNGRADED else verdict.outcome is CheckOutcome.PASS


def _pair_labels(primary: Verdict, second: Verdict, *, kind: str, label: str) -> tuple[PairedLabel, ...]:
    first, other = (_read_labels(each, kind=kind, label=label) for each in (primary, second))
    return tuple(
        PairedLabel(number=number, primary=first[number], second=other[number])
        for number in sorted(first.keys() & other.keys())
    )


def _read_labels(verdict: Verdict, *, kind: str, label: str) -> dict[int, bool]:
    labels = verdict.details.get(kind)
    known = [each for each in labels if isinstance(each, dict)] if isinstance(labels, list) else []
    return {int(str(each["number"])): bool(each[label]) for each in known}


def compare_judges(runs: Iterable[TwiceJudged], *, primary: str, second: str) -> JudgeAgreement:
    """What two judges say of the same runs; a number is None where there is nothing to count."""
    known = tuple(runs)
    paired = [(run, run.passes) for run in known if run.passes is not None]
    return JudgeAgreement(
        primary=primary,
        second=second,
        runs=known,
        facts=_measure_labels(label for run in known for label in run.facts),
        claims=_measure_labels(label for run in known for label in run.claims),
        verdicts=measure_agreement([passes for _, passes in paired]),
        disputed=tuple(run.run_id for run, passes in paired if len(set(passes)) == 2),
        unpaired=tuple(run.run_id for run in known if run.passes is None),
        leans=tuple(
            _measure_lean(paired, judge=judge, place=place)
            for place, judge in enumerate((primary, second))
            if any(run.agent == judge for run, _ in paired)
        ),
    )


def _measure_labels(labels: Iterable[PairedLabel]) -> Agreement:
    return measure_agreement([(label.primary, label.second) for label in labels])


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


def _measure_lean(
    paired: Sequence[tuple[TwiceJudged, tuple[bool, bool]]], *, judge: str, place: int
) -> FamilyLean:
    own = [passes for run, passes in paired if run.agent == judge]
    others = [passes for run, passes in paired if run.agent != judge]
    lean = _compute_excess(own, place) - _compute_excess(others, place) if own and others else None
    return FamilyLean(judge=judge, own_runs=len(own), other_runs=len(others), lean=lean)


def _compute_excess(passes: Sequence[tuple[bool, bool]], place: int) -> float:
    """How much more often the judge in `place` passes these runs than the other judge does."""
    return sum(each[place] - each[1 - place] for each in passes) / len(passes)
