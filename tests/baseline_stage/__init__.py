"""What the tests of the embedded agent play with: a task, and a small web behind a real MCP server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from pydantic import JsonValue

from pytest_searchlight.domain import Task
from pytest_searchlight.extensions import AgentTrace, McpServer

SERVER = Path(__file__).with_name("small_web_server.py")
PROPERTIES: dict[str, JsonValue] = {
    "current_release": {"type": ["string", "null"], "description": "Version number of the current release"},
    "released_on": {"type": ["string", "null"], "format": "date", "description": "Date of that release"},
    "maintainer": {"type": ["string", "null"], "description": "Name of the maintainer"},
    "sources": {"type": ["array", "null"], "items": {"type": "string", "format": "uri"}},
}

RunBaseline = Callable[..., AgentTrace]
"""Runs the agent through its adapter against the small web in a given mode."""


def make_task(*, wall_clock_s: float = 60.0) -> Task:
    return Task.model_validate(
        {
            "id": "tindrel-release",
            "family": "typed-facts",
            "prompt": "Which is the current release of Tindrel, when was it released, who maintains Tindrel?",
            "deliverable": {"type": "object", "properties": PROPERTIES},
            "reference": {
                "excerpt": "Tindrel 4.2.1 is the current release.\nIt was released on 2 October 2026.\n"
                "Maintainer of Tindrel: Íris Hjaltadóttir",
                "source": "https://tindrel.example/releases",
                "event_date": "2026-10-02",
            },
            "reference_answer": {"current_release": "4.2.1"},
            "wrong_answers": [{"why": "spam", "answer": {"current_release": "9.9.9"}}],
            "freshness": {"checked": "2026-11-30"},
            "budgets": {"wall_clock_s": wall_clock_s},
        }
    )


def make_server(mode: str, *, tools: tuple[str, ...], start_timeout_s: float) -> McpServer:
    command = (sys.executable, str(SERVER), mode)
    return McpServer(name="small-web", command=command, tools=tools, start_timeout_s=start_timeout_s)
