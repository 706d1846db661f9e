"""What it takes to build a site: `sew build-site` and `--check`, beside the mere drawing of as many charts.

The peer draws one error-bar chart for each chart of the site with matplotlib's own axes, in one process; it
reads no report and writes no page.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.bench_harness import SEW, Figure, Project, Spent
from bench.big_reports import ROWS, write_reports

if TYPE_CHECKING:
    from collections.abc import Iterator

REPORTS: Final = 20
PEER: Final = """
import io, sys
from matplotlib.figure import Figure
for _ in range(int(sys.argv[1])):
    axes = Figure(figsize=(9, 4)).add_subplot()
    axes.errorbar([0.5] * 10, [str(row) for row in range(10)], xerr=0.2, fmt="o")
    axes.figure.savefig(io.StringIO(), format="svg")
"""


def measure() -> Iterator[Figure]:
    """The lines of the table."""
    with tempfile.TemporaryDirectory() as name:
        write_reports(Path(name), count=REPORTS)
        project = Project(Path(name))
        ours = project.spend(SEW, "build-site")
        charts = sum(page.read_text().count("<figure>") for page in Path(name, "site").rglob("*.html"))
        peer = project.spend(sys.executable, "-c", PEER, str(charts))
        yield _describe(f"site of {REPORTS} x {ROWS:,} rows, {charts} charts", ours, peer)
        yield _describe("its --check", project.spend(SEW, "build-site", "--check"), peer)


def _describe(what: str, ours: Spent, peer: Spent) -> Figure:
    # The CPU time is of the process that was started; those that it starts for many reports are not in it.
    return Figure(what, "s", 5.0, ours.wall_s, peer.wall_s, None, peer.cpu_s)


def main() -> None:
    """Print the table."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load average {load} on {os.cpu_count()} cores")
    print(f"{'':40}{'charts':>10}{'ours':>10}{'chart CPU':>10}{'our CPU':>10}  goal")
    for figure in measure():
        print(figure.describe(), flush=True)


if __name__ == "__main__":
    main()
