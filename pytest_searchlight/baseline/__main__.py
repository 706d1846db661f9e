"""``python -m pytest_searchlight.baseline``: prompt on standard input, events on standard output."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_searchlight import __version__
from pytest_searchlight.baseline.assignment import Assignment, read_assignment
from pytest_searchlight.baseline.events import EventStream
from pytest_searchlight.baseline.filling import fill_deliverable
from pytest_searchlight.baseline.hits import find_day
from pytest_searchlight.baseline.pages import Page

if TYPE_CHECKING:
    from pytest_searchlight.baseline.server import ServerConfig

MAX_CALLS: Final = 12
EXIT_SERVER_UNAVAILABLE: Final = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the agent once. Returns the exit code: 0, or 3 when the server's tools are not there."""
    options = _parse_options(arguments)
    assignment = read_assignment(sys.stdin.buffer.read().decode("utf-8", "replace"))
    events = EventStream(sys.stdout)
    pages = _read_reference(assignment)
    if options.mcp_config is None:
        events.report_start(version=__version__, server=None, tools=[])
    else:
        problem = _research(
            assignment, pages, events, config_path=options.mcp_config, max_calls=options.max_calls
        )
        if problem:
            sys.stderr.write(f"{problem}\n")
            return EXIT_SERVER_UNAVAILABLE
    events.report_answer(compose_answer(assignment, pages))
    return 0


def compose_answer(assignment: Assignment, pages: Sequence[Page]) -> str:
    """The final message: a sentence on what it rests on, and the deliverable as a fenced JSON object."""
    deliverable = fill_deliverable(assignment, pages)
    total = len(assignment.schema.get("properties", {}))
    if not pages:
        summary = "I found nothing to answer from, so every field is null."
    else:
        summary = f"I read {len(pages)} page(s); {len(deliverable.open_fields)} of {total} fields stay null."
    body = json.dumps(deliverable.value, ensure_ascii=False, indent=2)
    return f"{summary}\n\n```json\n{body}\n```"


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="baseline", description=__doc__)
    parser.add_argument(
        "--mcp-config", type=Path, help="JSON: name, command, tools, start_timeout_s of the one server"
    )
    parser.add_argument(
        "--max-calls", type=int, default=MAX_CALLS, help="most tool calls to make (default: %(default)s)"
    )
    return parser.parse_args(arguments)


def _read_reference(assignment: Assignment) -> list[Page]:
    """Reference material in the prompt is a page like any other, and about the task by definition."""
    return [
        Page(
            url=passage.url,
            title="",
            topic=assignment.task,
            text=passage.text,
            day=find_day(passage.text.splitlines()[:1]),
        )
        for passage in assignment.references
    ]


def _research(
    assignment: Assignment, pages: list[Page], events: EventStream, *, config_path: Path, max_calls: int
) -> str:
    """Add what the server's tools find to `pages`; returns why that is impossible, or an empty string."""
    # Imported here because the MCP SDK takes most of a second, and most setups have no server.
    import anyio
    from mcp import ClientSession

    from pytest_searchlight.baseline.research import Researcher
    from pytest_searchlight.baseline.server import ServerToolbox, ServerUnavailableError, use_server
    from pytest_searchlight.baseline.tools import Tool

    config = _read_config(config_path)

    async def work(session: ClientSession, tools: list[Tool]) -> None:
        events.report_start(version=__version__, server=config.name, tools=[tool.name for tool in tools])
        toolbox = ServerToolbox(session, tools, events=events, max_calls=max_calls)
        pages[:] = await Researcher(assignment, toolbox, pages).research()

    try:
        anyio.run(use_server, config, work)
    except ServerUnavailableError as error:
        events.report_start(version=__version__, server=config.name, tools=[], problem=str(error))
        return str(error)
    return ""


def _read_config(path: Path) -> ServerConfig:
    from pytest_searchlight.baseline.server import ServerConfig

    content = json.loads(path.read_text("utf-8"))
    return ServerConfig(
        name=content["name"],
        command=tuple(content["command"]),
        tools=tuple(content["tools"]),
        start_timeout_s=float(content["start_timeout_s"]),
    )


if __name__ == "__main__":
    sys.exit(main())
