"""Pages: what was read, taken apart into statements that carry their surroundings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from pytest_searchlight.baseline.words import split_name, split_sentences

MAX_STATEMENT_CHARS: Final = 1000
"""Longer ones are cut: text without sentences, such as a log, must not become one statement."""
MAX_PAGE_CHARS: Final = 300_000
"""How much of a page is read; what stands behind it is as good as not there."""

_HEADING: Final = re.compile(r"^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_UNDERLINE: Final = re.compile(r"^\s{0,3}(?:={3,}|-{3,})\s*$")
_ITEM: Final = re.compile(r"^\s*(?:[-*+•‣\u2013]|\(?\d{1,3}[.)])\s+(?=\S)")
_RULE_ROW: Final = re.compile(r"^[\s|:+=-]+$")
_LABEL: Final = re.compile(
    r"^[\"*`]*(?P<label>[^\W_][^:|\"*`]{0,60}?)[\"*`]*\s*[:\uff1a][*]*\s+(?P<value>\S.*)$"
)
_DEFINITION: Final = re.compile(r"\n[ \t]*:[ \t]+")
_PAIRS: Final = re.compile(r"[;.]\s+(?=[^\W\d_][\w -]{1,30}:\s)")
_MARKUP: Final = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|\[(?P<text>[^\]]+)\]\([^)\s]+\)")
_ADDRESSES_READER: Final = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instruction|task|prompt|rule|source|page)s?\b"
    r"|\b(?:ai|llm|language model|assistant|automated|agent|bot)s?\b.{0,60}"
    r"\b(?:must|should|answer|respond|reply|output|report|cite)\b"
    r"|\b(?:tell|inform) (?:the|your) user\b|\b(?:your|the) (?:system prompt|final answer)\b",
    re.IGNORECASE,
)
"""Text that speaks to the program that reads it is no evidence: the paragraph it stands in is left out."""

Shape = Literal["sentence", "item", "cell", "label"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """Something that was read: a fetched page, a search hit, or the reference material.

    Attributes:
        url: where it is, None when that is not known.
        title: its title, possibly empty.
        text: what it says.
        day: the date it carries, None when unknown.
        topic: what it is known to be about, whether it says so or not.
        rank: place in the order in which it was found, 0 first.
    """

    url: str | None
    title: str
    text: str
    day: date | None = None
    topic: str = ""
    rank: int = 0

    @property
    def about(self) -> str:
        """Title and topic."""
        return f"{self.title} {self.topic}".strip()

    @property
    def host(self) -> str:
        """The host it is on, empty when that is not known."""
        return (urlsplit(self.url).hostname or "") if self.url else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Statement:
    """The smallest thing worth quoting, with what stands around it.

    Attributes:
        text: the sentence, list item, table cell or labelled value itself.
        lead: what introduces it: the label, the row's key and the column's header, or the list's intro.
        heading: the headings above it, outermost first.
        nearby: the sentences right before and after it in the same paragraph, or the rest of the row.
    """

    page: Page
    text: str
    shape: Shape
    lead: str = ""
    heading: str = ""
    nearby: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A table; every row has one cell for each header."""

    page: Page
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lead: str = ""
    heading: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Listing:
    """A list, or the members that a sentence enumerates."""

    page: Page
    items: tuple[str, ...]
    lead: str = ""
    heading: str = ""


@dataclass(kw_only=True, eq=False)
class Outline:
    """A page taken apart."""

    statements: list[Statement] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)


def outline_page(page: Page) -> Outline:
    """Take `page` apart: JSON by its structure, anything else line by line."""
    text = page.text[:MAX_PAGE_CHARS]
    outline = Outline()
    value = _read_json(text)
    if value is not None:
        _outline_json(value, page=page, path="", outline=outline)
    else:
        _TextReader(page, outline).read(text)
    return outline


# --- text --------------------------------------------------------------------------------------------------


