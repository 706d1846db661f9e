"""The row that a run leaves in ``runs.jsonl``."""

from __future__ import annotations

from typing import Literal

from pydantic import (
    NonNegativeInt,
)

from pytest_searchlight.domain.base import Encodable, Record
from pytest_searchlight.domain.observations import Cost, Usage
from pytest_searchlight.domain.runs import RunStatus
from pytest_searchlight.domain.searching import Access, SearchFacts, Sign
from pytest_searchlight.domain.setups import SetupKind
from pytest_searchlight.domain.verdicts import CheckOutcome


class VerdictLine(Record):
    """A verdict as it stands in a row: what was checked and what came of it."""

    kind: str
    target: str
    outcome: CheckOutcome


class JudgeCost(Record):
    """What the reading of a brief by a judge took; no part of what the agent used.

    `usd` are US dollars; where they are None, `unpriced` says why. A judgement that was kept from an earlier
    grading counts what it took when it was made.
    """

    judge: str
    model_name: str | None
    usage: Usage
    usd: float | None
    unpriced: tuple[str, ...] = ()


class RunRecord(Record):
    """One row of ``runs.jsonl``: every fact a published number needs, and no transcript.

    Times are seconds, money US dollars, `started_at` is UTC in ISO 8601. None means unknown. `searching` is
    None where no run was made, `judging` where no judge was asked. `job_hash` is that of what the agent was
    asked, `grading_hash` of what its answer is held against; rows of early sessions lack the former.
    `result_chars` are what the provider answered, `offloaded_chars` what of it the agent product kept from
    its model, `model_visible_chars` the rest.
    """

    schema_version: Literal[1] = 1
    run_id: str
    identity: str
    grading_hash: str
    catalog: str
    task: str
    family: str
    control: bool
    tags: tuple[str, ...]
    agent: str
    agent_version: str | None
    model_name: str | None
    setup: str
    setup_kind: SetupKind
    repetition: int
    status: RunStatus
    passed: bool | None
    reason: Encodable
    attempts: NonNegativeInt
    flags: tuple[str, ...]
    usage: Usage
    cost: Cost
    provider_calls: NonNegativeInt | None
    provider_latencies_s: tuple[float, ...]
    model_visible_chars: NonNegativeInt | None
    result_chars: NonNegativeInt | None = None
    offloaded_chars: NonNegativeInt | None = None
    verdicts: tuple[VerdictLine, ...]
    started_at: str | None
    duration_s: float | None
    job_hash: str | None = None
    searching: SearchFacts | None = None
    judging: JudgeCost | None = None

    @property
    def access(self) -> Access | None:
        """How the run came by its task's primary source; None when that is not known."""
        return None if self.searching is None else self.searching.access

    @property
    def signs(self) -> tuple[Sign, ...] | None:
        """Why the run is flagged; empty when it is not, None when it was not wholly scanned."""
        return None if self.searching is None else self.searching.signs
