"""What a tool result holds: addresses, or the word that nothing was found."""

from __future__ import annotations

import json
import re
from typing import Final
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

_URL: Final = re.compile(r"https?://[^\s<>\"'\\\]|`]{1,2000}", re.IGNORECASE)
"""Longer addresses are cut: web pages may hold anything, and no page lies at one."""
_NOTHING: Final = re.compile(
    r"\W*(?:sorry,?\s+)?(?:(?:no|0|zero|found\s+(?:no|0))\s+(?:\w+\s+){0,3}(?:results?|matches|match|hits|pages|documents)\b"
    r"|(?:nothing|none)\s+(?:was\s+)?found\b|(?:your\s+search\s+)?did\s+not\s+match\s+any\b)",
    re.IGNORECASE,
)
_BARE_HEADING: Final = re.compile(r"\W*(?:[a-z]+\s+){0,2}results:\s*", re.IGNORECASE)
_LONGEST_NOTICE: Final = 600
_RESULT_LISTS: Final = frozenset({"results", "data", "web", "hits", "items", "organic", "generic"})


def place_address(url: str) -> str | None:
    """Host and path of an address in one spelling, or None when it is no http(s) address.

    Scheme, ``www.``, port, query, fragment and a final slash make no difference.
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host:
        return None
    return host.removeprefix("www.") + unquote(parts.path).rstrip("/")


def find_addresses(text: str) -> frozenset[str]:
    """The addresses named in a text, as `place_address` spells them."""
    found = (place_address(_cut_end(url)) for url in set(_URL.findall(text)))
    return frozenset(place for place in found if place is not None)


def _cut_end(url: str) -> str:
    """`url` without what the sentence or the link around it adds."""
    url = url.rstrip(".,;:!?*_")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:!?*_")
    return url


def found_nothing(text: str | None) -> bool | None:
    """Whether the result of a search says that there are no hits; None when it does not tell.

    Read as nothing: an empty text, JSON whose lists of results are all empty, a heading with nothing under
    it, and a short text that opens by saying so. Any other text with an address has hits; prose without one
    may be an answer or an excuse.
    """
    if text is None:
        return None
    if not text.strip() or _BARE_HEADING.fullmatch(text):
        return True
    emptiness = _read_emptiness(text)
    if emptiness is not None:
        return emptiness
    if len(text) <= _LONGEST_NOTICE and _NOTHING.match(text):
        return True
    return False if _URL.search(text) else None


def _read_emptiness(text: str) -> bool | None:
    """Whether a JSON result is empty; None when the text is no JSON or holds no list of results."""
    try:
        value: JsonValue = json.loads(text) if text.lstrip()[0] in "[{" else None
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return not value
    counts = list(_count_results(value))
    return None if not counts else not any(counts)


def _count_results(value: JsonValue) -> list[int]:
    """Lengths of the lists of results in a JSON object, nested ones included."""
    if not isinstance(value, dict):
        return []
    counts: list[int] = []
    for name, each in value.items():
        if name in _RESULT_LISTS and isinstance(each, list):
            counts.append(len(each))
        elif name in _RESULT_LISTS:
            counts += _count_results(each)
    return counts
