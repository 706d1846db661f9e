"""What of transcribed figures can be recomputed: what follows from printed counts, within printed rounding.

Where the publication itself departs from this, the row's `remark` says so, and the row is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_searchlight.domain import SetupKind
from pytest_searchlight.report_folder import (
    TRANSCRIPTION_FILE,
    TranscribedBattery,
    TranscribedRow,
    TranscribedTest,
    Transcription,
)
from pytest_searchlight.stats import wilson_interval
from pytest_searchlight.stats.paired_tests import compute_mcnemar_p

_PERCENT_ROUNDING: Final = 0.501
_CLOSURE_ROUNDING: Final = 0.00501
_P_ROUNDING: Final = 0.0000501


def check_transcription(transcription: Transcription) -> Iterator[str]:
    """Printed intervals, closures and tests are those that the printed counts give."""
    for battery in transcription.batteries:
        for problem in _check_battery(battery):
            yield f"{TRANSCRIPTION_FILE}: {battery.title}: {problem}"


def _check_battery(battery: TranscribedBattery) -> Iterator[str]:
    for row in battery.rows:
        yield from _check_row(row, battery)
    for test in battery.tests:
        yield from _check_test(test, battery)


def _check_row(row: TranscribedRow, battery: TranscribedBattery) -> Iterator[str]:
    name = row.label or row.setup
    if row.passes > row.runs:
        yield f"{name}: {row.passes} passes of {row.runs} runs"
        return
    interval = wilson_interval(row.passes, row.runs)
    for printed, bound in zip(row.pass_rate_percent_ci95 or (), interval or (), strict=False):
        if abs(printed - 100 * bound) > _PERCENT_ROUNDING:
            yield f"{name}: the bound {printed} % is {100 * bound:.1f} % by {row.passes}/{row.runs}"
    closure = _close_gap(row, battery)
    if (
        row.gap_closure is not None
        and closure is not None
        and abs(row.gap_closure - closure) > _CLOSURE_ROUNDING
    ):
        yield f"{name}: closes {row.gap_closure} of the gap as printed, and {closure:.3f} by its passes"


def _close_gap(row: TranscribedRow, battery: TranscribedBattery) -> float | None:
    floor, ceiling = (_find_kind(battery, kind) for kind in (SetupKind.FLOOR, SetupKind.CEILING))
    if floor is None or ceiling is None or ceiling.passes * floor.runs <= floor.passes * ceiling.runs:
        return None
    rates = [each.passes / each.runs for each in (row, floor, ceiling)]
    return (rates[0] - rates[1]) / (rates[2] - rates[1])


def _check_test(test: TranscribedTest, battery: TranscribedBattery) -> Iterator[str]:
    """Pairs were not published; they follow from the passes only where the reference passes nothing."""
    reference = next((row for row in battery.rows if row.setup == test.reference), None)
    rows = [row for row in battery.rows if (row.setup, row.label) == (test.setup, test.label)]
    if reference is None or reference.passes or len(rows) != 1:
        return
    p_value = compute_mcnemar_p(setup_only=rows[0].passes, reference_only=0)
    is_right = p_value <= test.p_value if test.is_bound else abs(p_value - test.p_value) <= _P_ROUNDING
    if not is_right:
        pair = f"{test.label or test.setup} against {test.reference}"
        yield f"{pair}: p = {test.p_value} as printed, {p_value:.6f} by passes"


def _find_kind(battery: TranscribedBattery, kind: SetupKind) -> TranscribedRow | None:
    return next((row for row in battery.rows if row.setup_kind is kind), None)
