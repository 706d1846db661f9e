"""A scripted model for any catalog: it searches, reads the source, and then knows the reference answer.

It shows that everything around a model works; it says nothing about how well anything searches. Without a
tool and without reference material it declines, and it gets every fifth task wrong, so that a result table
has failures to show.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from pytest_searchlight.domain import Task
from scripted_model.script import (
    LIST_TOOLS,
    Answer,
    CallTool,
    ModelRequest,
    RunCode,
    Script,
    SearchResults,
    Step,
)

_SERVER_TOOL: Final = re.compile(r"mcp__(?P<server>[\w-]+?)__(?P<tool>web_search|web_fetch)\b")
_WRONG_EVERY: Final = 5


def play_catalog(tasks: Sequence[Task]) -> Script:
    """The script of a model that is asked the tasks of a catalog, in any order and any number at once."""

    def choose_step(request: ModelRequest) -> Step:
        if request.kind == "web-search":
            return SearchResults(pages=())
        asked = json.dumps(request.body, ensure_ascii=False)
        number, task = _find_task(tasks, asked)
        code_mode = "functions__exec" in request.tools
        if code_mode and request.turn == 0:
            return LIST_TOOLS
        offered = _find_server_tools(request, asked=asked, code_mode=code_mode)
        calls = _plan_calls(task, offered=offered, code_mode=code_mode)
        turn = request.turn - code_mode
        if turn < len(calls):
            return calls[turn]
        knows = bool(calls) or "<reference>" in asked
        return Answer(text=_write_answer(task, knows=knows, wrong=number % _WRONG_EVERY == _WRONG_EVERY - 1))

    return choose_step


def _find_task(tasks: Sequence[Task], asked: str) -> tuple[int, Task]:
    for number, task in enumerate(tasks):
        if json.dumps(task.prompt, ensure_ascii=False)[1:-1] in asked:
            return number, task
    raise LookupError("the model was asked something that is in no task of the catalog")


def _find_server_tools(request: ModelRequest, *, asked: str, code_mode: bool) -> dict[str, str]:
    """The server's name by tool; code-mode models were told on asking, so it is in the conversation."""
    named = asked if code_mode else " ".join(request.tools)
    return {match["tool"]: match["server"] for match in _SERVER_TOOL.finditer(named)}


def _plan_calls(task: Task, *, offered: dict[str, str], code_mode: bool) -> list[Step]:
    source = task.reference.source if task.reference else "https://example.com/"
    wanted = {"web_search": {"query": task.prompt[:200]}, "web_fetch": {"url": source}}
    return [
        _call(tool, arguments, server=offered[tool], code_mode=code_mode)
        for tool, arguments in wanted.items()
        if tool in offered
    ]


def _call(tool: str, arguments: dict[str, str], *, server: str, code_mode: bool) -> Step:
    if code_mode:
        name = re.sub(r"\W", "_", f"mcp__{server}__{tool}")
        return RunCode(source=f"text(JSON.stringify(await tools.{name}({json.dumps(arguments)})))")
    return CallTool(tool=tool, server=server, arguments=arguments)


def _write_answer(task: Task, *, knows: bool, wrong: bool) -> str:
    deliverable = task.reference_answer
    if not knows:
        properties = task.deliverable.get("properties")
        deliverable = dict.fromkeys(properties if isinstance(properties, dict) else ())
    elif wrong:
        deliverable = task.wrong_answers[0].answer
    return f"Here it is.\n\n```json\n{json.dumps(deliverable, ensure_ascii=False, indent=1)}\n```"
