"""Projects for the tests of the plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import Project

if TYPE_CHECKING:
    from pathlib import Path

WAYS = {"bare": (), "n0": ("-n0",), "n2": ("-n2",)}
"""The ways in which a user runs pytest."""


@pytest.fixture(params=[*WAYS.values()], ids=[*WAYS])
def way(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Arguments that run a session bare, with xdist but undistributed, and distributed."""
    arguments: tuple[str, ...] = request.param
    return arguments


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project for one test."""
    return Project(tmp_path)
