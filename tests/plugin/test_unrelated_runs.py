"""A pytest run that has nothing to do with us does not notice that we are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugin.small_project import Project

HEAVY = ("pydantic", "yaml", "jsonschema", "mcp", "httpx", "sqlite3", "pypdf", "selectolax")
TEST = f"""
import sys

def test_what_is_imported():
    ours = [name for name in sys.modules if name.startswith("pytest_searchlight.")]
    heavy = [name for name in {HEAVY} if name in sys.modules]
    assert sorted(ours) == ["pytest_searchlight.hookspecs", "pytest_searchlight.items",
                            "pytest_searchlight.items.fixtures", "pytest_searchlight.options",
                            "pytest_searchlight.plugin"]
    assert heavy == []
"""


@pytest.mark.parametrize("way", [(), ("-n2",)], ids=["bare", "n2"])
def test_nothing_heavy_is_imported(project: Project, way: tuple[str, ...]) -> None:
    project.write("test_unit.py", TEST)
    project.write_catalog(["sky"])
    done = project.run_apart(*way)
    assert done.code == 0, done.out


def test_nothing_is_printed_and_no_folder_is_made(project: Project) -> None:
    project.write("test_unit.py", "def test_unit():\n    pass\n")
    project.write("tasks.yaml", "name: no catalog\n")
    with_us = project.run("-v", "--strict-markers")
    without_us = project.run("-v", "--strict-markers", "-p", "no:searchlight")
    assert list_told(with_us.out) == list_told(without_us.out)
    assert not (project.root / ".searchlight").exists()


ASLEEP = """
import sys

def pytest_unconfigure(config):
    print("\\nawake:", "pytest_searchlight.hooks" in sys.modules)
"""


def test_the_controller_of_a_distributed_run_stays_asleep_to_its_end(project: Project) -> None:
    project.write("conftest.py", ASLEEP)
    project.write("test_unit.py", "def test_unit():\n    pass\n")
    assert "awake: False" in project.run_apart("-n2").out


def list_told(out: str) -> list[str]:
    """The lines of a run without what differs from run to run."""
    return [line for line in out.splitlines() if not line.startswith(("plugins:", "=")) and "unit" in line]
