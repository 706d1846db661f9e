"""An MCP client searches and reads the quickstart's web over standard input and output."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, ListToolsResult, TextContent
from pydantic import JsonValue

QUICKSTART_WEB = Path(__file__).parents[2] / "catalogs" / "quickstart" / "web"
TIMEOUT_S = 60.0

Call = Callable[..., CallToolResult]


class Client:
    """One session with the server, used from ordinary tests."""

    def __init__(self, call: Callable[..., CallToolResult], tools: ListToolsResult) -> None:
        self.call = call
        self.tools = tools

    def read(self, tool: str, **arguments: JsonValue) -> str:
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    def fail(self, tool: str, **arguments: JsonValue) -> str:
        result = self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@asynccontextmanager
async def open_session(web: Path, cache: Path) -> AsyncIterator[ClientSession]:
    arguments = ["-m", "pytest_searchlight.closed_web", "--web", str(web), "--cache", str(cache)]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        with anyio.fail_after(TIMEOUT_S):
            await session.initialize()
        yield session


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    opening = open_session(QUICKSTART_WEB, tmp_path_factory.mktemp("cache"))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as session:

        async def call(tool: str, arguments: dict[str, JsonValue]) -> CallToolResult:
            with anyio.fail_after(TIMEOUT_S):
                return await session.call_tool(tool, arguments)

        tools = portal.call(session.list_tools)
        yield Client(lambda tool, **arguments: portal.call(call, tool, arguments), tools)


def test_the_server_offers_search_and_fetch_with_described_arguments(client: Client) -> None:
    tools = {tool.name: tool for tool in client.tools.tools}
    assert set(tools) == {"web_search", "web_fetch"}
    assert set(tools["web_search"].input_schema["properties"]) == {"query", "max_results"}
    assert set(tools["web_fetch"].input_schema["properties"]) == {"url", "max_chars", "start"}
    for tool in tools.values():
        assert tool.description
        assert all("description" in field for field in tool.input_schema["properties"].values())


def test_a_search_gives_ranked_hits_with_address_date_and_passage(client: Client) -> None:
    text = client.read("web_search", query="erratum maximum nesting depth HIC-714", max_results=3)
    assert [line[:3] for line in text.split("\n") if line[:1].isdigit()] == ["1. ", "2. ", "3. "]
    assert "URL: https://harrowcouncil.example/standards/hic-714-ed3-erratum-1.txt" in text
    assert "Date: 2026-09-02" in text
    assert "nested" in text


def test_a_search_without_hits_says_so(client: Client) -> None:
    assert client.read("web_search", query="zyxwvut") == "No results for: zyxwvut"


def test_equal_searches_give_equal_answers(client: Client) -> None:
    answers = {client.read("web_search", query="quillmesh maximum frame size") for _ in range(3)}
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("url", "content_type", "passage"),
    [
        ("https://docs.quillmesh.example/6/limits.html", "text/html", "| Maximum frame size | 24 MiB |"),
        ("https://quillmesh.example/pricing.html", "text/html", "Small cluster is 12 MiB"),
        ("https://ferrowick.example/docs/limits.html", "text/html", "Not published."),
        ("https://pellucid-db.example/lifecycle.html", "text/html", "Drivers of release 11 keep"),
        ("https://harrowcouncil.example/standards/hic-714-ed3.pdf", "application/pdf", "depth of 40 levels"),
        ("https://registry.pkgloom.test/api/packages/sedgeline.json", "application/json", '"yanked": true'),
        (
            "https://harrowcouncil.example/standards/hic-714-ed3-erratum-1.txt",
            "text/plain",
            'Replace "40" by "48"',
        ),
        ("https://osskarn.example/minutes/2026-11-09.md", "text/markdown", "Emeka Thornbury"),
        ("https://kumoshiro.example/company.html", "text/html", "紫藤 まひろ"),
        ("https://drosselwerk.example/impressum.html", "text/html; charset=ISO-8859-1", "Möhlenwarft"),
        ("https://drosselwerk.example/", "text/html", "größere Räume"),
        ("https://tides.norrvik.test/stations.json", "application/json", "Grýtavik"),
        ("https://tides.norrvik.test/archive/", "text/html", "no longer exists"),
        ("https://archive.longstack.test/empty.html", "text/html", "[The page has no text here.]"),
    ],
)
def test_every_sort_of_page_reads_as_text(client: Client, url: str, content_type: str, passage: str) -> None:
    text = client.read("web_fetch", url=url)
    assert passage in text
    assert f"URL: {url}\n" in text
    assert f"Content-Type: {content_type}" in text


def test_line_separators_of_a_page_arrive_at_the_client(client: Client) -> None:
    text = client.read("web_fetch", url="https://kumoshiro.example/aoriita/")
    assert "\u2028one" in text
    assert "\u0085one" in text


def test_a_redirect_is_followed_and_told(client: Client) -> None:
    text = client.read("web_fetch", url="http://quillmesh.example/docs")
    assert "URL: https://docs.quillmesh.example/\n" in text
    assert "Redirected from: https://quillmesh.example/docs, " in text


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://docs.quillmesh.example/7/limits.html", "HTTP 404"),
        ("https://advisories.brackenwatch.test/bwa-2026-0333.html", "HTTP 410"),
        ("https://quillmesh.example/press", "redirects do not end"),
        ("https://www.unheard-of.example/", "does not exist"),
        ("/etc/passwd", "is not an address"),
    ],
)
def test_what_cannot_be_fetched_is_a_tool_error(client: Client, url: str, message: str) -> None:
    assert message in client.fail("web_fetch", url=url)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("web_search", {}),
        ("web_search", {"query": "x", "max_results": 0}),
        ("web_search", {"query": "x", "max_results": 21}),
        ("web_fetch", {"url": "https://ferrowick.example/", "max_chars": 0}),
        ("web_fetch", {"url": "https://ferrowick.example/", "start": -1}),
    ],
)
def test_arguments_outside_the_schema_are_a_tool_error(
    client: Client, tool: str, arguments: dict[str, JsonValue]
) -> None:
    assert client.fail(tool, **arguments)


def test_a_two_megabyte_page_is_read_in_parts_that_join(client: Client) -> None:
    url = "https://archive.longstack.test/broker-benchmark-log.html"
    first = client.read("web_fetch", url=url)
    assert len(first) < 21_000
    assert "continue with start=20000]" in first
    tail = client.read("web_fetch", url=url, start=1_980_000, max_chars=200_000)
    assert "We publish no ranking." in tail
    assert "more characters" not in tail
    assert "[The page has no text here.]" in client.read("web_fetch", url=url, start=9_000_000)


@pytest.mark.parametrize(
    ("site", "message"),
    [
        (None, "there is no such folder"),
        ("redirect: {}", "section 'redirect' is unknown"),
        ("redirects: [", "is not YAML"),
    ],
)
def test_a_web_that_cannot_be_served_is_refused_in_one_sentence(
    tmp_path: Path, site: str | None, message: str
) -> None:
    web = tmp_path / "web"
    if site is not None:
        web.mkdir()
        (web / "site.yaml").write_text(site)
    command = [sys.executable, "-m", "pytest_searchlight.closed_web", "--web", str(web)]
    command += ["--cache", str(tmp_path / "cache")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