class _TextReader:
    """Reads blocks in order and remembers the headings and the paragraph that stand above each."""

    def __init__(self, page: Page, outline: Outline) -> None:
        self._page = page
        self._outline = outline
        self._headings: list[tuple[int, str]] = []
        self._lead = ""

    def read(self, text: str) -> None:
        for lines in _split_blocks(text):
            heading = _HEADING.match(lines[0])
            if heading:
                self._enter_heading(len(heading[1]), _strip_markup(heading[2]))
            elif len(lines) >= 2 and all(_split_row(line) for line in lines):
                self._read_table(lines)
            elif _ITEM.match(lines[0]):
                self._read_list(lines)
            else:
                self._read_paragraph([_strip_markup(line) for line in lines])

    @property
    def _heading(self) -> str:
        return " / ".join(text for _, text in self._headings)

    def _enter_heading(self, level: int, text: str) -> None:
        self._headings = [
            *((depth, above) for depth, above in self._headings if depth < level),
            (level, text),
        ]
        self._lead = ""

    def _read_table(self, lines: Sequence[str]) -> None:
        rows = [_split_row(line) for line in lines if not _RULE_ROW.match(line)]
        width = len(rows[0]) if rows else 0
        headers, body = rows[0] if rows else (), [(*row, *[""] * width)[:width] for row in rows[1:]]
        table = Table(
            page=self._page, headers=headers, rows=tuple(body), lead=self._lead, heading=self._heading
        )
        self._outline.tables.append(table)
        self._outline.statements.extend(_state_cells(table))

    def _read_list(self, lines: Sequence[str]) -> None:
        items = tuple(_strip_markup(item) for item in _join_items(lines))
        self._outline.listings.append(
            Listing(page=self._page, items=items, lead=self._lead, heading=self._heading)
        )
        for item in items:
            self._add_line(item, shape="item")

    def _read_paragraph(self, lines: Sequence[str]) -> None:
        labels = [line for line in lines if _is_label(line)]
        if 2 * len(labels) < len(lines):
            labels = []  # a wrapped sentence with a colon in it
        for line in labels:
            self._add_line(line, shape="sentence")
        sentences = split_sentences(" ".join(line for line in lines if line not in labels))
        if any(map(_ADDRESSES_READER.search, sentences)):
            return
        for place, sentence in enumerate(sentences):
            nearby = " ".join((*sentences[max(0, place - 1) : place], *sentences[place + 1 : place + 2]))
            self._add_sentence(sentence, shape="sentence", nearby=nearby)
        self._lead = sentences[-1] if sentences else self._lead

    def _add_line(self, line: str, *, shape: Shape) -> None:
        for sentence in _PAIRS.split(line) if _is_label(line) else split_sentences(line):
            self._add_sentence(sentence, shape=shape, nearby="")

    def _add_sentence(self, sentence: str, *, shape: Shape, nearby: str) -> None:
        label = _LABEL.match(sentence)
        if label and _is_label(sentence):
            value = label["value"].strip().rstrip(",").strip("\"'")
            self._add(
                value, shape="label", lead=f"{split_name(label['label'])} / {self._lead}", nearby=nearby
            )
        else:
            self._add(sentence, shape=shape, lead=self._lead if shape == "item" else "", nearby=nearby)

    def _add(self, text: str, *, shape: Shape, lead: str = "", nearby: str = "") -> None:
        if _ADDRESSES_READER.search(text):
            return
        for start in range(0, len(text), MAX_STATEMENT_CHARS):
            self._outline.statements.append(
                Statement(
                    page=self._page,
                    text=text[start : start + MAX_STATEMENT_CHARS],
                    shape=shape,
                    lead=lead[-MAX_STATEMENT_CHARS:],
                    heading=self._heading,
                    nearby=nearby[:MAX_STATEMENT_CHARS],
                )
            )


def _split_blocks(text: str) -> Iterator[list[str]]:
    """Groups of lines that belong together: a heading, a table, a list, or a paragraph."""
    block: list[str] = []
    sort = ""
    for line in _DEFINITION.sub(": ", text).splitlines():
        if _UNDERLINE.match(line) and len(block) == 1 and sort == "text":
            block = [f"# {block[0].strip()}"]
            continue
        now = _sort_line(line, previous=sort)
        if block and (now != sort or now == "heading"):
            yield block
            block = []
        if now:
            block.append(line)
        sort = now
    if block:
        yield block


