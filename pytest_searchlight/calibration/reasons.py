"""Why a run on a task does not count: not calibrated, stale, or not admitted."""

from __future__ import annotations

from typing import Final

from pytest_searchlight.calibration.records import Calibration, CalibrationRecord, JudgeName
from pytest_searchlight.domain import Task, TestRun
from pytest_searchlight.prompting import hash_prompts

_REMEDY: Final = (
    "calibrate it with --searchlight-calibrate, or run it as it is with --searchlight-uncalibrated"
)


def explain_not_admitted(
    calibration: Calibration, run: TestRun, *, agent_version: str | None, judge: JudgeName | None
) -> str | None:
    """Why `run` does not count, in a sentence, or None when it does.

    Args:
        calibration: what was calibrated so far.
        run: a run on the task as it is now. A control needs no calibration.
        agent_version: the version of the agent product that would make the run.
        judge: who would judge its brief; None where the task has no rubric.
    """
    if run.task.control:
        return None
    record = calibration.find((run.catalog, run.task.id, run.agent, run.model_name or ""))
    if record is None:
        return _explain_missing(calibration, run)
    stale = explain_stale(record, task=run.task, agent_version=agent_version, judge=judge)
    if stale is not None:
        return f"{stale}; {_REMEDY}"
    return explain_rejection(record)


def explain_stale(
    record: CalibrationRecord, *, task: Task, agent_version: str | None, judge: JudgeName | None
) -> str | None:
    """Why `record` does not hold for `task` as it is put to the agent and judged now, or None when it does.

    The task is what matters, not its catalog: editing one task leaves the calibration of the others as it is.
    """
    subject = f"the calibration of task {record.task!r} is stale"
    if record.task_hash != task.content_hash:
        return f"{subject}: the task was changed since"
    if record.prompt_hash != hash_prompts(task):
        return f"{subject}: the words that a prompt puts around every task were changed since"
    now = () if agent_version is None else (agent_version,)
    if record.floor.agent_versions != now:
        then = " and ".join(record.floor.agent_versions) or "an unknown version"
        return f"{subject}: it was made with {record.agent} {then}, and this is {agent_version or 'unknown'}"
    if record.judge != judge:
        then = "nobody knows whom" if record.judge is None else str(record.judge)
        return f"{subject}: its briefs were judged by {then}, and the judge now is {judge}"
    return None


def explain_rejection(record: CalibrationRecord) -> str | None:
    """Why the task of `record` was not admitted, or None when it was."""
    ground = find_rejection_ground(record)
    return None if ground is None else f"task {record.task!r} is not admitted: {ground}"


def find_rejection_ground(record: CalibrationRecord) -> str | None:
    """The same without the task's name, so that tasks can share it."""
    return None if record.admitted else _find_ground(record)


def _find_ground(record: CalibrationRecord) -> str:
    limits, floor, ceiling = record.thresholds, record.floor, record.ceiling
    runs, most, fewest = limits.runs, limits.most_floor_passes, limits.fewest_ceiling_passes
    if floor.passes > most:
        return f"the floor passes {floor.passes} of {runs} (at most {most}), so it can be done without search"
    if ceiling.passes + runs - ceiling.graded < fewest:
        return (
            f"the ceiling passes {ceiling.passes} of {runs} (at least {fewest}), so it fails even with the "
            "reference at hand"
        )
    return (
        f"{floor.graded} floor and {ceiling.graded} ceiling runs of {runs} were measured, too few to tell; "
        "--searchlight-calibrate again"
    )


def _explain_missing(calibration: Calibration, run: TestRun) -> str:
    wanted = (run.catalog, run.task.id, run.agent)
    others = [record.model_name for record in calibration.records if record.place[:3] == wanted]
    known = f", only with {' and '.join(map(_tell_model, others))}" if others else ""
    model = _tell_model(run.model_name)
    return f"task {run.task.id!r} is not calibrated for {run.agent} with {model}{known}; {_REMEDY}"


def _tell_model(model_name: str | None) -> str:
    return "its default model" if model_name is None else f"model {model_name}"
