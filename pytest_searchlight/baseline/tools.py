"""Tools: which of a server's tools search and which fetch, and how their arguments are filled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_QUERY_NAMES: Final = re.compile(
    r"^(?:q|query|queries|search_quer(?:y|ies)|objective|question|keywords|search_term)$"
)
_URL_NAMES: Final = re.compile(r"^(?:url|urls|uri|uris|link|links|address)$")
_LENGTH_NAMES: Final = re.compile(r"^max_?(?:char|content|text|length)", re.IGNORECASE)
_SEARCHES: Final = re.compile(r"search|find", re.IGNORECASE)
_FETCHES: Final = re.compile(r"fetch|extract|scrape|read|open|content|visit|browse", re.IGNORECASE)
_MANY_PAGES: Final = re.compile(r"(?:^|[_-])(?:crawl|map|monitor|batch)", re.IGNORECASE)
"""At the start of a word only: a provider may be called so."""
_MAX_QUERY_CHARS: Final = 380
"""Below the shortest limit that a provider is known to set (400)."""
_PAGE_CHARS: Final = 40_000


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool as its server lists it."""

    name: str
    description: str
    schema: Mapping[str, Any]


def choose_search_tool(tools: Sequence[Tool]) -> Tool | None:
    """The tool that looks most like a web search and can be called with nothing but a query."""
    usable = [tool for tool in tools if fill_search_arguments(tool, "query") is not None]
    return _choose(usable, _SEARCHES)


def choose_fetch_tool(tools: Sequence[Tool]) -> Tool | None:
    """The tool that looks most like reading a page and can be called with nothing but an address."""
    usable = [tool for tool in tools if fill_fetch_arguments(tool, "https://page.example/") is not None]
    return _choose(usable, _FETCHES)


def fill_search_arguments(tool: Tool, query: str) -> dict[str, Any] | None:
    """Arguments that search for `query`, or None when the tool wants something else."""
    return _fill(tool, _QUERY_NAMES, query[:_MAX_QUERY_CHARS])


def fill_fetch_arguments(tool: Tool, url: str) -> dict[str, Any] | None:
    """Arguments that read `url`, or None when the tool wants something else."""
    arguments = _fill(tool, _URL_NAMES, url)
    if arguments is None:
        return None
    for name, schema in _properties(tool).items():
        if _LENGTH_NAMES.match(name) and _list_types(schema) & {"integer", "number"}:
            most = schema.get("maximum")
            arguments[name] = min(_PAGE_CHARS, int(most)) if isinstance(most, int | float) else _PAGE_CHARS
    return arguments


def _choose(tools: Sequence[Tool], wanted: re.Pattern[str]) -> Tool | None:
    """A name that says it beats a description that does; among equals the first listed."""

    def rate(tool: Tool) -> int:
        return 2 * bool(wanted.search(tool.name)) + bool(wanted.search(tool.description))

    fitting = [tool for tool in tools if rate(tool) and not _MANY_PAGES.search(tool.name)]
    return max(fitting, key=rate, default=None)


def _fill(tool: Tool, names: re.Pattern[str], value: str) -> dict[str, Any] | None:
    """`value` in the required properties that are called so, or in the first optional one."""
    properties = _properties(tool)
    required = [name for name in tool.schema.get("required") or () if name in properties]
    if any(not names.match(name) for name in required):
        return None
    chosen = required or [name for name in properties if names.match(name)][:1]
    return {name: _wrap(properties[name], value) for name in chosen} or None


def _properties(tool: Tool) -> Mapping[str, Mapping[str, Any]]:
    properties = tool.schema.get("properties")
    named = properties.items() if isinstance(properties, Mapping) else ()
    # A schema may also be ``true``, which allows anything.
    return {name: schema if isinstance(schema, Mapping) else {} for name, schema in named}


def _wrap(schema: Mapping[str, Any], value: str) -> str | list[str]:
    types = _list_types(schema)
    return [value] if "array" in types and "string" not in types else value


def _list_types(schema: Mapping[str, Any]) -> set[str]:
    """The types that a schema allows, also where it gives a choice, as for what may be left out."""
    named = schema.get("type")
    types = {named} if isinstance(named, str) else set(named) if isinstance(named, list) else set()
    for word in ("anyOf", "oneOf"):
        for part in schema.get(word) or ():
            types |= _list_types(part) if isinstance(part, Mapping) else set()
    return types
