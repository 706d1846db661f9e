"""The commands that make a session like a recorded one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.website.provenance import Provenance

_FLAGS: Final = ("calibrate", "uncalibrated", "include_expired", "tap_costs")


def list_commands(facts: Provenance) -> tuple[str, ...]:
    """Shell commands: the installation, then the session with the options that were given."""
    version = f"=={facts.searchlight_version}" if facts.searchlight_version else ""
    return f"pip install pytest-searchlight{version}", shlex.join(["pytest", *_list_arguments(facts)])


def _list_arguments(facts: Provenance) -> Iterator[str]:
    yield from facts.selection.paths
    for name, value in facts.options.items():
        option = f"--searchlight-{name.replace('_', '-')}"
        if name in _FLAGS:
            yield from [option] if value else []
        elif (text := _write_value(value)) is not None:
            yield f"{option}={text}"
    if facts.selection.keyword:
        yield from ("-k", facts.selection.keyword)
    if facts.selection.markers:
        yield from ("-m", facts.selection.markers)


def _write_value(value: JsonValue) -> str | None:
    """An option's value as it is written on a command line; None where it was not given."""
    if isinstance(value, list):
        return ",".join(map(str, value)) or None
    return None if value is None else str(value)
