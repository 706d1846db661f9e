"""The optional tap between a node server and its API: recovers a reported spend that the server drops."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import JsonValue, ValidationError

from pytest_searchlight.domain import TappedSpend

TAPPED_SPEND: Final = "tapped_spend.jsonl"
"""The tap's file in a run's evidence, under ``wire/``."""

_SCRIPT: Final = Path(__file__).with_name("spend_tap.cjs")


def tap_launch(launch: Mapping[str, JsonValue], *, record: Path) -> dict[str, JsonValue]:
    """`launch` with the tap in place, writing to `record`; unchanged for servers that node does not run.

    The server's requests and answers stay as they are. The tap sees what goes through node's own `fetch`.
    """
    command, environment = launch.get("command"), launch.get("env")
    if not isinstance(command, list) or not isinstance(environment, dict):
        return dict(launch)
    if Path(str(command[0])).name != "node":
        return dict(launch)
    options = f'{environment.get("NODE_OPTIONS", "")} --require="{_SCRIPT}"'.strip()
    return {
        **launch,
        "env": {**environment, "NODE_OPTIONS": options, "SEARCHLIGHT_TAP_FILE": str(record)},
    }


def read_tapped_spend(record: Path) -> tuple[TappedSpend, ...]:
    """What the tap noted, in the order of the answers; nothing when it noted nothing."""
    if not record.is_file():
        return ()
    found = []
    for line in record.read_bytes().split(b"\n"):
        try:
            found.append(TappedSpend.model_validate_json(line))
        except ValidationError:
            continue  # the last line of a server that was killed while it wrote, or the end of the file
    return tuple(found)
