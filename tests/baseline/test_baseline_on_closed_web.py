from __future__ import annotations

import sys
from pathlib import Path

from baseline_stage import RunBaseline

from pytest_searchlight.domain import RunStatus
from pytest_searchlight.extensions import McpServer

RELEASES = """<html><head><title>Tindrel releases</title></head><body>
<h1>Releases of Tindrel</h1>
<p>The current release of Tindrel is <b>4.2.1</b>, released on 2 October 2026.</p>
<dl><dt>Maintainer</dt><dd>Íris Hjaltadóttir</dd></dl>
</body></html>"""


def test_it_answers_from_a_closed_web_and_cites_the_page(tmp_path: Path, run_baseline: RunBaseline) -> None:
    page = tmp_path / "web" / "tindrel.example" / "releases.html"
    page.parent.mkdir(parents=True)
    page.write_text(RELEASES, encoding="utf-8")
    web = McpServer(
        name="closed-web",
        command=(sys.executable, "-m", "pytest_searchlight.closed_web", "--web", str(tmp_path / "web")),
        tools=("web_search", "web_fetch"),
        start_timeout_s=60.0,
    )
    trace = run_baseline(server=web)
    assert (trace.status, trace.reason) == (RunStatus.GRADED, "")
    assert trace.answer_text is not None
    for part in ("4.2.1", "2026-10-02", "Íris Hjaltadóttir", "https://tindrel.example/releases.html"):
        assert part in trace.answer_text
