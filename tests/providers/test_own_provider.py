"""The example of a search setup that a user's own project brings."""

from __future__ import annotations

from pathlib import Path

import pytest
from provider_stage.metered_server import read_text, start_metered

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.metering import read_metering
from pytest_searchlight.providers import (
    build_server_launch,
    classify_failure,
    collect_pins,
    compare_pin,
    price_calls,
    read_setups,
)

PROJECT = Path(__file__).parent / "own_provider"
SHIPPED = Path(__file__).parents[2] / "config"


def test_a_projects_own_server_is_started_metered_checked_and_priced_like_a_shipped_one(
    tmp_path: Path,
) -> None:
    shelf = read_setups([SHIPPED, PROJECT / "config"])["shelf"]
    launch = build_server_launch(
        shelf,
        closed_web=None,
        secrets={"SHELF_API_KEY": "pass-0123456789"},
        installs=tmp_path / "installs",
        project=PROJECT,
    )
    with start_metered(launch, tmp_path) as server:
        server.list_tools()
        assert read_text(server.call("find_book", word="plates")).startswith("The Quillmark Press")
    metering = read_metering(tmp_path / "spool")
    assert compare_pin(shelf, collect_pins(metering)) is None
    assert price_calls(shelf, metering) == (0.002, ())
    assert classify_failure(shelf, metering.calls[0]) is None


def test_it_is_not_started_without_its_key(tmp_path: Path) -> None:
    shelf = read_setups([PROJECT / "config"])["shelf"]
    with pytest.raises(SettingsError, match="needs the key SHELF_API_KEY"):
        build_server_launch(shelf, closed_web=None, secrets={}, installs=tmp_path, project=PROJECT)
    assert list(tmp_path.iterdir()) == []
