"""What the fake provider API answers when all is well: our own payloads in each provider's shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

PAGE_URL: Final = "https://notes.example/release-7"
PAGE_TITLE: Final = "Release 7 of the Quillmark press"
PAGE_TEXT: Final = "Release 7 was printed on 2026-03-14 and holds 212 plates."


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One path of a provider's API. `answer` gives the JSON of a good answer."""

    provider: str
    path: str
    answer: Callable[[], JsonValue]


def _exa_hit() -> dict[str, JsonValue]:
    return {
        "id": PAGE_URL,
        "url": PAGE_URL,
        "title": PAGE_TITLE,
        "publishedDate": "2026-03-14",
        "author": "The press",
        "highlights": [PAGE_TEXT],
        "text": PAGE_TEXT,
    }


def _answer_exa() -> JsonValue:
    return {"requestId": "r1", "results": [_exa_hit()], "costDollars": {"total": 0.007}, "searchTime": 21}


def _answer_exa_contents() -> JsonValue:
    status: JsonValue = [{"id": PAGE_URL, "status": "success"}]
    return {"requestId": "r2", "results": [_exa_hit()], "statuses": status, "costDollars": {"total": 0.001}}


def _answer_tavily_search() -> JsonValue:
    hit: JsonValue = {"title": PAGE_TITLE, "url": PAGE_URL, "content": PAGE_TEXT, "score": 0.9}
    return {"query": "q", "results": [hit], "images": [], "response_time": 0.4, "usage": {"credits": 1}}


def _answer_tavily_extract() -> JsonValue:
    page: JsonValue = {"url": PAGE_URL, "raw_content": PAGE_TEXT, "images": []}
    return {"results": [page], "failed_results": [], "response_time": 0.2, "usage": {"credits": 1}}


def _answer_firecrawl_search() -> JsonValue:
    hit: JsonValue = {"url": PAGE_URL, "title": PAGE_TITLE, "description": PAGE_TEXT, "position": 1}
    return {"success": True, "data": {"web": [hit]}, "creditsUsed": 2, "id": "s1"}


def _answer_firecrawl_scrape() -> JsonValue:
    metadata: JsonValue = {"title": PAGE_TITLE, "sourceURL": PAGE_URL, "statusCode": 200, "creditsUsed": 1}
    return {"success": True, "data": {"markdown": f"# {PAGE_TITLE}\n\n{PAGE_TEXT}", "metadata": metadata}}


def _answer_brave_search() -> JsonValue:
    hit: JsonValue = {
        "title": PAGE_TITLE,
        "url": PAGE_URL,
        "description": PAGE_TEXT,
        "extra_snippets": ["212 plates"],
    }
    return {"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": [hit]}}


def _answer_brave_context() -> JsonValue:
    hit: JsonValue = {"url": PAGE_URL, "title": PAGE_TITLE, "snippets": [PAGE_TEXT]}
    source: JsonValue = {"title": PAGE_TITLE, "hostname": "notes.example", "age": ["2026-03-14"]}
    return {"grounding": {"generic": [hit], "map": []}, "sources": {PAGE_URL: source}}


def _answer_perplexity_search() -> JsonValue:
    hit: JsonValue = {"title": PAGE_TITLE, "url": PAGE_URL, "snippet": PAGE_TEXT, "date": "2026-03-14"}
    return {"id": "p1", "results": [hit]}


ENDPOINTS: Final[dict[tuple[str, str], Endpoint]] = {
    (host, path): Endpoint(provider=provider, path=path, answer=answer)
    for host, provider, path, answer in (
        ("api.exa.ai", "exa", "/search", _answer_exa),
        ("api.exa.ai", "exa", "/contents", _answer_exa_contents),
        ("api.tavily.com", "tavily", "/search", _answer_tavily_search),
        ("api.tavily.com", "tavily", "/extract", _answer_tavily_extract),
        ("api.firecrawl.dev", "firecrawl", "/v2/search", _answer_firecrawl_search),
        ("api.firecrawl.dev", "firecrawl", "/v2/scrape", _answer_firecrawl_scrape),
        ("api.search.brave.com", "brave", "/res/v1/web/search", _answer_brave_search),
        ("api.search.brave.com", "brave", "/res/v1/llm/context", _answer_brave_context),
        ("api.perplexity.ai", "perplexity", "/search", _answer_perplexity_search),
    )
}

TELEMETRY_HOST: Final = "api.agnost.ai"
"""Where exa's server reports its own use, before it hands a result over."""

HOSTS: Final = (*sorted({host for host, _ in ENDPOINTS}), TELEMETRY_HOST)
