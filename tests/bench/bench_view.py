"""How soon a list of 5,000 runs can be used: from navigation until a first filter has taken effect.

The peer is a bare page with the same data, which draws the same hundred rows and has one filter. Pages take
turns in one browser, so that a drift hits them alike; both columns are medians, and hold what it takes to
drive the browser from outside.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page, sync_playwright
from run_pages.staged_session import StagedSession, make_rows, open_staged_session

from pytest_searchlight.run_pages import open_server

RUNS = 5_000
REPEATS = 9
GOAL_S = 1.0

BARE = """<!doctype html><meta charset="utf-8"><label>Setup <select id="setup"></select></label>
<p role="status"></p><table></table><script type="application/json" id="data">%s</script><script>
const data = JSON.parse(document.getElementById("data").textContent);
const select = document.getElementById("setup");
const setup = data.columns.indexOf("setup");
select.append(new Option("", ""), ...data.names.setup.map((name, place) => new Option(name, place)));
function show() {
  const found = data.rows.filter((row) => !select.value || row[setup] === Number(select.value));
  const rows = found.slice(0, 100).map((row) => {
    const line = document.createElement("tr");
    for (const value of row) line.insertCell().textContent = value;
    return line;
  });
  document.querySelector("table").replaceChildren(...rows);
  document.querySelector("p").textContent = `${found.length.toLocaleString("en")} of ${data.rows.length}`;
}
select.addEventListener("change", show);
show();
</script>"""


class Figure(NamedTuple):
    """A line of the table, in seconds."""

    name: str
    bare_s: float
    ours_s: float

    def describe(self) -> str:
        """The line."""
        verdict = "met" if self.ours_s <= GOAL_S else "MISSED"
        ratio = self.ours_s / self.bare_s
        return f"{self.name:36}{self.bare_s:10.2f}{self.ours_s:10.2f}{ratio:9.1f}x  <= {GOAL_S:g} s {verdict}"


def measure() -> Iterator[Figure]:
    """All lines of the table."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        staged = open_staged_session(Path(name) / "session")
        staged.add_rows(make_rows(RUNS))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield from _measure_pages(staged, browser.new_page())
        browser.close()


def _measure_pages(staged: StagedSession, page: Page) -> Iterator[Figure]:
    file = staged.write_pages("index.html")
    bare = _write_bare(file)
    with open_server(staged.folder) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        addresses = (bare.as_uri(), file.as_uri(), server.url)
        rounds = [[_use(page, address) for address in addresses] for _ in range(REPEATS)]
        server.shutdown()
        thread.join()
    bare_s, file_s, served_s = (statistics.median(times) for times in zip(*rounds, strict=True))
    yield Figure(f"{RUNS:,} runs, from a file", bare_s, file_s)
    yield Figure(f"{RUNS:,} runs, served from evidence", bare_s, served_s)


def _write_bare(page: Path) -> Path:
    data = page.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0]
    bare = page.with_name("bare.html")
    bare.write_text(BARE % data, encoding="utf-8")
    return bare


def _use(page: Page, address: str) -> float:
    """Seconds from navigation to the first filter's effect."""
    page.goto("about:blank")
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator("#setup").select_option(label="exa" if "bare" in address else "exa (1,000)")
    page.get_by_role("status").filter(has_text="1,000 of").wait_for()
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load average {load} on {os.cpu_count()} cores")
    print(f"{'first filter in a list of runs':36}{'bare s':>10}{'ours s':>10}{'ratio':>10}  goal")
    for figure in measure():
        print(figure.describe(), flush=True)


if __name__ == "__main__":
    main()
