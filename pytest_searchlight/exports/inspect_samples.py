"""A run as a sample of an Inspect log: its messages, score or error, tokens and times, from its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from inspect_ai.log import EvalError, EvalSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import CORRECT, INCORRECT, Score
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.tool import ToolCallError
from pydantic import JsonValue

from pytest_searchlight.domain import STATUS_RULES, CallOutcome, RunRecord, ToolCall, Usage, Verdict
from pytest_searchlight.evidence import SealedBundle

SCORER: Final = "searchlight"
_METADATA: Final = (
    "run_id",
    "family",
    "control",
    "tags",
    "agent",
    "agent_version",
    "setup",
    "setup_kind",
    "status",
    "attempts",
    "flags",
    "provider_calls",
    "provider_latencies_s",
    "cost",
    "searching",
)


def make_sample(bundle: SealedBundle, record: RunRecord) -> EvalSample:
    """The sample of a run that was made.

    A run that counts has a score, also where its status is why it failed; one that does not has an error
    and no score, so that Inspect leaves it out of its metrics as we leave it out of ours.
    """
    prompt, answer = bundle.read_text("prompt.md"), bundle.read_text("answer.txt")
    model = name_model(record)
    counts = STATUS_RULES[record.status].counts
    return EvalSample(
        id=record.task,
        epoch=record.repetition,
        uuid=record.run_id,
        input=prompt,
        target="",
        messages=list(_list_messages(bundle, record)),
        output=ModelOutput.from_content(model, answer),
        scores={SCORER: _make_score(bundle, record, answer)} if counts else None,
        error=None if counts else _make_error(record),
        metadata=_select_metadata(bundle, record),
        model_usage=_count_tokens(record.usage, model=model),
        total_time=record.duration_s,
        **_tell_times(record),
    )


def name_model(record: RunRecord) -> str:
    """What stands for the model in Inspect: the agent with its model."""
    return f"{record.agent}/{record.model_name}" if record.model_name else record.agent


# --- messages --------------------------------------------------------------------------------------------


def _list_messages(bundle: SealedBundle, record: RunRecord) -> Iterator[ChatMessage]:
    """Prompt, each tool call with its result, answer: what every agent's evidence tells alike."""
    model = name_model(record)
    if prompt := bundle.read_text("prompt.md"):
        yield ChatMessageUser(id=f"{record.run_id}.prompt", content=prompt, source="input")
    for number, line in enumerate(_read_clean(bundle, "tool_calls.jsonl"), start=1):
        call, key = ToolCall.model_validate(line), f"{record.run_id}.call-{number}"
        asked = InspectCall(id=key, function=call.tool, arguments=_name_arguments(call.arguments))
        yield ChatMessageAssistant(id=f"{key}.asked", content="", model=model, tool_calls=[asked])
        yield _make_result(call, key=key)
    if answer := bundle.read_text("answer.txt"):
        yield ChatMessageAssistant(id=f"{record.run_id}.answer", content=answer, model=model)


def _name_arguments(arguments: JsonValue) -> dict[str, Any]:
    if arguments is None:
        return {}
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _make_result(call: ToolCall, *, key: str) -> ChatMessageTool:
    return ChatMessageTool(
        id=f"{key}.result",
        tool_call_id=key,
        function=call.tool,
        content=call.result_text or call.error_text or "",
        error=_make_call_error(call),
        metadata=call.model_dump(mode="json", include={"server", "executed", "started_s", "duration_s"}),
    )


def _make_call_error(call: ToolCall) -> ToolCallError | None:
    message = call.error_text or f"the call was {call.outcome}"
    match call.outcome:
        case CallOutcome.OK:
            return None
        case CallOutcome.REFUSED:
            return ToolCallError("permission", message)
        case CallOutcome.CANCELLED:
            return ToolCallError("cancelled", message)
        case _:
            return ToolCallError("unknown", message)


# --- score and error -------------------------------------------------------------------------------------


def _make_score(bundle: SealedBundle, record: RunRecord, answer: str) -> Score:
    verdicts = [Verdict.model_validate(verdict) for verdict in _read_verdicts(bundle)]
    checks = [_describe_check(verdict) for verdict in verdicts]
    return Score(
        value=CORRECT if record.passed else INCORRECT,
        answer=answer,
        explanation="\n".join([f"{record.status}: {record.reason}".rstrip(": "), *checks]),
        metadata={"checks": [verdict.model_dump(mode="json") for verdict in verdicts]},
    )


def _describe_check(verdict: Verdict) -> str:
    return f"{verdict.outcome}: {verdict.kind} {verdict.target}".rstrip() + f": {verdict.reason}"


def _read_verdicts(bundle: SealedBundle) -> list[Any]:
    return [verdict for score in _read_clean(bundle, "verdicts.json") for verdict in score["verdicts"]]


def _make_error(record: RunRecord) -> EvalError:
    return EvalError(message=f"{record.status}: {record.reason}", traceback="", traceback_ansi="")


# --- facts -----------------------------------------------------------------------------------------------


def _select_metadata(bundle: SealedBundle, record: RunRecord) -> dict[str, Any]:
    findings = [finding for findings in _read_clean(bundle, "audit.json") for finding in findings]
    return {**record.model_dump(mode="json", include=set(_METADATA)), "audit": findings}


def _count_tokens(usage: Usage, *, model: str) -> dict[str, ModelUsage]:
    """Tokens in Inspect's classes, where reasoning is part of the output; nothing where they are unknown."""
    if usage.input_tokens is None or usage.output_tokens is None or usage.total_tokens is None:
        return {}
    counted = ModelUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens + (usage.reasoning_tokens or 0),
        total_tokens=usage.total_tokens,
        input_tokens_cache_read=usage.cached_input_tokens,
        input_tokens_cache_write=usage.cache_write_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )
    return {model: counted}


def _tell_times(record: RunRecord) -> dict[str, str]:
    if record.started_at is None:
        return {}
    ended = datetime.fromisoformat(record.started_at) + timedelta(seconds=record.duration_s or 0.0)
    return {"started_at": record.started_at, "completed_at": ended.isoformat()}


def _read_clean(bundle: SealedBundle, name: str) -> list[Any]:
    """Lines of a JSON-lines file; lone surrogates, which a log cannot hold, become question marks."""
    text = bundle.read_text(name)
    return [_clean(json.loads(line)) for line in text.split("\n") if line]


def _clean(value: object) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
