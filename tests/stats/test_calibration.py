from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from plugin.small_project import make_task
from rooms.records_for_tests import make_run
from stats.battery_rows import make_rows

from pytest_searchlight.calibration import (
    Calibration,
    CalibrationRecord,
    JudgeName,
    calibrate,
    explain_not_admitted,
    explain_rejection,
    explain_stale,
    read_calibration,
    write_calibration,
)
from pytest_searchlight.catalog import Catalog
from pytest_searchlight.catalog.format import Defaults
from pytest_searchlight.domain import KeyFact, Rubric, Task, TestRun
from pytest_searchlight.errors import SettingsError

LEXICAL = JudgeName(name="lexical", model_name=None)
SKY, SEA = (Task.model_validate(make_task(name)) for name in ("sky", "sea"))

BRIEF = SKY.model_copy(update={"rubric": Rubric(key_facts=(KeyFact(id="blue", text="It is blue."),))})


def make_catalog(*tasks: Task) -> Catalog:
    return Catalog(
        name="small",
        title="Small",
        description="",
        path=Path("tasks.yaml"),
        defaults=Defaults(),
        tasks=tasks,
        closed_web=None,
    )


def calibrate_sky(floor: str = "-----", ceiling: str = "+++++", **facts: Any) -> CalibrationRecord:  # noqa: ANN401
    earlier, task = facts.pop("earlier", None), facts.pop("task", SKY)
    judges = {"small": facts.pop("judge", LEXICAL)}
    battery = {"floor": {"sky": floor}, "ceiling": {"sky": ceiling}}
    rows = make_rows(battery, **{"agent_version": "1.0", **facts})
    (record,) = calibrate(rows, catalogs=[make_catalog(task, SEA)], judges=judges, earlier=earlier)
    return record


def explain(
    calibration: Calibration,
    *,
    version: str | None = "1.0",
    judge: JudgeName | None = None,
    **facts: Any,  # noqa: ANN401 - any field of a run
) -> str | None:
    run: TestRun = make_run(**{"task": SKY, **facts})
    return explain_not_admitted(calibration, run, agent_version=version, judge=judge)


# --- admission --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("floor", "ceiling", "admitted"),
    [
        ("-----", "+++++", True),
        ("+----", "++++-", True),
        ("++---", "+++++", False),
        ("-----", "+++--", False),
        ("----x", "++++x", True),
        ("+---x", "+++++", False),
        ("-----", "+++xx", False),
        ("-----", "", False),
    ],
)
def test_a_task_is_admitted_when_its_floor_fails_and_its_ceiling_passes_whatever_was_not_measured(
    floor: str, ceiling: str, *, admitted: bool
) -> None:
    assert calibrate_sky(floor, ceiling).admitted is admitted


@pytest.mark.parametrize(
    ("floor", "ceiling", "reason"),
    [
        ("++---", "+++++", "the floor passes 2 of 5 (at most 1), so it can be done without search"),
        (
            "-----",
            "+++--",
            "the ceiling passes 3 of 5 (at least 4), so it fails even with the reference at hand",
        ),
        (
            "-----",
            "+++xx",
            "5 floor and 3 ceiling runs of 5 were measured, too few to tell; --searchlight-calibrate again",
        ),
    ],
)
def test_a_rejected_task_says_why(floor: str, ceiling: str, reason: str) -> None:
    record = calibrate_sky(floor, ceiling)
    assert explain_rejection(record) == f"task 'sky' is not admitted: {reason}"
    assert explain(Calibration(records=(record,))) == explain_rejection(record)


def test_an_admitted_task_has_nothing_against_it() -> None:
    record = calibrate_sky()
    assert explain_rejection(record) is None
    assert explain(Calibration(records=(record,))) is None


def test_a_record_tells_what_was_run_with_what() -> None:
    record = calibrate_sky("+----", model_name="large")
    assert (record.catalog, record.task, record.agent, record.model_name) == (
        "small",
        "sky",
        "agent",
        "large",
    )
    assert record.catalog_hash == make_catalog(SKY, SEA).content_hash
    assert record.task_hash == SKY.content_hash
    assert record.floor.agent_versions == ("1.0",)
    assert (record.floor.passes, record.floor.graded) == (1, 5)
    assert record.floor.run_ids == tuple(f"sky.floor.r{number}" for number in range(1, 6))
    assert (record.thresholds.runs, record.thresholds.most_floor_passes) == (5, 1)


def test_repetitions_beyond_those_of_the_thresholds_are_left_out() -> None:
    record = calibrate_sky("-----++", "+++++-----")
    assert (record.floor.graded, record.ceiling.graded) == (5, 5)
    assert record.admitted


