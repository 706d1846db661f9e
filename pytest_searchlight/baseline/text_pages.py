"""Text: pages read line by line into headings, tables, lists, labelled values and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_searchlight.baseline.pages import (
    MAX_PAGE_CHARS,
    Listing,
    Outline,
    Page,
    Shape,
    Statement,
    Table,
    state_cells,
)
from pytest_searchlight.baseline.words import split_name, split_sentences

MAX_STATEMENT_CHARS: Final = 1000
"""Longer ones are cut: text without sentences, such as a log, must not become one statement."""
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


def outline_text(page: Page) -> Outline:
    """Take `page` apart."""
    reader = _TextReader(page)
    reader.read(page.text[:MAX_PAGE_CHARS])
    return reader.outline


class _TextReader:
    """Reads blocks in order and remembers the headings and the paragraph that stand above each."""

    def __init__(self, page: Page) -> None:
        self.outline = Outline()
        self._page = page
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
        self.outline.tables.append(table)
        self.outline.statements.extend(state_cells(table))

    def _read_list(self, lines: Sequence[str]) -> None:
        items = tuple(_strip_markup(item) for item in _join_items(lines))
        self.outline.listings.append(
            Listing(page=self._page, items=items, lead=self._lead, heading=self._heading)
        )
        for item in items:
            self._add_line(item, shape="item")

    def _read_paragraph(self, lines: Sequence[str]) -> None:
        labels = [line for line in lines if _is_label(line)]
        if len(lines) > 1 and 2 * len(labels) <= len(lines):
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
            self.outline.statements.append(
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
