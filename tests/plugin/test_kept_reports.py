"""What pytest keeps of ten thousand runs while they go on: little, as long as they pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugin.small_project import Finished, Project

TELL_KEPT = """
def pytest_terminal_summary(terminalreporter):
    for category, reports in terminalreporter.stats.items():
        for report in reports:
            terminalreporter.write_line(f"kept {category!r} {report.when} {len(report.keywords) > 0}")
"""


def list_kept(project: Project, *args: str) -> list[str]:
    project.write("conftest.py", TELL_KEPT)
    project.write_catalog(["sky"])
    done: Finished = project.run("catalogs", *args)
    return sorted(line.removeprefix("kept ") for line in done.out.splitlines() if line.startswith("kept "))


def test_of_a_run_that_passed_one_report_is_kept(project: Project, way: tuple[str, ...]) -> None:
    assert list_kept(project, *way) == ["'passed' call False"]


def test_a_failed_run_keeps_the_report_that_says_why(project: Project, way: tuple[str, ...]) -> None:
    assert list_kept(project, "--searchlight-agent=noop", *way) == ["'failed' call True"]


def test_who_asks_for_durations_has_those_of_every_phase(project: Project, way: tuple[str, ...]) -> None:
    assert list_kept(project, "--durations=3", *way) == [
        "'' setup False",
        "'' teardown False",
        "'passed' call False",
    ]
