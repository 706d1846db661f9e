"""The records that a comparison of two sessions is made of, and its JSON format.

*Before* is the session that is held up as the standard, *after* the one that is held against it. Rates and
growths are fractions (0.1 is 10 points, or 10 % more); None is unknown, never 0.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from pydantic import JsonValue, NonNegativeFloat, NonNegativeInt, PositiveInt

from pytest_searchlight.domain import Record, name_agent
from pytest_searchlight.stats.figures import Estimate, Figure
from pytest_searchlight.summary_schema import Share

SCHEMA_VERSION: Final = 1


class LaneName(Record):
    """One search setup under one agent and model, over one catalog."""

    catalog: str
    agent: str
    model_name: str | None
    setup: str

    def describe(self) -> str:
        """The lane as a line for people, such as ``gap, codex gpt-5: exa``."""
        return f"{self.catalog}, {name_agent(self.agent, self.model_name)}: {self.setup}"


class ChangeVerdict(StrEnum):
    """What a comparison says of a lane's pass rate.

    It dropped or rose when the Holm-adjusted p-value is below 0.05 and the interval, where there is one, does
    not hold 0. Everything else that was compared is no significant change.
    """

    DROPPED = "dropped"
    ROSE = "rose"
    NO_SIGNIFICANT_CHANGE = "no-significant-change"
    NOT_COMPARED = "not-compared"


class Side(Record):
    """One session's part in a comparison of a lane.

    `planned` and `excluded` (by status) count all its runs in the lane. Everything else is over the `runs`
    that were compared: use is in tokens and US dollars for each success and calls for each run, and
    `duration_s_p50` is the median. `agent_versions` is empty where only a summary was given.
    """

    planned: NonNegativeInt
    excluded: dict[str, NonNegativeInt]
    runs: NonNegativeInt
    passes: NonNegativeInt
    pass_rate: Share | None
    pass_rate_ci95: tuple[Share, Share] | None
    tokens_per_success: NonNegativeFloat | None
    cost_usd_per_success: NonNegativeFloat | None
    calls_per_run: NonNegativeFloat | None
    duration_s_p50: NonNegativeFloat | None
    agent_versions: tuple[str, ...]


class TaskChange(Record):
    """A task of which other than before passed, counted in the compared runs."""

    task: str
    passes_before: NonNegativeInt
    runs_before: NonNegativeInt
    passes_after: NonNegativeInt
    runs_after: NonNegativeInt


class LeftOut(Record):
    """What a comparison of a lane leaves out.

    `changed_tasks` ask or expect something else than before; `unmatched_runs` were measured on one side
    without a counterpart of the same task and repetition on the other.
    """

    changed_tasks: tuple[str, ...]
    tasks_only_before: tuple[str, ...]
    tasks_only_after: tuple[str, ...]
    unmatched_runs: NonNegativeInt


class LaneChange(Record):
    """What became of one lane.

    `paired` says whether runs of the same task and repetition were held against each other, or tasks as a
    whole. The intervals of `difference` (pass rate after minus before) hold for tasks like these;
    `p_value` tests these very tasks. `p_value_holm` is adjusted for all lanes of the comparison, and
    `detectable_difference` is what one of so many tests shows in 80 % of cases. The intervals of the growths
    (of tokens and dollars for each success) hold together for all lanes. `worse` and `better` are the tasks
    with a lower and a higher pass rate than before, those that changed most first.

    `tasks_checked` is whether the compared tasks are known to ask and expect the same as before, by their
    rows or by the hash of an unchanged catalog. `model_name_before` differs from the lane's when no lane with
    the same model was there to compare with. `setup_changed` is whether server, tools or pages of the setup
    are others than before.
    """

    lane: LaneName
    model_name_before: str | None
    paired: bool
    tasks: NonNegativeInt
    tasks_checked: bool
    before: Side
    after: Side
    left_out: LeftOut
    difference: Estimate
    p_value: Figure
    p_value_holm: Figure
    detectable_difference: Figure
    tokens_growth: Estimate
    cost_growth: Estimate
    worse: tuple[TaskChange, ...]
    better: tuple[TaskChange, ...]
    setup_changed: bool | None
    verdict: ChangeVerdict


class FactChange(Record):
    """Something that a session recorded of itself and that differs from the other's; None is not recorded."""

    what: str
    before: JsonValue
    after: JsonValue


class SessionComparison(Record):
    """Two sessions side by side. The same files, `seed` and `draws` give the same numbers.

    `only_before` and `only_after` are the lanes that had nothing to be compared with.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    name_before: str
    name_after: str
    seed: NonNegativeInt
    draws: PositiveInt
    lanes: tuple[LaneChange, ...]
    only_before: tuple[LaneName, ...]
    only_after: tuple[LaneName, ...]
    facts: tuple[FactChange, ...]
