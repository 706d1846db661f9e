from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from baseline_stage import RunBaseline

from pytest_searchlight.agents.baseline import BaselineAgent, EventStream, judge_end, read_events
from pytest_searchlight.domain import CallOutcome, RunStatus, SearchSetup, SetupKind
from pytest_searchlight.extensions import AgentTrace
from pytest_searchlight.workspace import ProcessResult


def read_answer(trace: AgentTrace) -> dict[str, object]:
    assert trace.answer_text is not None
    answer = json.loads(trace.answer_text.split("```json\n")[1].removesuffix("\n```"))
    assert isinstance(answer, dict)
    return answer


def test_it_searches_reads_answers_and_cites_through_a_real_server(run_baseline: RunBaseline) -> None:
    trace = run_baseline("fine")
    assert (trace.status, trace.reason) == (RunStatus.GRADED, "")
    answer = read_answer(trace)
    assert answer["current_release"] == "4.2.1"
    assert answer["released_on"] == "2026-10-02"
    assert answer["maintainer"] == "Íris Hjaltadóttir"
    assert answer["sources"] == ["https://tindrel.example/releases", "https://tindrel.example/about"]
    assert trace.tools_offered == ("find_pages", "read_pages")
    assert {call.tool for call in trace.tool_calls} == {"find_pages", "read_pages"}
    assert all(call.outcome is CallOutcome.OK and call.result_text for call in trace.tool_calls)
    assert {call.server for call in trace.tool_calls} == {"small-web"}
    assert len(trace.tool_calls) <= 12
    assert trace.usage.total_tokens == 0


def test_without_tools_it_knows_nothing_and_says_so(run_baseline: RunBaseline) -> None:
    trace = run_baseline(kind=SetupKind.FLOOR)
    assert trace.status is RunStatus.GRADED
    assert set(read_answer(trace).values()) == {None}
    assert (trace.tool_calls, trace.tools_offered) == ((), ())


def test_reference_material_is_answered_from_and_cited(run_baseline: RunBaseline) -> None:
    answer = read_answer(run_baseline(kind=SetupKind.CEILING))
    assert answer == {
        "current_release": "4.2.1",
        "released_on": "2026-10-02",
        "maintainer": "Íris Hjaltadóttir",
        "sources": ["https://tindrel.example/releases"],
    }


@pytest.mark.parametrize("mode", ["errors", "empty", "dies"])
def test_a_server_that_gives_nothing_leaves_every_field_null(run_baseline: RunBaseline, mode: str) -> None:
    trace = run_baseline(mode)
    assert trace.status is RunStatus.GRADED
    assert set(read_answer(trace).values()) == {None}
    outcomes = {call.outcome for call in trace.tool_calls}
    assert outcomes == {CallOutcome.OK if mode == "empty" else CallOutcome.ERROR}


def test_a_server_that_does_not_start_makes_the_setup_unavailable(run_baseline: RunBaseline) -> None:
    trace = run_baseline("broken")
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "small-web" in trace.reason
    assert trace.answer_text is None


def test_a_server_that_is_not_ready_in_time_makes_the_setup_unavailable(run_baseline: RunBaseline) -> None:
    trace = run_baseline("slow", start_timeout_s=0.5)
    assert (trace.status, "not ready within 0.5 s" in trace.reason) == (RunStatus.SETUP_UNAVAILABLE, True)


def test_a_tool_that_is_not_listed_makes_the_setup_unavailable(run_baseline: RunBaseline) -> None:
    trace = run_baseline("fine", tools=("find_pages", "deep_search"))
    assert trace.status is RunStatus.SETUP_UNAVAILABLE
    assert "deep_search" in trace.reason


def test_a_call_that_hangs_ends_as_a_timeout_with_what_happened_till_then(run_baseline: RunBaseline) -> None:
    trace = run_baseline("hangs", wall_clock_s=4.0)
    assert trace.status is RunStatus.TIMEOUT
    assert [call.outcome for call in trace.tool_calls] in ([CallOutcome.UNANSWERED], [])


def test_the_same_pages_give_the_same_answer_under_every_hash_seed(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.md"
    schema = {
        "properties": {
            "port": {"type": "integer"},
            "summary": {"type": "string"},
            "names": {"type": "array", "items": {"type": "string"}},
        }
    }
    prompt.write_text(
        "# Task\n\nPorts of Tindrel and Ferrow?\n\n# Reference material\n\nFrom https://a.example/:\n\n"
        "<reference>\nThe port of Tindrel is 7500, of Ferrow 7600.\nAlpha, Beta and Gamma use the port.\n"
        f"</reference>\n\n# Deliverable\n\nThis:\n\n```json\n{json.dumps(schema)}\n```\n"
    )
    answers = set()
    for seed in ("0", "1", "2"):
        program = [sys.executable, "-m", "pytest_searchlight.baseline"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        with prompt.open("rb") as stdin:
            finished = subprocess.run(
                program, stdin=stdin, env=environment, capture_output=True, check=True, timeout=60
            )
        answers.add(json.loads(finished.stdout.splitlines()[-1])["answer"])
    assert len(answers) == 1


def test_a_prompt_that_is_no_prompt_is_answered_with_an_empty_object() -> None:
    program = [sys.executable, "-m", "pytest_searchlight.baseline"]
    finished = subprocess.run(program, input=b"\xff\x00 hello", capture_output=True, check=True, timeout=60)
    assert json.loads(finished.stdout.splitlines()[-1])["answer"].endswith("```json\n{}\n```")


# --- the adapter -------------------------------------------------------------------------------------------


def test_it_supports_every_setup_but_built_in_search() -> None:
    agent = BaselineAgent()
    refused = [
        kind
        for kind in SetupKind
        if agent.explain_unsupported(SearchSetup(name="setup", kind=kind)) is not None
    ]
    assert refused == [SetupKind.BUILT_IN]


def make_result(path: Path, *, exit_code: int) -> ProcessResult:
    return ProcessResult(
        ended_by="exit",
        exit_code=exit_code,
        stop_reason=None,
        duration_s=1.0,
        cpu_s=1.0,
        max_rss_bytes=None,
        leftovers_killed=0,
        survivors=0,
        stdout_path=path,
        stderr_path=path,
        stderr_tail="Traceback: boom",
        limited_reach=None,
    )


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (b'{"type": "init", "tools": []}\n{"type": "res', "line 2 of the event stream is no JSON object"),
        (b'{"type": "init", "tools": []}\n[1]\n', "line 2 of the event stream is no JSON object"),
        (b"", "exit code 1 without an answer"),
    ],
    ids=["cut", "no object", "empty"],
)
def test_a_stream_without_an_answer_is_an_agent_error(tmp_path: Path, stream: bytes, reason: str) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(stream)
    status, explanation = judge_end(make_result(path, exit_code=1), read_events(path, server=None))
    assert status is RunStatus.AGENT_ERROR
    assert reason in explanation
    assert "boom" in explanation


def test_an_answer_counts_even_when_the_program_fails_after_it(tmp_path: Path) -> None:
    stream = EventStream(server=None, events=[{"type": "result", "answer": "yes"}])
    assert judge_end(make_result(tmp_path, exit_code=1), stream) == (RunStatus.GRADED, "")
