"""The map in CONTRIBUTING.md names every room, and none that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest_searchlight

PACKAGE = Path(pytest_searchlight.__file__).parent
MAP = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_map_names_every_room_once_and_no_other() -> None:
    rows = [line.split("|")[1] for line in MAP.read_text("utf-8").splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    rooms = {path.name for path in PACKAGE.glob("[!_]*.py")}
    rooms |= {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(named) == sorted(rooms)
