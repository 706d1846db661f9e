"""An audit as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_searchlight.judge_audits.figures import (
    LEAST_ACCURACY,
    MOST_FALSE_PASSES,
    AuditFigures,
    CaseRate,
)
from pytest_searchlight.judges.audit import CaseVerdict
from pytest_searchlight.stats.figures import Interval

_DID = {True: "passed", False: "failed", None: "came to no verdict on"}


def render_audit(figures: AuditFigures) -> Iterator[str]:
    """Whether the judge passes, its figures, each kind of case, and every case that went wrong."""
    model = f" with {figures.model_name}" if figures.model_name else ""
    yield (
        f"judge {figures.judge}{model} {'passes' if figures.passed else 'does NOT pass'} its audit: "
        f"accuracy of {LEAST_ACCURACY:.0%} or more, false passes of {MOST_FALSE_PASSES:.0%} or less"
    )
    yield f"  {'accuracy':<17} {_render_rate(figures.accuracy)}"
    yield f"  {'false passes':<17} {_render_rate(figures.false_passes)}"
    yield f"  {'kappa':<17} {_render_number(figures.kappa, figures.kappa_ci95)}"
    yield f"  {'without verdict':<17} {figures.ungraded}"
    yield "right verdicts by kind of case"
    for kind, rate in figures.kinds.items():
        yield f"  {kind:<17} {rate.count}/{rate.cases}"
    yield from map(_render_wrong, figures.went_wrong)


def _render_wrong(case: CaseVerdict) -> str:
    due = "pass" if case.should_pass else "fail"
    return f"wrong: {_DID[case.passed]} {case.case}, which should {due} ({case.reason})"


def _render_rate(rate: CaseRate) -> str:
    return f"{_render_number(rate.rate, rate.ci95)} {rate.count}/{rate.cases}"


def _render_number(value: float | None, ci95: Interval | None) -> str:
    number = "-" if value is None else f"{value:.3f}"
    return number if ci95 is None else f"{number} (95 %: {ci95[0]:.3f} to {ci95[1]:.3f})"
