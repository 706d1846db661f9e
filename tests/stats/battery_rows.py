"""Rows of batteries, written as the passes of each task's repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from rooms.records_for_tests import make_record

from pytest_searchlight.domain import RunRecord, RunStatus, SetupKind
from pytest_searchlight.stats.pairing import PairTable, RateTable

Passes = Mapping[str, str]
"""By task, a letter a repetition: ``+`` passed, ``-`` failed, ``x`` could not be measured."""

_ROW: Final = make_record()
_OUTCOMES: Final[dict[str, dict[str, Any]]] = {
    "+": {"passed": True},
    "-": {"passed": False},
    "x": {"passed": None, "status": RunStatus.PROVIDER_ERROR},
}


def make_rows(battery: Mapping[str, Passes], **facts: Any) -> list[RunRecord]:  # noqa: ANN401 - any field
    """The rows of a battery by setup; `facts` replace what every row has."""
    return [row for setup, passes in battery.items() for row in _make_arm(setup, passes, facts)]


def _make_arm(setup: str, passes: Passes, facts: Mapping[str, Any]) -> Iterator[RunRecord]:
    kind = SetupKind(setup) if setup in set(SetupKind) else SetupKind.PROVIDER
    for task, outcomes in passes.items():
        for repetition, outcome in enumerate(outcomes, start=1):
            place = {"task": task, "setup": setup, "setup_kind": kind, "repetition": repetition}
            run_id = f"{task}.{setup}.r{repetition}"
            yield _ROW.model_copy(update={"run_id": run_id, **place, **_OUTCOMES[outcome], **facts})


def spell(*passes: int, of: int = 3) -> Passes:
    """The passes of tasks in order, such as 2 of 3."""
    return {f"task-{number:03}": "+" * passed + "-" * (of - passed) for number, passed in enumerate(passes)}


def make_rates(*passes: int, of: int = 3) -> RateTable:
    """An arm's passes by task."""
    counts = np.array(passes, dtype=np.float64)
    return RateTable(passes=counts, runs=np.full_like(counts, of))


def make_pairs(*tasks: tuple[int, int, int]) -> PairTable:
    """Pairs by task: how many only the setup passed, only the reference passed, and in which both agree."""
    setup_only, reference_only, agreeing = np.array(tasks, dtype=np.float64).reshape(-1, 3).T
    return PairTable(
        pairs=setup_only + reference_only + agreeing,
        both=agreeing,
        setup_only=setup_only,
        reference_only=reference_only,
    )
