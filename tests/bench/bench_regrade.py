"""What it takes to grade a thousand stored briefs again: checks and lexical judge, bare and on two workers.

The peer is as many items of bare pytest, which grade nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from bench.bench_harness import BARE_TEST, PYTEST, Figure, Project

TASKS: Final = 20
RUNS: Final = 1_000
FACTS: Final = 6
FIELDS: Final = {"brief": {"type": "string"}, "claims": {"type": "array"}, "types": {"type": "integer"}}


def write_project(folder: Path) -> None:
    """A catalog of briefs over a closed web of one page each, and as many bare tests."""
    web = folder / "catalogs/briefs/web"
    defaults = {"agents": ["oracle"], "setups": ["no-search"], "repetitions": RUNS // TASKS}
    catalog = {
        "catalog": "briefs",
        "title": "Briefs",
        "description": "Briefs.",
        "defaults": defaults,
        "tasks": [write_task(number, web) for number in range(TASKS)],
    }
    (folder / "catalogs/briefs/tasks.yaml").write_text(yaml.safe_dump(catalog, sort_keys=False))
    (folder / "test_bare.py").write_text(BARE_TEST)


def write_task(number: int, web: Path) -> dict[str, Any]:
    """A task whose reference brief makes a claim of every fact on its page, which says more."""
    url = f"https://harbour-{number}.example/rules.html"
    facts = [f"Harbour {number} has {n + 2} cranes of type K{n} since {2000 + n}." for n in range(FACTS)]
    told = [f"<p>{fact} The report of {1990 + n} says so.</p>" for n in range(5) for fact in facts]
    page = web / f"harbour-{number}.example" / "rules.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"<h1>Harbour {number}</h1>{''.join(told)}")
    claims = [{"text": fact, "citation_urls": [url]} for fact in facts]
    return {
        "id": f"task-{number}",
        "family": "briefs",
        "prompt": f"Which cranes has harbour {number}?",
        "deliverable": {"type": "object", "required": list(FIELDS), "properties": FIELDS},
        "checks": [{"kind": "value-match", "field": "/types", "equals": FACTS}],
        "rubric": {"key_facts": [{"id": f"fact-{n}", "text": fact} for n, fact in enumerate(facts)]},
        "reference": {"excerpt": facts[0], "source": url, "event_date": "2026-01-01"},
        "reference_answer": {"brief": " ".join(facts), "claims": claims, "types": FACTS},
        "wrong_answers": [{"why": "too few", "answer": {"brief": "One.", "claims": claims[:1], "types": 1}}],
        "freshness": {"checked": "2026-11-30"},
    }


def measure() -> Iterator[Figure]:
    """A line for each way to grade."""
    with tempfile.TemporaryDirectory() as name:
        write_project(Path(name))
        project = Project(Path(name))
        project.spend(*PYTEST, "catalogs", "--searchlight-output=first")
        for workers in ((), ("-n2",)):
            bare = project.spend(*PYTEST, "test_bare.py", "-p", "no:searchlight", *workers, items=RUNS)
            ours = project.spend(
                *PYTEST, "--searchlight-regrade=first", f"--searchlight-output=again{len(workers)}", *workers
            )
            what = f"grading {RUNS:,} briefs again {' '.join(workers)}".rstrip()
            yield Figure(what, "s", 10.0, ours.wall_s, bare.wall_s, ours.cpu_s, bare.cpu_s)


def main() -> None:
    """Print the table."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load average {load} on {os.cpu_count()} cores")
    print(f"{'':40}{'bare':>10}{'ours':>10}{'bare CPU':>10}{'our CPU':>10}  goal")
    for figure in measure():
        print(figure.describe(), flush=True)


if __name__ == "__main__":
    main()
