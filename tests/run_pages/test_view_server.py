"""The server of run pages: for this machine's user only, read only, and gone on Ctrl-C."""

from __future__ import annotations

import html
import http.client
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser_stage import WatchedPage
from playwright.sync_api import expect
from run_pages.staged_session import StagedSession, make_rows

from pytest_searchlight.errors import UserError
from pytest_searchlight.run_pages import PageServer, open_server

SEW = str(Path(sys.executable).with_name("sew"))
PATIENCE_S = 30.0


@pytest.fixture
def server(staged: StagedSession) -> Iterator[PageServer]:
    staged.add_rows(make_rows(3))
    with open_server(staged.folder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join(PATIENCE_S)


def ask(
    server: PageServer, path: str, *, method: str = "GET", host: str | None = None
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=PATIENCE_S)
    root = urlsplit(server.url).path.rstrip("/")
    connection.putrequest(method, root + path, skip_host=host is not None)
    if host:
        connection.putheader("Host", host)
    connection.endheaders()
    return connection.getresponse()


def test_the_first_page_and_each_run_are_served(server: PageServer) -> None:
    run_id = next(iter(make_rows(1))).run_id
    for path in ("/", "/index.html", "/?x=1", f"/runs/{run_id}.html"):
        assert ask(server, path).status == 200, path


def test_every_answer_forbids_frames_guesses_and_caches(server: PageServer) -> None:
    headers = ask(server, "/").headers
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers


def test_every_page_forbids_all_but_its_own_script_and_style(server: PageServer) -> None:
    for path in ("/", f"/runs/{next(iter(make_rows(1))).run_id}.html"):
        found = re.search(r'Policy" content="([^"]+)"', ask(server, path).read().decode())
        assert found, path
        policy = html.unescape(found[1])
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80", ""]
)
def test_who_asks_for_another_host_gets_nothing(server: PageServer, host: str) -> None:
    response = ask(server, "/", host=host)
    assert response.status == 421
    assert b"runs" not in response.read()


def test_localhost_is_our_name_too(server: PageServer) -> None:
    assert ask(server, "/", host=f"localhost:{server.server_port}").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO"])
def test_nothing_but_get_is_answered(server: PageServer, method: str) -> None:
    response = ask(server, "/", method=method)
    assert (response.status, response.headers["Allow"]) == (405, "GET")


@pytest.mark.parametrize(
    "path",
    [
        "/runs/", "/runs",  "/session.json", "/plan.jsonl", "/runs/../session.json",
        "/runs/..%2f..%2fsession.json", "/templates/run.js", "/%2e%2e/plan.jsonl",
        "/runs/%00.html", "//etc/passwd", "/runs//etc/passwd.html", "/attempts/../runs/x.html", "/runs/.html",
    ],
)  # fmt: skip
def test_no_path_leads_anywhere_but_to_a_page(server: PageServer, path: str) -> None:
    assert ask(server, path).status == 404


@pytest.mark.parametrize("path", ["", "/", "/index.html", "/x/", "/%C3%BC/", "*"])
def test_without_the_key_of_the_address_there_is_no_page(server: PageServer, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=PATIENCE_S)
    connection.putrequest("GET", path)
    connection.endheaders()
    response = connection.getresponse()
    assert (response.status, response.read()) == (404, b"There is no such page.\n")


def test_the_server_listens_on_this_machine_only(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_a_session_that_becomes_unreadable_is_told(server: PageServer, staged: StagedSession) -> None:
    staged.folder.plan_file.write_text("{torn")
    response = ask(server, "/")
    assert (response.status, response.headers["Content-Type"]) == (500, "text/plain; charset=utf-8")
    assert b"not a readable plan" in response.read()


def test_a_run_that_is_sealed_meanwhile_is_there_at_the_next_look(
    page: WatchedPage, server: PageServer, staged: StagedSession
) -> None:
    shown = page.open(server.url)
    expect(shown.get_by_role("status")).to_contain_text("3 of 3 runs")
    run_id = staged.add_run()
    shown.reload()
    expect(shown.get_by_role("status")).to_contain_text("4 of 4 runs")
    shown.get_by_label("Text").fill(run_id)
    shown.locator("#runs").get_by_role("link").click()
    expect(shown.get_by_role("heading", level=1)).to_have_text("sky under shop")
    expect(shown.locator(".copies code").first).to_have_text(str(staged.folder.runs / run_id))


def test_a_port_that_is_taken_is_told(server: PageServer, staged: StagedSession) -> None:
    with pytest.raises(UserError, match=r"cannot listen there.*--port"):
        open_server(staged.folder, port=server.server_port)


def test_sew_view_serves_until_ctrl_c(staged: StagedSession) -> None:
    staged.add_rows(make_rows(2))
    command = (SEW, "view", str(staged.folder.root), "--no-browser")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as sew:
        assert sew.stdout
        line = sew.stdout.readline()
        address = line.split()[1]
        place = urlsplit(address)
        connection = http.client.HTTPConnection(place.netloc, timeout=PATIENCE_S)
        connection.request("GET", place.path)
        assert connection.getresponse().status == 200
        sew.send_signal(signal.SIGINT)
        out, err = sew.communicate(timeout=PATIENCE_S)
    assert (sew.returncode, out, err) == (0, "\nended\n", "")


@pytest.mark.parametrize(("plan", "code"), [(None, 2), ("{torn", 1)])
def test_sew_view_of_what_is_no_session_is_one_sentence(tmp_path: Path, plan: str | None, code: int) -> None:
    if plan:
        (tmp_path / "session.json").write_text("{}")
        (tmp_path / "plan.jsonl").write_text(plan)
    done = subprocess.run(
        (SEW, "view", str(tmp_path)), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == code
    assert done.stderr.startswith("sew: ")
