"""An audit in figures: rates with Wilson intervals, kappa with its own, and whether the judge passes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, Self

from pydantic import NonNegativeInt

from pytest_searchlight.domain import Record
from pytest_searchlight.judges.audit import CaseVerdict, JudgeAudit
from pytest_searchlight.stats import divide, wilson_interval
from pytest_searchlight.stats.figures import Interval

LEAST_ACCURACY: Final = 0.85
"""Share of all cases that a judge has to judge as labelled to pass its audit."""

MOST_FALSE_PASSES: Final = 0.05
"""Share of the wrong briefs that a judge may pass and still pass its audit."""


class CaseRate(Record):
    """`count` of `cases` with the Wilson 95 % interval; rate and interval are None without any case."""

    count: NonNegativeInt
    cases: NonNegativeInt
    rate: float | None
    ci95: Interval | None

    @classmethod
    def measure(cls, count: int, *, cases: int) -> Self:
        """The rate of `count` in `cases`."""
        return cls(count=count, cases=cases, rate=divide(count, cases), ci95=wilson_interval(count, cases))


class AuditFigures(Record):
    """An audit in figures. Cases of one subject are related, so the intervals are on the narrow side.

    Attributes:
        judge: the judge.
        model_name: its model, None without one.
        set_sha256: hash of the audit set.
        passed: see `is_passed`.
        ungraded: cases on which the judge came to no verdict; the rates leave them out.
        accuracy: cases judged as labelled.
        false_passes: of the cases that should fail, those passed.
        kappa: Cohen's kappa of verdicts and labels, -1 to 1; None where it is not defined.
        kappa_ci95: see `estimate_kappa_interval`.
        kinds: accuracy on each kind of case.
        went_wrong: cases judged otherwise than labelled, or not at all.
    """

    judge: str
    model_name: str | None
    set_sha256: str
    passed: bool
    ungraded: NonNegativeInt
    accuracy: CaseRate
    false_passes: CaseRate
    kappa: float | None
    kappa_ci95: Interval | None
    kinds: dict[str, CaseRate]
    went_wrong: tuple[CaseVerdict, ...]


def measure_audit(audit: JudgeAudit) -> AuditFigures:
    """The figures of `audit`."""
    return AuditFigures(
        judge=audit.judge,
        model_name=audit.model_name,
        set_sha256=audit.set_sha256,
        passed=is_passed(audit),
        ungraded=len(audit.verdicts) - audit.judged,
        accuracy=CaseRate.measure(audit.right_verdicts, cases=audit.judged),
        false_passes=CaseRate.measure(audit.false_passes, cases=audit.should_fail),
        kappa=audit.agreement.kappa,
        kappa_ci95=estimate_kappa_interval(audit),
        kinds=dict(_measure_kinds(audit.verdicts)),
        went_wrong=tuple(each for each in audit.verdicts if each.passed is not each.should_pass),
    )


def is_passed(audit: JudgeAudit) -> bool:
    """Whether the judge keeps to both limits; a case without a verdict counts as judged wrongly."""
    return (
        audit.right_verdicts >= LEAST_ACCURACY * len(audit.verdicts)
        and audit.false_passes <= MOST_FALSE_PASSES * audit.should_fail
    )


def _measure_kinds(verdicts: Iterable[CaseVerdict]) -> Iterator[tuple[str, CaseRate]]:
    every = list(verdicts)
    for kind in dict.fromkeys(each.kind for each in every):
        judged = [each for each in every if each.kind == kind and each.passed is not None]
        right = sum(each.passed is each.should_pass for each in judged)
        yield kind, CaseRate.measure(right, cases=len(judged))


def estimate_kappa_interval(audit: JudgeAudit) -> Interval | None:
    """The 95 % interval of kappa; None when no right or no wrong brief was judged.

    The labels are given, so kappa rests on two independent rates: right briefs that pass, and wrong briefs
    that fail. It grows with both, and their Wilson limits say how much. Unlike a standard error or a
    bootstrap, this leaves an interval with a width where every verdict is right.

    Source: G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
    approach", 2008.
    """
    caught, wrong = audit.should_fail - audit.false_passes, audit.should_fail
    passed, right = audit.right_verdicts - caught, audit.judged - wrong
    pass_limits, catch_limits = wilson_interval(passed, right), wilson_interval(caught, wrong)
    if pass_limits is None or catch_limits is None:
        return None
    share = right / audit.judged
    pass_rate, catch_rate = passed / right, caught / wrong
    kappa = _compute_kappa(pass_rate, catch_rate, share=share)
    below, above = (
        math.hypot(
            kappa - _compute_kappa(pass_limit, catch_rate, share=share),
            kappa - _compute_kappa(pass_rate, catch_limit, share=share),
        )
        for pass_limit, catch_limit in zip(pass_limits, catch_limits, strict=True)
    )
    return max(-1.0, kappa - below), min(1.0, kappa + above)


def _compute_kappa(pass_rate: float, catch_rate: float, *, share: float) -> float:
    """Cohen's kappa from its parts.

    Args:
        pass_rate: of the right briefs, how many pass.
        catch_rate: of the wrong briefs, how many fail.
        share: how many briefs are right; neither 0 nor 1.
    """
    passing = share * pass_rate + (1 - share) * (1 - catch_rate)
    beyond_chance = 2 * share * (1 - share) * (pass_rate + catch_rate - 1)
    return beyond_chance / (share * (1 - passing) + (1 - share) * passing)
