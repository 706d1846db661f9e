"""The closed web's MCP server: ``web_search`` and ``web_fetch`` over standard input and output."""

from __future__ import annotations

from typing import Annotated, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from pytest_searchlight import __version__
from pytest_searchlight.closed_web.index import Hit, WebIndex
from pytest_searchlight.closed_web.pages import ClosedWeb, Page, UnreachableError
from pytest_searchlight.closed_web.readable import Document

DEFAULT_MAX_CHARS: Final = 20_000

Query = Annotated[str, Field(description="Words to look for. `site:host` restricts the search to one host.")]
MaxResults = Annotated[int, Field(ge=1, le=20, description="How many results to return.")]
Address = Annotated[str, Field(description="The absolute http(s) address of the page.")]
MaxChars = Annotated[int, Field(ge=1, le=200_000, description="How many characters of text to return.")]
Start = Annotated[int, Field(ge=0, description="The character to start at, to read on in a long page.")]


def compose_server(web: ClosedWeb, index: WebIndex) -> MCPServer:
    """An MCP server with the two tools of a closed web."""
    server = MCPServer("closed-web", version=__version__, log_level="WARNING")

    @server.tool(structured_output=False)
    async def web_search(query: Query, max_results: MaxResults = 8) -> str:
        """Search the web. Returns pages, best first, each with title, address, date and a passage."""
        return render_hits(query, index.search(query, max_results=max_results))

    @server.tool(structured_output=False)
    async def web_fetch(url: Address, max_chars: MaxChars = DEFAULT_MAX_CHARS, start: Start = 0) -> str:
        """Read one page (HTML, PDF, JSON or plain text) as text."""
        page = _reach_page(web, url)
        document = index.read(page.url) or Document(page.url, None, "")
        return render_document(page, document, max_chars=max_chars, start=start)

    return server


def render_hits(query: str, hits: tuple[Hit, ...]) -> str:
    """The text of a search result; a search that found nothing says so."""
    if not hits:
        return f"No results for: {query}"
    return "\n\n".join(
        f"{rank}. {hit.title}\n   URL: {hit.url}\n   Date: {hit.date or 'unknown'}\n   {hit.snippet}"
        for rank, hit in enumerate(hits, start=1)
    )


def render_document(page: Page, document: Document, *, max_chars: int, start: int) -> str:
    """The text of a fetched page under a head of facts, with how much is left when it is cut."""
    text = document.text[start : start + max_chars]
    left = max(0, len(document.text) - start - len(text))
    facts = {
        "URL": page.url,
        "Redirected from": ", ".join(page.redirects),
        "Title": document.title,
        "Date": document.date or "unknown",
        "Content-Type": page.content_type,
    }
    head = "\n".join(f"{name}: {value}" for name, value in facts.items() if value)
    more = f"\n\n[{left} more characters; continue with start={start + len(text)}]" if left else ""
    return f"{head}\n\n{text or '[The page has no text here.]'}{more}"


def _reach_page(web: ClosedWeb, url: str) -> Page:
    try:
        page = web.open_page(url)
    except UnreachableError as error:
        raise ToolError(str(error)) from error
    if page.status != 200:
        raise ToolError(f"{page.url}: HTTP {page.status} {page.body.decode(errors='replace').strip()[:200]}")
    return page
