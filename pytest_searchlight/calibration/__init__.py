"""Calibration: on which tasks an agent and model can show the effect of search.

A task counts where the agent fails it without search (the floor) and passes it with the reference excerpt in
the prompt (the ceiling). A record that no longer fits its task, agent or model is stale, and the task must be
calibrated again.
"""

from pytest_searchlight.calibration.making import calibrate
from pytest_searchlight.calibration.reasons import (
    explain_not_admitted,
    explain_rejection,
    explain_stale,
    find_rejection_ground,
)
from pytest_searchlight.calibration.records import (
    DEFAULT_THRESHOLDS,
    Calibration,
    CalibrationRecord,
    JudgeName,
    Recalibration,
    ReferenceRuns,
    Thresholds,
    read_calibration,
    write_calibration,
)

__all__ = [
    "DEFAULT_THRESHOLDS",
    "Calibration",
    "CalibrationRecord",
    "JudgeName",
    "Recalibration",
    "ReferenceRuns",
    "Thresholds",
    "calibrate",
    "explain_not_admitted",
    "explain_rejection",
    "explain_stale",
    "find_rejection_ground",
    "read_calibration",
    "write_calibration",
]
