"""One run, from an empty folder to an observed result: workspace, metering proxy, agent, retries."""

from pytest_searchlight.runner.attempts import MAX_ATTEMPTS, Attempts, OpenWorkspace
from pytest_searchlight.runner.faults import (
    LASTING_FAULTS,
    choose_pause_s,
    is_worth_repeating,
    name_busy_side,
)
from pytest_searchlight.runner.proxy import MeteringProxy, Pace
from pytest_searchlight.runner.settling import confirm_record, settle_deaf_product, settle_trace

__all__ = [
    "LASTING_FAULTS",
    "MAX_ATTEMPTS",
    "Attempts",
    "MeteringProxy",
    "OpenWorkspace",
    "Pace",
    "choose_pause_s",
    "confirm_record",
    "is_worth_repeating",
    "name_busy_side",
    "settle_deaf_product",
    "settle_trace",
]
