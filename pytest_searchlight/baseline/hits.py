"""Hits: what a search tool returned, in whatever form the provider writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from pytest_searchlight.baseline.pages import Page
from pytest_searchlight.baseline.values import find_dates, find_urls

_TITLE_LINE: Final = re.compile(r"^\W*title\s*:\s*(?P<title>.+)$", re.IGNORECASE)
_DATE_LINE: Final = re.compile(
    r"^\W*(?:(?:last|date)\s)?(?:date|published|updated|modified|changed|posted|released|page age|revised"
    r"|reviewed)\b.{0,24}?:?\s",
    re.IGNORECASE,
)
_URL_LABEL: Final = re.compile(r"^\W*(?:url|link|source)\s*:\s*", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"^\s*(?:[-*]|\(?\d{1,3}[.)])\s+")
_BREAK: Final = re.compile(r"^\s*(?:---+|===+|)\s*$")
_URL_KEYS: Final = ("url", "link", "href", "uri")
_TEXT_KEYS: Final = frozenset(
    {"content", "description", "excerpts", "extra_snippets", "highlights", "markdown", "raw_content",
     "rawContent", "snippet", "snippets", "summary", "text"}
)  # fmt: skip
_DATE_KEY: Final = re.compile(r"date|publish|age|updated", re.IGNORECASE)
_HEAD_LINES: Final = 12


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One search result; `text` is whatever the provider shows of the page."""

    url: str
    title: str = ""
    text: str = ""
    day: date | None = None


def read_hits(text: str) -> list[Hit]:
    """The results in the text of a tool's answer, best first, each address once."""
    hits: dict[str, Hit] = {}
    for hit in _read_json_hits(text) or _read_text_hits(text):
        hits.setdefault(hit.url, hit)
    return list(hits.values())


def read_page(text: str, *, hit: Hit, rank: int) -> Page:
    """The page that a fetch tool returned for `hit`; what the answer says about it goes before the hit."""
    fetched = next((found for found in _read_json_hits(text) if found.text), None)
    body = fetched.text if fetched else text
    head = body.split("\n", _HEAD_LINES)[:_HEAD_LINES]
    title = (fetched.title if fetched else "") or _find_title(head) or hit.title
    day = (fetched.day if fetched else None) or find_day(head) or hit.day
    return Page(url=hit.url, title=title, text=_drop_head(body), day=day, rank=rank)


def _drop_head(body: str) -> str:
    """`body` without the lines of facts that stand before its first blank line."""
    head, blank, rest = body.partition("\n\n")
    lines = head.splitlines()
    is_facts = len(lines) > 1 and all(re.match(r"^[\w -]{2,24}:\s", line) for line in lines)
    return rest if blank and is_facts else body


# --- text --------------------------------------------------------------------------------------------------


def _read_text_hits(text: str) -> Iterator[Hit]:
    """Blocks of lines; a block that names an address starts a hit, others go on with the one before."""
    current: Hit | None = None
    for block in _split_blocks(text):
        started = _read_block(block)
        if started:
            if current:
                yield current
            current = started
        elif current:
            current = replace(current, text=f"{current.text}\n\n" + "\n".join(block))
    if current:
        yield current


def _split_blocks(text: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in text.splitlines():
        if _BREAK.match(line):
            if block:
                yield block
            block = []
        else:
            block.append(line)
    if block:
        yield block


def _read_block(lines: list[str]) -> Hit | None:
    """The hit that a block describes, or None when no line of it is about an address."""
    for place, line in enumerate(lines[:4]):
        found = next(iter(find_urls(line)), None)
        rest = (
            _ORDINAL.sub("", _URL_LABEL.sub("", line))
            .replace(str(found.value) if found else "", "")
            .strip(" *[]()<>-—|")
        )
        if found and len(rest) <= 120:
            title = _find_title(lines[:4]) or (_clean_title(lines[place - 1]) if place else rest)
            body = "\n".join(line.strip() for line in lines[place + 1 :])
            return Hit(url=str(found.value), title=title, text=body, day=find_day(lines))
    return None


def _find_title(lines: list[str]) -> str:
    titles = (match["title"].strip() for line in lines if (match := _TITLE_LINE.match(line)))
    return next(titles, "")


def _clean_title(line: str) -> str:
    return _ORDINAL.sub("", line).strip(" *#[]")


def find_day(lines: Sequence[str]) -> date | None:
    """The date that a line like ``Updated: 2026-03-01`` among `lines` gives, or None."""
    dated = (next(find_dates(line), None) for line in lines if _DATE_LINE.match(line))
    return next((date.fromisoformat(str(found.value)) for found in dated if found), None)


# --- JSON --------------------------------------------------------------------------------------------------


def _read_json_hits(text: str) -> list[Hit]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return list(_walk_hits(value, depth=0))


def _walk_hits(value: object, *, depth: int) -> Iterator[Hit]:
    if depth > 8:
        return
    if isinstance(value, Mapping):
        url = next((value[key] for key in _URL_KEYS if str(value.get(key, "")).startswith("http")), None)
        if isinstance(url, str):
            yield _make_hit(value, url)
            return
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _walk_hits(part, depth=depth + 1)


def _make_hit(value: Mapping[str, Any], url: str) -> Hit:
    texts = [text for key, part in value.items() if key in _TEXT_KEYS for text in _flatten(part)]
    dated = (
        found for key, part in value.items() if _DATE_KEY.search(key) for found in find_dates(str(part)[:10])
    )
    day = next((date.fromisoformat(str(found.value)) for found in dated), None)
    return Hit(url=url, title=str(value.get("title") or ""), text="\n\n".join(texts), day=day)


def _flatten(part: object) -> list[str]:
    pieces = part if isinstance(part, list) else [part]
    return [piece for piece in pieces if isinstance(piece, str) and piece]