def test_controls_other_setups_and_unknown_tasks_are_left_out() -> None:
    battery = {"floor": {"sky": "-----"}, "ceiling": {"sky": "+++++"}}
    rows = [
        *make_rows({name: {"sea": "+++++"} for name in battery}, control=True),
        *make_rows({"shop": {"sea": "+++++"}, "no-search": {"sea": "-----"}}),
        *make_rows({name: {"gone": passes["sky"]} for name, passes in battery.items()}),
    ]
    assert calibrate(rows, catalogs=[make_catalog(SKY, SEA)], judges={}) == ()


def test_agents_and_models_are_calibrated_apart() -> None:
    battery = {"floor": {"sky": "-----"}, "ceiling": {"sky": "+++++"}}
    rows = [
        row
        for agent in ("claude-code", "codex")
        for model in ("large", "small")
        for row in make_rows(battery, agent=agent, model_name=model)
    ]
    records = calibrate(rows, catalogs=[make_catalog(SKY)], judges={})
    assert [(record.agent, record.model_name) for record in records] == [
        ("claude-code", "large"),
        ("claude-code", "small"),
        ("codex", "large"),
        ("codex", "small"),
    ]


def test_controls_need_no_calibration() -> None:
    assert explain(Calibration(), task=SKY.model_copy(update={"control": True})) is None


# --- staleness --------------------------------------------------------------------------------------------


def test_a_task_that_was_never_calibrated_is_not_admitted() -> None:
    assert explain(Calibration(records=(calibrate_sky(),)), task=SEA) == (
        "task 'sea' is not calibrated for agent with its default model; "
        "calibrate it with --searchlight-calibrate, or run it as it is with --searchlight-uncalibrated"
    )


def test_a_calibration_of_another_model_does_not_count() -> None:
    reason = explain(Calibration(records=(calibrate_sky(model_name="large"),)), model_name="small")
    assert reason is not None
    assert "not calibrated for agent with model small, only with model large" in reason


def test_a_changed_task_makes_its_record_stale_and_not_those_of_others() -> None:
    calibration = Calibration(records=(calibrate_sky(),))
    changed = SKY.model_copy(update={"prompt": "Which colour has the sky at noon?"})
    reason = explain(calibration, task=changed)
    assert reason is not None
    assert reason.startswith("the calibration of task 'sky' is stale: the task was changed since; ")
    assert explain(calibration, task=SKY) is None


@pytest.fixture
def reworded(monkeypatch: pytest.MonkeyPatch) -> CalibrationRecord:
    """A record that was made with other words around every task."""
    with monkeypatch.context() as patch:
        patch.setattr("pytest_searchlight.prompting._RULES", "- Answer.")
        return calibrate_sky()


def test_other_words_around_every_task_make_a_record_stale(reworded: CalibrationRecord) -> None:
    reason = explain(Calibration(records=(reworded,)))
    assert reason is not None
    assert "is stale: the words that a prompt puts around every task were changed since; " in reason


def test_a_ceiling_with_other_words_around_it_is_not_taken_over(reworded: CalibrationRecord) -> None:
    record = calibrate_sky("-----", "", earlier=Calibration(records=(reworded,)))
    assert record.ceiling.graded == 0


def test_a_record_with_other_words_is_replaced_also_by_an_incomplete_one(reworded: CalibrationRecord) -> None:
    later = calibrate_sky("----x")
    assert Calibration(records=(reworded,)).update([later]).records == (later,)


@pytest.mark.parametrize(
    ("then", "now", "reason"),
    [
        ("1.0", "1.1", "it was made with agent 1.0, and this is 1.1"),
        ("1.0", None, "it was made with agent 1.0, and this is unknown"),
        (None, "1.0", "it was made with agent an unknown version, and this is 1.0"),
    ],
)
def test_another_version_of_the_agent_makes_a_record_stale(
    then: str | None, now: str | None, reason: str
) -> None:
    record = calibrate_sky(agent_version=then)
    stale = explain_stale(record, task=SKY, agent_version=now, judge=None)
    assert stale == f"the calibration of task 'sky' is stale: {reason}"
    assert explain_stale(record, task=SKY, agent_version=then, judge=None) is None


def test_another_judge_of_its_briefs_makes_a_record_stale() -> None:
    calibration = Calibration(records=(calibrate_sky(task=BRIEF),))
    assert explain(calibration, task=BRIEF, judge=LEXICAL) is None
    large = JudgeName(name="claude-code", model_name="large")
    reason = explain(calibration, task=BRIEF, judge=large)
    assert reason is not None
    assert "its briefs were judged by lexical, and the judge now is claude-code with large" in reason
    assert (
        explain(Calibration(records=(calibrate_sky(task=BRIEF, judge=large),)), task=BRIEF, judge=large)
        is None
    )