def _sort_line(line: str, *, previous: str) -> str:
    if not line.strip() or line.lstrip().startswith("```"):
        return ""
    if _HEADING.match(line):
        return "heading"
    if _split_row(line):
        return "table"
    indented = previous == "list" and line[:2].isspace()
    return "list" if _ITEM.match(line) or indented else "text"


def _split_row(line: str) -> tuple[str, ...]:
    """The cells of a table's row, or nothing when `line` is none."""
    separator = "\t" if "\t" in line.strip() else "|"
    if separator not in line or (separator == "|" and " | " not in line and not line.startswith("|")):
        return ()
    cells = line.strip().removeprefix("|").removesuffix("|").split(separator)
    return tuple(_strip_markup(cell) for cell in cells) if len(cells) > 1 else ()


def _join_items(lines: Sequence[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        mark = _ITEM.match(line)
        if mark or not items:
            items.append(line[mark.end() :].strip() if mark else line.strip())
        else:
            items[-1] = f"{items[-1]} {line.strip()}"
    return items


def _is_label(line: str) -> bool:
    label = _LABEL.match(line)
    return bool(label) and len(label["label"].split()) <= 6 and len(line) <= 160 if label else False


def _strip_markup(text: str) -> str:
    return _MARKUP.sub(lambda match: match["text"] or "", text).strip()


def _state_cells(table: Table) -> Iterator[Statement]:
    for row in table.rows:
        for place, cell in enumerate(row):
            key = row[0] if place else ""
            lead = " / ".join(part for part in (key, table.headers[place], table.lead) if part)
            nearby = " ".join(row[1:place] + row[place + 1 :])
            if cell:
                yield Statement(
                    page=table.page, text=cell, shape="cell", lead=lead, heading=table.heading, nearby=nearby
                )


# --- JSON --------------------------------------------------------------------------------------------------


def _read_json(text: str) -> Any:
    """The JSON document in `text`, which may stand below a few header lines; None when there is none."""
    start = min((place for place in (text.find("{"), text.find("[")) if place >= 0), default=-1)
    if start < 0 or not text.rstrip().endswith(("}", "]")) or text.count("\n", 0, start) > 12:
        return None
    try:
        return json.loads(text[start:])
    except (ValueError, RecursionError):
        return None


def _outline_json(value: Any, *, page: Page, path: str, outline: Outline, depth: int = 0) -> None:
    if depth > 30:
        return
    if isinstance(value, dict):
        for key, part in value.items():
            where = f"{path} / {split_name(str(key))}" if path else split_name(str(key))
            _outline_json(part, page=page, path=where, outline=outline, depth=depth + 1)
    elif isinstance(value, list):
        _outline_array(value, page=page, path=path, outline=outline, depth=depth)
    elif value is not None:
        text = json.dumps(value) if isinstance(value, bool | int | float) else str(value)
        head, _, label = path.rpartition(" / ")
        outline.statements.append(Statement(page=page, text=text, shape="label", lead=label, heading=head))


def _outline_array(value: list[Any], *, page: Page, path: str, outline: Outline, depth: int) -> None:
    rows = [part for part in value if isinstance(part, dict)]
    plain = [str(part) for part in value if isinstance(part, str | int | float)]
    if rows:
        keys = tuple(dict.fromkeys(key for row in rows for key in row))
        cells = tuple(tuple(_show_json(row.get(key)) for key in keys) for row in rows)
        headers = tuple(split_name(key) for key in keys)
        table = Table(page=page, headers=headers, rows=cells, lead=path)
        outline.tables.append(table)
        outline.statements.extend(_state_cells(table))
    if plain:
        outline.listings.append(Listing(page=page, items=tuple(plain), lead=path))
    for row in rows:
        for key, part in row.items():
            if isinstance(part, dict | list):
                where = f"{path} / {_show_json(next(iter(row.values())))} / {split_name(key)}"
                _outline_json(part, page=page, path=where, outline=outline, depth=depth + 1)


def _show_json(value: Any) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    return value if isinstance(value, str) else json.dumps(value)
