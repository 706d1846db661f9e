"""Which tasks and runs of a lane can be held against each other, and which cannot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_searchlight.comparison.lanes import LaneSide
from pytest_searchlight.comparison.records import LaneName, LeftOut
from pytest_searchlight.comparison.tallies import Tallies, tally_runs
from pytest_searchlight.domain import STATUS_RULES, RunRecord
from pytest_searchlight.stats import quantile
from pytest_searchlight.stats.columns import read_columns
from pytest_searchlight.stats.pairing import Arm, PairTable, sort_arms, tabulate_pairs
from pytest_searchlight.summary_schema import Counts


@dataclass(frozen=True, kw_only=True)
class ComparedSide:
    """One session's part in a lane: `counts` of all runs, everything else of the compared ones."""

    counts: Counts
    tallies: Tallies
    duration_s_p50: float | None
    agent_versions: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MatchedLane:
    """What is compared of a lane: the same tasks on both sides.

    `pairs` are counted where both sides have rows: later runs, as `setup`, against earlier ones.
    """

    name: LaneName
    model_name_before: str | None
    before: ComparedSide
    after: ComparedSide
    pairs: PairTable | None
    left_out: LeftOut
    setup_changed: bool | None

    @property
    def tasks(self) -> int:
        """How many tasks are compared."""
        return len(self.after.tallies)


def match_lane(name: LaneName, *, name_before: LaneName, before: LaneSide, after: LaneSide) -> MatchedLane:
    """Find what can be compared of the lane `name`, by pairs of runs, or else by whole tasks."""
    runs_before, runs_after = before.runs, after.runs
    if runs_before is None or runs_after is None:
        return _match_tasks(name, name_before=name_before, before=before, after=after)
    ((earlier,), (later,)) = (
        sort_arms(runs, read_columns(runs)).values() for runs in (runs_before, runs_after)
    )
    changed = _find_changed_tasks(earlier, later)
    cells = sorted(cell for cell in earlier.graded.keys() & later.graded.keys() if cell[0] not in changed)
    pairs = [(later.graded[cell], earlier.graded[cell]) for cell in cells]
    return MatchedLane(
        name=name,
        model_name_before=name_before.model_name,
        before=_describe_side(before, [run for _, run in pairs]),
        after=_describe_side(after, [run for run, _ in pairs]),
        pairs=tabulate_pairs(pairs),
        left_out=_list_left_out(earlier, later, changed=changed),
        setup_changed=_tell_setup_change(pairs) if name == name_before else None,
    )


def _find_changed_tasks(earlier: Arm, later: Arm) -> frozenset[str]:
    shared = earlier.planned.keys() & later.planned.keys()
    return frozenset(
        cell[0] for cell in shared if not _is_same_task(earlier.planned[cell], later.planned[cell])
    )


def _is_same_task(one: RunRecord, other: RunRecord) -> bool:
    """Whether two runs were asked the same, and their answers held against the same.

    Rows without a `job_hash` tell it by their whole identity, which also changes with the setup.
    """
    is_same_job = one.job_hash is not None and one.job_hash == other.job_hash
    return (is_same_job or one.identity == other.identity) and one.grading_hash == other.grading_hash


def _tell_setup_change(pairs: Iterable[tuple[RunRecord, RunRecord]]) -> bool | None:
    changes = {later.identity != earlier.identity for later, earlier in pairs}
    return any(changes) if changes else None


def _list_left_out(earlier: Arm, later: Arm, *, changed: frozenset[str]) -> LeftOut:
    tasks_before, tasks_after = ({task for task, _ in arm.planned} for arm in (earlier, later))
    compared = (tasks_before & tasks_after) - changed
    single = earlier.graded.keys() ^ later.graded.keys()
    return LeftOut(
        changed_tasks=tuple(sorted(changed)),
        tasks_only_before=tuple(sorted(tasks_before - tasks_after)),
        tasks_only_after=tuple(sorted(tasks_after - tasks_before)),
        unmatched_runs=sum(task in compared for task, _ in single),
    )


def _describe_side(side: LaneSide, runs: list[RunRecord]) -> ComparedSide:
    return ComparedSide(
        counts=side.counts,
        tallies=tally_runs(runs),
        duration_s_p50=quantile([run.duration_s for run in runs if run.duration_s is not None], 0.5),
        agent_versions=tuple(sorted({run.agent_version for run in runs if run.agent_version is not None})),
    )


# --- where one side has no rows ---------------------------------------------------------------------------


def _match_tasks(name: LaneName, *, name_before: LaneName, before: LaneSide, after: LaneSide) -> MatchedLane:
    tasks_before, tasks_after = ({tally.task for tally in side.tallies} for side in (before, after))
    shared = tasks_before & tasks_after
    return MatchedLane(
        name=name,
        model_name_before=name_before.model_name,
        before=_select_tasks(before, shared),
        after=_select_tasks(after, shared),
        pairs=None,
        left_out=LeftOut(
            changed_tasks=(),
            tasks_only_before=tuple(sorted(tasks_before - shared)),
            tasks_only_after=tuple(sorted(tasks_after - shared)),
            unmatched_runs=0,
        ),
        setup_changed=None,
    )


def _select_tasks(side: LaneSide, tasks: set[str]) -> ComparedSide:
    if side.runs is not None:
        runs = [run for run in side.runs if run.task in tasks and STATUS_RULES[run.status].counts]
        return _describe_side(side, runs)
    tallies = tuple(tally for tally in side.tallies if tally.task in tasks)
    whole = len(tallies) == len(side.tallies)
    return ComparedSide(
        counts=side.counts,
        tallies=tallies,
        duration_s_p50=side.duration_s_p50 if whole else None,
        agent_versions=(),
    )
