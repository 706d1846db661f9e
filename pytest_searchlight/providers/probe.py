"""Starts a setup's server behind the metering proxy, once, and reads what it really advertises."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PaginatedRequestParams
from pydantic import JsonValue

from pytest_searchlight.domain import SearchSetup, ToolPin
from pytest_searchlight.errors import RunError
from pytest_searchlight.evidence import Scrubber
from pytest_searchlight.meter.spec import SECRET_WORDS
from pytest_searchlight.metering import METER_PROGRAM, Metering, read_metering
from pytest_searchlight.providers.pins import collect_pins
from pytest_searchlight.workspace.marks import end_marked_processes, mark_environment

_SHOWN_CHARS: Final = 400


def probe_server(setup: SearchSetup, *, launch: Mapping[str, JsonValue]) -> tuple[ToolPin, ...]:
    """The tools that the setup's server advertises, with their schema hashes, in its own order.

    No tool is called, so nothing is spent.

    Args:
        setup: a setup of kind ``provider``; its pin says how long the start may take.
        launch: what `build_server_launch` gave for it.

    Raises:
        RunError: the server did not start, or did not list its tools in time (``setup_unavailable``).
    """
    timeout_s = setup.server.start_timeout_s if setup.server else 0.0
    with tempfile.TemporaryDirectory(prefix="searchlight-probe-") as folder:
        spool = Path(folder, "spool")
        spool.mkdir()
        marked, mark = _mark_launch(launch, name=setup.name)
        spec = _write_spec(Path(folder, "spec.json"), launch=marked, spool=spool)
        try:
            asyncio.run(_list_tools(spec, errors=Path(folder, "stderr.log"), timeout_s=timeout_s))
        except (ExceptionGroup, MCPError, OSError, TimeoutError, ValueError) as error:
            when = f" within {timeout_s:.0f} s" if isinstance(error, TimeoutError) else ""
            metering = read_metering(spool)
            said = _scrub(_find_words(error, metering), launch=launch)
            raise _explain_failure(setup, metering, said=said, when=when) from error
        finally:
            end_marked_processes(mark)
        return collect_pins(read_metering(spool))


def _mark_launch(launch: Mapping[str, JsonValue], *, name: str) -> tuple[Mapping[str, JsonValue], str]:
    """The launch with a mark in its environment, by which all that the server leaves behind is found."""
    environment = launch.get("env")
    given = {key: str(value) for key, value in environment.items()} if isinstance(environment, dict) else {}
    marked, mark = mark_environment(given, run_id=f"probe-{name}")
    return ({**launch, "env": dict(marked)} if "command" in launch else launch), mark


def _write_spec(path: Path, *, launch: Mapping[str, JsonValue], spool: Path) -> Path:
    """The spec carries the provider's key, so nobody else may read it."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump({"server": dict(launch), "spool": str(spool)}, file)
    return path


async def _list_tools(spec: Path, *, errors: Path, timeout_s: float) -> None:
    meter = StdioServerParameters(
        command=sys.executable, args=["-I", "-S", str(METER_PROGRAM), "--spec", str(spec)]
    )
    with errors.open("w") as errlog:
        async with (
            asyncio.timeout(timeout_s),
            stdio_client(meter, errlog=errlog) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            await _turn_pages(session)


async def _turn_pages(session: ClientSession) -> None:
    """Have every page of the list of tools sent. Raises ValueError when the pages never end."""
    page = await session.list_tools()
    known: set[str] = set()
    while page.next_cursor:
        if page.next_cursor in known:
            raise ValueError(f"cursor {page.next_cursor!r} came twice, so its pages of tools never end")
        known.add(page.next_cursor)
        page = await session.list_tools(params=PaginatedRequestParams(cursor=page.next_cursor))


def _find_words(error: BaseException, metering: Metering) -> str:
    """What the server said: on stderr, by refusing the handshake, or by answers that no client can take."""
    while isinstance(error, BaseExceptionGroup):  # the client's tasks put groups around it
        error = error.exceptions[0]
    words = f"{metering.stderr_tail} {metering.start_failure or error}".split()
    return " ".join(words)[-_SHOWN_CHARS:]


def _scrub(text: str, *, launch: Mapping[str, JsonValue]) -> str:
    """`text` without keys: some servers repeat them when they refuse one."""
    tables = (launch.get(name) for name in ("env", "headers"))
    secrets = [
        str(value)
        for table in tables
        if isinstance(table, dict)
        for name, value in table.items()
        if any(word in name.upper() for word in SECRET_WORDS)
    ]
    return Scrubber(secrets)(text.encode("utf-8", "replace")).decode()


def _explain_failure(setup: SearchSetup, metering: Metering, *, said: str, when: str) -> RunError:
    return RunError(
        f"setup {setup.name!r}: its server did not list its tools{when} (reached: {metering.state}; "
        f"it said: {said or 'nothing'}); see that its command or url, its version and its key are right",
        status="setup_unavailable",
    )
