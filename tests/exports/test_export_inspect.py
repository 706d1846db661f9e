"""Logs for Inspect View, read back by inspect-ai itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from exports.exported import Ended, export
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
from plugin.small_project import Project, make_task

from pytest_searchlight.domain import STATUS_RULES

if TYPE_CHECKING:
    from pathlib import Path

Logs = dict[str, EvalLog]


def read_logs(folder: Path) -> Logs:
    """The logs in a folder by their task and model, found and read by Inspect."""
    logs = [read_eval_log(info) for info in list_eval_logs(str(folder))]
    return {f"{log.eval.task} {log.eval.model}": log for log in logs}


@pytest.fixture(scope="module")
def logs(ended: Ended, tmp_path_factory: pytest.TempPathFactory) -> Logs:
    folder = tmp_path_factory.mktemp("logs")
    assert export(ended.folder, "--format=inspect", "--output", folder) == 0
    return read_logs(folder)


def get_sample(logs: Logs, agent: str) -> EvalSample:
    """The first repetition of an agent's runs of ``sky``."""
    samples = logs[f"small-no-search {agent}"].samples
    assert samples is not None
    return next(sample for sample in samples if sample.epoch == 1)


def read_accuracy(log: EvalLog) -> float:
    assert log.results is not None
    (score,) = log.results.scores
    return score.metrics["accuracy"].value


def test_there_is_a_log_for_each_catalog_agent_and_setup_in_which_runs_were_made(
    ended: Ended, logs: Logs
) -> None:
    lanes = {(run.catalog, run.agent) for run in ended.records if STATUS_RULES[run.status].pytest != "skip"}
    assert set(logs) == {f"{catalog}-no-search {agent}" for catalog, agent in lanes}
    assert {log.status for log in logs.values()} == {"success"}


def test_a_run_is_a_sample_its_repetition_an_epoch(ended: Ended, logs: Logs) -> None:
    log = logs["small-no-search right"]
    assert log.samples is not None
    assert [(sample.id, sample.epoch) for sample in log.samples] == [("sky", 1), ("sky", 2)]
    assert {sample.uuid for sample in log.samples} <= {record.run_id for record in ended.records}
    assert log.eval.config.epochs == 2


def test_accuracy_as_inspect_computes_it_is_our_pass_rate_where_nothing_is_excluded(tmp_path: Path) -> None:
    project = Project(tmp_path)
    not_passed = {"kind": "value-match", "field": "/colour", "equals": "green"}
    tasks = [make_task("sky"), make_task("sea", checks=[not_passed]), make_task("nothing", control=True)]
    project.write_catalog(tasks, agents=("oracle", "noop"), repetitions=2)
    done = project.run("catalogs")
    assert export(done.folder, "--format=inspect") == 0
    logs = read_logs(done.folder / "exports" / "inspect")
    rates = {row["agent"]: row["pass_rate"] for row in done.summary["results"]}
    assert rates == {"oracle": pytest.approx(2 / 3), "noop": 0.0}
    for agent, rate in rates.items():
        assert read_accuracy(logs[f"small-no-search {agent}"]) == pytest.approx(rate)


@pytest.mark.parametrize("agent", ["odd-broken", "unserved"])
def test_a_fault_of_infrastructure_is_an_error_without_a_score(ended: Ended, logs: Logs, agent: str) -> None:
    sample = get_sample(logs, agent)
    assert sample.error is not None
    assert sample.error.message.startswith(f"{ended.by_agent[agent].status}: ")
    assert not sample.scores
    log = logs[f"small-no-search {agent}"]
    assert log.results is not None
    assert (log.results.total_samples, log.results.completed_samples) == (2, 0)


def test_a_brief_that_nobody_judged_is_an_error_without_a_score(logs: Logs) -> None:
    (sample,) = logs["briefs-no-search right"].samples or []
    assert sample.error is not None
    assert sample.error.message == "ungraded: the judge is away"
    assert not sample.scores


@pytest.mark.parametrize("agent", ["right", "recovering", "held-back"])
def test_a_right_answer_is_correct(logs: Logs, agent: str) -> None:
    scores = get_sample(logs, agent).scores
    assert scores is not None
    assert scores["searchlight"].value == "C"


@pytest.mark.parametrize("agent", ["wrong", "odd", "stray", "late", "refuser"])
def test_all_that_counts_as_a_failure_is_incorrect_and_says_why(ended: Ended, logs: Logs, agent: str) -> None:
    scores = get_sample(logs, agent).scores
    assert scores is not None
    assert scores["searchlight"].value == "I"
    explanation = scores["searchlight"].explanation or ""
    assert explanation.startswith(f"{ended.by_agent[agent].status}: ")
    assert read_accuracy(logs[f"small-no-search {agent}"]) == 0


def test_a_score_tells_each_check_with_its_reason(logs: Logs) -> None:
    scores = get_sample(logs, "wrong").scores
    assert scores is not None
    score = scores["searchlight"]
    assert re.search(r"^wrong: value-match /colour: .*red", score.explanation or "", re.MULTILINE)
    assert [check["outcome"] for check in (score.metadata or {})["checks"]] == ["pass", "wrong"]


def test_messages_are_prompt_calls_with_their_results_and_answer(logs: Logs) -> None:
    messages = get_sample(logs, "stray").messages
    assert [message.role for message in messages] == ["user", "assistant", "tool", "assistant"]
    asked, result = messages[1], messages[2]
    assert isinstance(asked, ChatMessageAssistant)
    assert isinstance(result, ChatMessageTool)
    (call,) = asked.tool_calls or []
    assert (call.function, call.arguments, call.id) == ("shell", {"arguments": "curl"}, result.tool_call_id)
    assert "Which colour has sky?" in messages[0].text
    assert messages[3].text == '{"colour": "blue"}'


def test_a_refused_call_is_told_as_one(logs: Logs) -> None:
    result = get_sample(logs, "held-back").messages[2]
    assert isinstance(result, ChatMessageTool)
    assert result.error is not None
    assert result.error.type == "permission"


def test_tokens_and_times_are_those_of_the_run(ended: Ended, logs: Logs) -> None:
    sample, record = get_sample(logs, "spender"), ended.by_agent["spender"]
    usage = sample.model_usage["spender"]
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (600, 400, 1000)
    assert sample.total_time == record.duration_s
    assert sample.started_at is not None
    assert sample.metadata["cost"]["agent_usd"] == record.cost.agent_usd
    assert (sample.metadata["setup"], sample.metadata["status"]) == ("no-search", "graded")


def test_what_was_not_counted_is_left_out_rather_than_0(logs: Logs) -> None:
    assert get_sample(logs, "late").model_usage == {}


def test_odd_strings_survive_as_text(logs: Logs) -> None:
    result = get_sample(logs, "odd").messages[2]
    assert result.text.startswith("lone ? and \x00")


def test_the_same_session_gives_the_same_names_and_ids(ended: Ended, logs: Logs, tmp_path: Path) -> None:
    export(ended.folder, "--format=inspect", "--output", tmp_path)
    again = read_logs(tmp_path)
    assert {name: log.eval.eval_id for name, log in again.items()} == {
        name: log.eval.eval_id for name, log in logs.items()
    }
