from __future__ import annotations

from typing import Any

import pytest
from mcp.types import CallToolResult

from pytest_searchlight.baseline.server import read_text
from pytest_searchlight.baseline.tools import (
    Tool,
    choose_fetch_tool,
    choose_search_tool,
    fill_fetch_arguments,
    fill_search_arguments,
)

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}


def make_tool(name: str, required: dict[str, Any], **optional: dict[str, Any]) -> Tool:
    schema = {"type": "object", "properties": {**required, **optional}, "required": list(required)}
    return Tool(name=name, description="", schema=schema)


PROVIDERS = {
    "exa": (
        [
            make_tool("web_search_exa", {"query": TEXT}, numResults={"type": "integer"}),
            make_tool("web_fetch_exa", {"urls": TEXTS}, maxCharacters={"type": "integer"}),
        ],
        ("web_search_exa", {"query": "q"}),
        ("web_fetch_exa", {"urls": ["https://a.example/"], "maxCharacters": 40_000}),
    ),
    "tavily": (
        [
            make_tool("tavily_search", {"query": TEXT}),
            make_tool("tavily_extract", {"urls": TEXTS}, query=TEXT),
            make_tool("tavily_crawl", {"url": TEXT}),
            make_tool("tavily_map", {"url": TEXT}),
        ],
        ("tavily_search", {"query": "q"}),
        ("tavily_extract", {"urls": ["https://a.example/"]}),
    ),
    "firecrawl": (
        [
            make_tool("firecrawl_map", {"url": TEXT}),
            make_tool("firecrawl_search", {"query": TEXT}),
            make_tool("firecrawl_scrape", {"url": TEXT}),
        ],
        ("firecrawl_search", {"query": "q"}),
        ("firecrawl_scrape", {"url": "https://a.example/"}),
    ),
    "parallel": (
        [
            make_tool("web_search", {"objective": TEXT, "search_queries": TEXTS}),
            make_tool("web_fetch", {"urls": TEXTS}),
        ],
        ("web_search", {"objective": "q", "search_queries": ["q"]}),
        ("web_fetch", {"urls": ["https://a.example/"]}),
    ),
    "brave": (
        [make_tool("brave_web_search", {"query": TEXT}), make_tool("brave_llm_context", {"query": TEXT})],
        ("brave_web_search", {"query": "q"}),
        None,
    ),
    "perplexity": (
        [make_tool("perplexity_ask", {"messages": TEXTS}), make_tool("perplexity_search", {"query": TEXT})],
        ("perplexity_search", {"query": "q"}),
        None,
    ),
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_tools_of_every_provider_are_recognised_by_name_and_schema(provider: str) -> None:
    tools, search, fetch = PROVIDERS[provider]
    search_tool, fetch_tool = choose_search_tool(tools), choose_fetch_tool(tools)
    assert search_tool is not None
    assert (search_tool.name, fill_search_arguments(search_tool, "q")) == search
    found = fetch_tool and (fetch_tool.name, fill_fetch_arguments(fetch_tool, "https://a.example/"))
    assert found == fetch


def test_a_tool_that_needs_something_else_is_not_used() -> None:
    assert choose_search_tool([make_tool("search", {"query": TEXT, "index_id": TEXT})]) is None


def test_a_length_limit_of_the_tool_is_kept() -> None:
    tool = make_tool("fetch", {"url": TEXT}, max_chars={"type": "integer", "maximum": 900})
    assert fill_fetch_arguments(tool, "https://a.example/") == {"url": "https://a.example/", "max_chars": 900}


def test_long_queries_are_cut_below_what_providers_refuse() -> None:
    arguments = fill_search_arguments(make_tool("search", {"q": TEXT}), "word " * 200)
    assert arguments is not None
    assert len(arguments["q"]) < 400


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"query": True}, "required": ["query"]}, {"query": "q"}),
        ({"properties": {"query": TEXT}, "required": None}, {"query": "q"}),
        ({"properties": {"queries": {"anyOf": [TEXTS, {"type": "null"}]}}}, {"queries": ["q"]}),
        ({"properties": {"queries": {"type": ["array", "null"]}}}, {"queries": ["q"]}),
        ({"properties": {"query": {"anyOf": [TEXT, TEXTS]}}}, {"query": "q"}),
        ({"properties": None}, None),
        ({}, None),
    ],
)
def test_a_schema_is_read_in_every_way_that_json_schema_has(
    schema: dict[str, Any], arguments: dict[str, Any] | None
) -> None:
    tool = Tool(name="search", description="", schema=schema)
    assert fill_search_arguments(tool, "q") == arguments
    assert fill_fetch_arguments(tool, "https://a.example/") is None


@pytest.mark.parametrize("most", [None, "900", 900.0])
def test_a_limit_that_is_no_number_limits_nothing(most: object) -> None:
    tool = make_tool("fetch", {"url": TEXT}, max_chars={"type": "integer", "maximum": most})
    arguments = fill_fetch_arguments(tool, "https://a.example/")
    assert arguments is not None
    assert arguments["max_chars"] == (900 if most == 900.0 else 40_000)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\n\nb"),
        ({"content": [], "structuredContent": {"a": "ž"}}, '{"a": "ž"}'),
        ({"content": [{"type": "resource", "resource": {"uri": "a://b", "text": "a"}}]}, "a"),
        (
            {"content": [{"type": "resource_link", "uri": "https://a.example/", "name": "A"}]},
            "A\nhttps://a.example/",
        ),
        ({"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}, ""),
    ],
)
def test_whatever_form_a_result_has_its_text_is_read(result: dict[str, Any], text: str) -> None:
    assert read_text(CallToolResult.model_validate(result)) == text
