"""What the harness itself costs: runs of the ``oracle`` agent beside as many items of bare pytest.

Run all with ``make bench``. Pairs take turns, so that a drift hits both alike; CPU time of all
processes stands beside wall clock, since other work on the machine disturbs it less. Times are measured
several times, and the best counts: everything that disturbs a session makes it longer. Bundles are written
to the disk, each session's to a new folder, and nothing is deleted before the end: a file system that has
just freed thousands of files takes several times as long to make new ones.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW, MANY, MOST = 200, 2_000, 10_000
TASKS = 20
SHORT_REPEATS = 9
LONG_REPEATS = 3

SEW = str(Path(sys.executable).with_name("sew"))
FOREIGN = ("no:cacheprovider", "no:anyio", "no:hypothesispytest")
"""Plugins that come with our own development tools, and cost as much here as there."""

PYTEST = (sys.executable, "-m", "pytest", "-q", "--tb=no", *(f"-p{name}" for name in FOREIGN))
SESSION = (*PYTEST, "catalogs/bench/tasks.yaml")
BARE = (*PYTEST, "test_bare.py", "-p", "no:searchlight")

BARE_TEST = """
import os, pytest
@pytest.mark.parametrize("number", range(int(os.environ["ITEMS"])))
def test_item(number):
    pass
"""
CONFTEST = """
import pathlib
def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        status = pathlib.Path("/proc/self/status").read_text()
        pathlib.Path("peak_kb").write_text(status.partition("VmHWM:")[2].split()[0])
