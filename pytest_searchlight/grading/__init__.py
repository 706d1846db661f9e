"""From what was observed to a record: audit, answer, verdicts, cost. Offline and repeatable.

Grading sees only what a bundle holds, so a stored run is graded again by the same code.
"""

from pytest_searchlight.grading.bundles import (
    SIGNS_FILE,
    describe_files,
    describe_head,
    read_graded,
    read_observed,
)
from pytest_searchlight.grading.rows import describe_unrun
from pytest_searchlight.grading.runs import GradedRun, conclude, grade_run

__all__ = [
    "SIGNS_FILE",
    "GradedRun",
    "conclude",
    "describe_files",
    "describe_head",
    "describe_unrun",
    "grade_run",
    "read_graded",
    "read_observed",
]
