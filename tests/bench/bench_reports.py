"""What it takes to recompute reports: ``sew check-reports``, beside the mere parsing of the same rows.

The peer is ``json.loads`` on every line of every ``runs.jsonl``, in one process; it recomputes nothing.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from bench.bench_harness import SEW, Figure, Project
from bench.big_reports import ROWS, write_reports

REPORTS: Final = 20
PEER: Final = """
import json, pathlib
for file in pathlib.Path("reports").glob("*/runs.jsonl"):
    rows = [json.loads(line) for line in file.open("rb")]
"""


def measure() -> Figure:
    """The line of the table."""
    with tempfile.TemporaryDirectory() as name:
        write_reports(Path(name), count=REPORTS)
        project = Project(Path(name))
        peer = project.spend(sys.executable, "-c", PEER)
        ours = project.spend(SEW, "check-reports")
    what = f"checking {REPORTS} x {ROWS:,} rows"
    return Figure(what, "s", 5.0, ours.wall_s, peer.wall_s, ours.cpu_s, peer.cpu_s)


def main() -> None:
    """Print the table."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load average {load} on {os.cpu_count()} cores")
    print(f"{'':40}{'json':>10}{'ours':>10}{'json CPU':>10}{'our CPU':>10}  goal")
    print(measure().describe(), flush=True)


if __name__ == "__main__":
    main()
