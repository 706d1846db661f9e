"""The example of a project with a search server, an agent and a catalog of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from plugin.small_project import Project
from provider_stage.metered_server import read_text, start_metered

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.metering import read_metering
from pytest_searchlight.providers import (
    SETUPS_FILE,
    build_server_launch,
    classify_failure,
    collect_pins,
    compare_pin,
    price_calls,
    read_setups,
)

EXAMPLE = Path(__file__).parent / "own_project"
SHIPPED = Path(__file__).parents[2] / "config"
PASS = "pass-0123456789"


@pytest.fixture
def own_project(tmp_path: Path) -> Project:
    """A copy of the example, with its key."""
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "project"))
    return Project(root, env={"SHELF_API_KEY": PASS})


def test_a_projects_own_server_is_started_metered_checked_and_priced_like_a_shipped_one(
    tmp_path: Path,
) -> None:
    shelf = read_setups([SHIPPED, EXAMPLE / "config"])["shelf"]
    launch = build_server_launch(
        shelf,
        closed_web=None,
        secrets={"SHELF_API_KEY": PASS},
        installs=tmp_path / "installs",
        project=EXAMPLE,
    )
    with start_metered(launch, tmp_path) as server:
        server.list_tools()
        assert read_text(server.call("find_book", word="plates")).startswith("The Quillmark Press")
    metering = read_metering(tmp_path / "spool")
    assert compare_pin(shelf, collect_pins(metering)) is None
    assert price_calls(shelf, metering) == (0.002, ())
    assert classify_failure(shelf, metering.calls[0]) is None


def test_it_is_not_started_without_its_key(tmp_path: Path) -> None:
    shelf = read_setups([EXAMPLE / "config"])["shelf"]
    with pytest.raises(SettingsError, match="needs the key SHELF_API_KEY"):
        build_server_launch(shelf, closed_web=None, secrets={}, installs=tmp_path, project=EXAMPLE)
    assert list(tmp_path.iterdir()) == []


def test_its_agent_finds_with_the_projects_own_search_what_it_cannot_know_without(
    own_project: Project,
) -> None:
    done = own_project.run_apart("--searchlight-setup=shelf,no-search", "--searchlight-agent=librarian")
    assert done.code == 1, done.out + done.err
    with_shelf, without = done.get_row(setup="shelf"), done.get_row(setup="no-search")
    assert (with_shelf["status"], with_shelf["passed"]) == ("graded", True)
    assert (with_shelf["provider_calls"], with_shelf["cost"]["provider_usd"]) == (1, 0.002)
    assert (without["status"], without["passed"]) == ("graded", False)
    assert own_project.list_leftovers() == []


def test_a_server_that_no_longer_advertises_what_is_pinned_stops_the_session_with_the_difference(
    own_project: Project,
) -> None:
    config = own_project.root / "config" / SETUPS_FILE
    config.write_text(config.read_text().replace("find_book", "find_volume"))
    done = own_project.run_apart("--searchlight-setup=shelf")
    assert done.code == 4
    assert "+ find_book: advertised, but not pinned" in done.err
    assert "sew pin shelf" in done.err
    assert own_project.list_sessions() == []