def test_a_record_of_briefs_from_before_judges_were_named_is_stale_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    write_calibration(Calibration(records=(calibrate_sky(task=BRIEF),)), path=path)
    written = json.loads(path.read_text())
    del written["records"][0]["judge"]
    path.write_text(json.dumps(written))
    reason = explain(read_calibration(path), task=BRIEF, judge=LEXICAL)
    assert reason is not None
    assert "its briefs were judged by nobody knows whom, and the judge now is lexical" in reason


def test_a_task_without_a_rubric_has_no_judge_to_change() -> None:
    assert calibrate_sky().judge is None


# --- a change of model ------------------------------------------------------------------------------------


def test_after_a_change_of_model_the_floors_alone_are_run_again_and_ceilings_keep_their_label() -> None:
    earlier = Calibration(records=(calibrate_sky(model_name="old"),))
    record = calibrate_sky("-----", "", model_name="new", earlier=earlier)
    assert record.admitted
    assert (record.model_name, record.floor.model_name, record.ceiling.model_name) == ("new", "new", "old")


def test_a_task_whose_floor_rose_is_retired() -> None:
    earlier = Calibration(records=(calibrate_sky(model_name="old"),))
    record = calibrate_sky("+++++", "", model_name="new", earlier=earlier)
    assert not record.admitted


def test_a_ceiling_that_another_judge_read_is_not_taken_over() -> None:
    old = calibrate_sky(task=BRIEF, model_name="old", judge=JudgeName(name="codex", model_name="m"))
    record = calibrate_sky("-----", "", task=BRIEF, model_name="new", earlier=Calibration(records=(old,)))
    assert record.ceiling.graded == 0


def test_a_ceiling_of_a_changed_task_is_not_taken_over() -> None:
    old = calibrate_sky(model_name="old").model_copy(update={"task_hash": "0"})
    record = calibrate_sky("-----", "", model_name="new", earlier=Calibration(records=(old,)))
    assert record.ceiling.graded == 0
    assert not record.admitted


# --- the file ---------------------------------------------------------------------------------------------


def test_a_calibration_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    calibration = Calibration().update([calibrate_sky(model_name="b"), calibrate_sky(model_name="a")])
    write_calibration(calibration, path=path)
    assert read_calibration(path) == calibration
    assert [record.model_name for record in calibration.records] == ["a", "b"]


def test_a_newer_record_takes_the_place_of_the_older() -> None:
    calibration = Calibration(records=(calibrate_sky(),)).update([calibrate_sky("+++++")])
    assert [record.admitted for record in calibration.records] == [False]


@pytest.mark.parametrize(("floor", "ceiling"), [("---", ""), ("-----", "+++"), ("----x", "+++++")])
def test_what_an_interrupted_calibration_measured_replaces_nothing_complete(floor: str, ceiling: str) -> None:
    complete, cut_short = calibrate_sky(), calibrate_sky(floor, ceiling)
    assert Calibration().update([complete]).update([cut_short]).records == (complete,)
    assert Calibration().update([cut_short]).update([complete]).records == (complete,)
    assert Calibration().update([cut_short]).records == (cut_short,)


@pytest.mark.parametrize(
    "change",
    [
        {"task": BRIEF.model_copy(update={"prompt": "What is blue?"})},
        {"task": BRIEF, "judge": JudgeName(name="codex", model_name="m")},
        {"task": BRIEF, "agent_version": "1.1"},
    ],
)
def test_what_was_measured_under_other_conditions_replaces_what_is_stale(change: dict[str, Any]) -> None:
    later = calibrate_sky("----x", **change)
    assert Calibration().update([calibrate_sky(task=BRIEF)]).update([later]).records == (later,)


@pytest.mark.parametrize(
    "change", [{"admitted": False}, {"floor": {"passes": 4}}, {"ceiling": {"passes": 6}}]
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "calibration.json"
    write_calibration(Calibration(records=(calibrate_sky(),)), path=path)
    written = json.loads(path.read_text())
    for name, value in change.items():
        record = written["records"][0]
        record[name] = {**record[name], **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(written))
    with pytest.raises(SettingsError, match=r"calibration\.json: not a readable calibration"):
        read_calibration(path)


@pytest.mark.parametrize("content", [None, "", "{", "[]"])
def test_an_unreadable_file_is_refused_with_what_to_do(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "calibration.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SettingsError, match="remove it, and --searchlight-calibrate makes a new one"):
        read_calibration(path)