"""
TASK = {
    "family": "colours",
    "prompt": "Which colour has the sky?",
    "deliverable": {"type": "object", "required": ["colour"], "properties": {"colour": {"type": "string"}}},
    "checks": [{"kind": "value-match", "field": "/colour", "equals": "blue"}],
    "reference": {"excerpt": "Blue.", "source": "https://sky.example/", "event_date": "2026-01-01"},
    "reference_answer": {"colour": "blue"},
    "wrong_answers": [{"why": "another colour", "answer": {"colour": "red"}}],
    "freshness": {"checked": "2026-11-30"},
}


class Spent(NamedTuple):
    """Seconds of wall clock and of CPU (all processes), and the peak memory of the process itself in kB."""

    wall_s: float
    cpu_s: float
    peak_kb: float


@dataclass(frozen=True)
class Figure:
    """A line of the table; what holds `goal` is our wall clock (or memory), in `unit`."""

    name: str
    unit: str
    goal: float
    ours: float
    bare: float | None = None
    ours_cpu: float | None = None
    bare_cpu: float | None = None

    def describe(self) -> str:
        """The line."""
        numbers = (self.bare, self.ours, self.bare_cpu, self.ours_cpu)
        cells = "".join(f"{'-':>10}" if number is None else f"{number:10.2f}" for number in numbers)
        verdict = "met" if self.ours <= self.goal else "MISSED"
        return f"{self.name:36}{self.unit:>4}{cells}  <= {self.goal:g} {verdict}"


@dataclass(frozen=True)
class Project:
    """A folder with a catalog of cheap tasks and as many bare tests."""

    folder: Path

    def prepare(self) -> None:
        """Write the files."""
        defaults = {"agents": ["oracle"], "setups": ["no-search"]}
        tasks = [{"id": f"task-{number}", **TASK} for number in range(TASKS)]
        catalog = {
            "catalog": "bench",
            "title": "Bench",
            "description": "Bench.",
            "defaults": defaults,
            "tasks": tasks,
        }
        (self.folder / "catalogs/bench").mkdir(parents=True)
        (self.folder / "catalogs/bench/tasks.yaml").write_text(yaml.safe_dump(catalog, sort_keys=False))
        (self.folder / "test_bare.py").write_text(BARE_TEST)
        (self.folder / "conftest.py").write_text(CONFTEST)

    def spend(self, *command: str, items: int = 1) -> Spent:
        """Run a command to its end."""
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            command, cwd=self.folder, env={**env, "ITEMS": str(items)}, stdout=subprocess.DEVNULL, check=True
        )
        wall_s, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        peak = self.folder / "peak_kb"
        return Spent(wall_s, cpu_s, float(peak.read_text()) if peak.exists() else 0.0)

    def run_session(self, runs: int, *options: str) -> Spent:
        """Make that many runs."""
        repetitions = f"--searchlight-repetitions={-(-runs // TASKS)}"
        return self.spend(*SESSION, repetitions, *(["-k", "task-0"] if runs == 1 else []), *options)

    def run_bare(self, items: int, *options: str) -> Spent:
        """Run as many bare tests."""
        return self.spend(*BARE, *options, items=items)


def measure() -> Iterator[Figure]:
    """All lines of the table."""
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name))
        project.prepare()
        project.run_session(1)  # compiles what is imported, as a first run on any machine does
        project.run_bare(1)
        yield _measure_start(project)
        yield _measure_unrelated(project)
        yield _measure_runs(project)
        yield _measure_collecting(project)
        yield _measure_memory(project)
        yield _measure_summary(project)


def _measure_start(project: Project) -> Figure:
    pairs = [(project.run_bare(1), project.run_session(1)) for _ in range(SHORT_REPEATS)]
    bare, ours = (_find_best(spent) for spent in zip(*pairs, strict=True))
    return Figure("session of one run", "s", 1.0, ours.wall_s, bare.wall_s, ours.cpu_s, bare.cpu_s)


def _measure_unrelated(project: Project) -> Figure:
    unrelated = (*PYTEST, "test_bare.py")
    pairs = [(project.run_bare(1), project.spend(*unrelated)) for _ in range(2 * SHORT_REPEATS)]
    bare, ours = (_find_best(spent) for spent in zip(*pairs, strict=True))
    added_ms, added_cpu_ms = 1000 * (ours.wall_s - bare.wall_s), 1000 * (ours.cpu_s - bare.cpu_s)
    return Figure("added to an unrelated pytest run", "ms", 30, added_ms, None, added_cpu_ms)


def _measure_runs(project: Project) -> Figure:
    rounds = [
        [run(items) for run in (project.run_bare, project.run_session) for items in (FEW, MANY)]
        for _ in range(LONG_REPEATS)
    ]
    few_bare, many_bare, few, many = (_find_best(spent) for spent in zip(*rounds, strict=True))
    bare_ms, bare_cpu_ms = _find_slopes_ms(few_bare, many_bare)
    ours_ms, ours_cpu_ms = _find_slopes_ms(few, many)
    return Figure("a run with its sealed bundle", "ms", 3.0, ours_ms, bare_ms, ours_cpu_ms, bare_cpu_ms)


def _find_slopes_ms(few: Spent, many: Spent) -> tuple[float, float]:
    per_run = 1000 / (MANY - FEW)
    return per_run * (many.wall_s - few.wall_s), per_run * (many.cpu_s - few.cpu_s)


def _measure_collecting(project: Project) -> Figure:
    runs = (project.run_bare, project.run_session)
    rounds = [[run(MOST, "--collect-only") for run in runs] for _ in range(LONG_REPEATS)]
    bare, ours = (_find_best(spent) for spent in zip(*rounds, strict=True))
    return Figure(f"collecting {MOST:,} runs", "s", 1.5, ours.wall_s, bare.wall_s, ours.cpu_s, bare.cpu_s)


def _measure_memory(project: Project) -> Figure:
    bare = _find_growth_kb(project.run_bare(FEW, "-n2"), project.run_bare(MOST, "-n2"))
    most = project.run_session(MOST, "-n2", "--searchlight-output=most")
    ours = _find_growth_kb(project.run_session(FEW, "-n2"), most)
    return Figure("controller's memory for a run, -n 2", "kB", 5.0, ours, bare)


def _find_growth_kb(few: Spent, most: Spent) -> float:
    return (most.peak_kb - few.peak_kb) / (MOST - FEW)


def _measure_summary(project: Project) -> Figure:
    ours = project.spend(SEW, "summarize", "most")
    return Figure(f"sew summarize of {MOST:,} runs", "s", 5.0, ours.wall_s, None, ours.cpu_s)


def _find_best(samples: tuple[Spent, ...]) -> Spent:
    return Spent(*(min(values) for values in zip(*samples, strict=True)))


def main() -> None:
    """Print the table."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load average {load} on {os.cpu_count()} cores")
    print(f"{'':40}{'bare':>10}{'ours':>10}{'bare CPU':>10}{'our CPU':>10}  goal")
    for figure in measure():
        print(figure.describe(), flush=True)


if __name__ == "__main__":
    main()
