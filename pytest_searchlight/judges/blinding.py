"""What could tell a judge which setup or agent wrote a brief: hosts are normalised, all else is a leak."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pytest_searchlight.domain import SearchSetup, SetupKind
from pytest_searchlight.errors import SearchlightError

NEUTRAL_HOST: Final = "search-provider.invalid"
_SHORTEST_TOOL_NAME: Final = 8
"""Shorter tool names (Read) are words that any brief may hold."""

_TOP_LEVELS: Final = "ai|app|com|dev|io|net|org"
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_SAME_LETTERS: Final = {0x130: "I", 0x131: "i"}
"""Letters that match an i whatever their case, and that lower case would not make one."""


class BlindingError(SearchlightError):
    """A brief tells who wrote it; no judge may see it."""


@dataclass(frozen=True, kw_only=True)
class BlindingMarks:
    """What a judge must not read: the same for every run of a session, so that all are tested alike.

    Attributes:
        providers: names of providers; telling only where they are spoken of as a means of search.
        hosts: the providers' own hosts.
        agents: names of agent products; telling only where they speak of themselves.
        tools: names of tools, as they are written in calls.
        models: names of models.
    """

    providers: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()

    @lru_cache(maxsize=256)  # noqa: B019 - a session has one set of marks, and a text for each of its tasks
    def leave_out(self, text: str) -> BlindingMarks:
        """The marks without those that `text`, the task's own, holds too: they tell nothing."""

        def keep(names: frozenset[str]) -> frozenset[str]:
            return frozenset(name for name in names if not re.search(_find_word(name), text, re.IGNORECASE))

        return replace(
            self,
            providers=keep(self.providers),
            agents=keep(self.agents),
            tools=keep(self.tools),
            models=keep(self.models),
        )


def list_marks(
    setups: Iterable[SearchSetup], *, agents: Iterable[str], own_tools: Iterable[str], models: Iterable[str]
) -> BlindingMarks:
    """The marks of everything that a session could use.

    Args:
        setups: all that are known, not only those of the session.
        agents: names of agent products.
        own_tools: the agent products' own tools.
        models: names of models.
    """
    known = list(setups)
    providers = [setup for setup in known if setup.kind is SetupKind.PROVIDER]
    urls = (setup.server.url for setup in providers if setup.server is not None)
    tools = {*own_tools, *(tool for setup in known for tool in setup.tool_names)}
    return BlindingMarks(
        providers=frozenset(setup.name for setup in providers),
        hosts=frozenset(host for url in urls if url and (host := urlsplit(url).hostname)),
        agents=frozenset(agents),
        tools=frozenset(tool for tool in tools if len(tool) >= _SHORTEST_TOOL_NAME),
        models=frozenset(models),
    )


def normalise_hosts(text: str, *, marks: BlindingMarks) -> str:
    """`text` with every host of a provider replaced by one that says nothing."""
    plain = text.lower()
    if not any(name in plain for name in (*marks.providers, *marks.hosts)):
        return text
    return _find_hosts(marks).sub(NEUTRAL_HOST, text)


@lru_cache(maxsize=16)
def _find_hosts(marks: BlindingMarks) -> re.Pattern[str]:
    named = (rf"(?:[\w-]+\.)*{re.escape(each)}\.(?:{_TOP_LEVELS})\b" for each in sorted(marks.providers))
    hosts = (*named, *map(re.escape, sorted(marks.hosts)))
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(hosts)})(?![\w-])", re.IGNORECASE)


def demand_blind(texts: Iterable[str], *, marks: BlindingMarks) -> None:
    """Raise BlindingError when one of `texts` tells where it comes from."""
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", "\n".join(texts))).translate(_SAME_LETTERS)
    lowered = plain.lower()
    for leak in _list_leaks(marks):
        if leak.word in lowered and (found := leak.pattern.search(plain)):
            shown = plain[max(0, found.start() - 30) : found.end() + 30]
            raise BlindingError(f"tells where it comes from: {shown!r}")


class _Leak(NamedTuple):
    """A pattern that tells, and a part of every text that it could match, in lower case."""

    word: str
    pattern: re.Pattern[str]


@lru_cache(maxsize=256)
def _list_leaks(marks: BlindingMarks) -> tuple[_Leak, ...]:
    return tuple(
        _Leak(re.split("[-_]", name)[0].lower(), pattern)
        for names, list_patterns in (
            (marks.tools | marks.models, _list_own_words),
            (marks.providers, _list_means),
            (marks.agents, _list_introductions),
        )
        for name in sorted(names)
        for pattern in list_patterns(name)
    )


def _list_own_words(name: str) -> Iterator[re.Pattern[str]]:
    yield re.compile(_find_word(name), re.IGNORECASE)


def _list_means(name: str) -> Iterator[re.Pattern[str]]:
    """A provider's name where it is spoken of as a means of search."""
    word = _spell(name)
    doing = (
        "search|mcp|api|ai|tools?|results?|fetch|extract|crawl|found|returned|reported|says|said|shows|showed"
    )
    yield re.compile(
        rf"mcp__{word}|\b{word}_\w|\w_{word}\b"
        rf"|\b(?:via|according to|courtesy of) (?:the )?{word}\b"
        rf"|\b{word}(?:['\u2019]s)?[ _-](?:web )?(?:{doing})\b",
        re.IGNORECASE,
    )
    # Many providers are called by everyday words: after these it takes a capital to be a name.
    word = _spell(name.capitalize())
    yield re.compile(rf"\b(?:[Uu]sing|[Ww]ith|[Tt]hrough|[Ff]rom|[Bb]y) {word}\b|[(\[]{word}[)\]]")


def _list_introductions(name: str) -> Iterator[re.Pattern[str]]:
    """An agent product's name where it speaks of itself."""
    family = re.escape(name.partition("-")[0])
    yield re.compile(rf"\b(?:I am|I['\u2019]m|as|by|written with) {_spell(name)}\b", re.IGNORECASE)
    yield re.compile(rf"\b(?:I am|I['\u2019]m) {family}\b", re.IGNORECASE)


def _find_word(name: str) -> str:
    """A pattern of the name as a word of its own."""
    return rf"(?<![\w-]){_spell(name)}(?![\w-])"


def _spell(name: str) -> str:
    """A pattern of the name however its parts are joined."""
    return re.escape(name).replace(r"\-", "[ _-]?")
