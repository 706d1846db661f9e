"""The search index of a closed web: SQLite FTS5 with BM25, built once per content of the web."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pytest_searchlight.closed_web.hashing import hash_web
from pytest_searchlight.closed_web.pages import ClosedWeb
from pytest_searchlight.closed_web.readable import Document, read_document

TITLE_WEIGHT: Final = 3.0
PASSAGE_CHARS: Final = 400

_SCHEMA: Final = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY, url TEXT UNIQUE, host TEXT, title TEXT, date TEXT, text TEXT);
    CREATE TABLE passages (id INTEGER PRIMARY KEY, document INTEGER, text TEXT);
    CREATE VIRTUAL TABLE document_words USING fts5(
        title, text, content='', tokenize='porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE passage_words USING fts5(
        text, content='', tokenize='porter unicode61 remove_diacritics 2');
"""
# The row id settles equal ranks, and rows are entered in the order of addresses.
_FIND_DOCUMENTS: Final = """
    SELECT d.id, d.url, d.title, d.date FROM document_words JOIN documents d ON d.id = document_words.rowid
    WHERE document_words MATCH ?1
    AND (?2 IS NULL OR d.host = ?2 OR substr(d.host, -length(?2) - 1) = '.' || ?2)
    ORDER BY bm25(document_words, ?3, 1.0), d.id LIMIT ?4
"""
# In SQLite the columns beside min() come from the row that holds the minimum: each page's best passage.
_FIND_PASSAGES: Final = """
    SELECT p.document, p.text, min(passage_words.rank) FROM passage_words
    JOIN passages p ON p.id = passage_words.rowid
    WHERE passage_words MATCH ? AND p.document IN (SELECT value FROM json_each(?)) GROUP BY p.document
"""
# Scripts written without spaces: a run of them is indexed and searched as its overlapping pairs.
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af々〆ー]+")
_WORD: Final = re.compile(r"[^\W_]+")
_SITE: Final = re.compile(r"\bsite:(\S+)", re.IGNORECASE)
_PARAGRAPH_END: Final = re.compile(r"\n\n")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。]) |\n")
# Words that say nothing about a subject; a query of nothing else is searched as it stands.
_FUNCTION_WORDS: Final = """
    a an and are as at be by can did do does for from had has have how in is it its of on or that the their
    there these this to was were what when where which who whose why will with
"""
_UNTELLING: Final = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. `date` is ISO or None where the page states none."""

    url: str
    title: str
    date: str | None
    snippet: str


class WebIndex:
    """Searches one closed web; open it with `open_index`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def search(self, query: str, *, max_results: int) -> tuple[Hit, ...]:
        """The best pages for a query of any text, best first, at most `max_results`.

        ``site:host`` restricts the search; everything else is words, and no operator of the index
        language is reachable from a query. Equal queries give equal results.
        """
        site = _SITE.search(query)
        match = compose_match(_SITE.sub(" ", query))
        if not match:
            return ()
        host = site[1].lower().strip("/") if site else None
        found = self._connection.execute(_FIND_DOCUMENTS, (match, host, TITLE_WEIGHT, max_results)).fetchall()
        passages = self._find_passages(match, [document for document, *_ in found])
        return tuple(
            Hit(url, title, date, passages.get(document, "")) for document, url, title, date in found
        )

    def read(self, url: str) -> Document | None:
        """The readable text of an address in canonical form, None where no page answers 200."""
        found = self._connection.execute("SELECT title, date, text FROM documents WHERE url = ?", (url,))
        row = found.fetchone()
        return Document(*row) if row else None

    def close(self) -> None:
        """Let go of the index file."""
        self._connection.close()

    def _find_passages(self, match: str, documents: list[int]) -> dict[int, str]:
        """The passage of each document that fits best; none where only its title fits."""
        rows = self._connection.execute(_FIND_PASSAGES, (match, json.dumps(documents)))
        return {document: " ".join(text.split()) for document, text, _ in rows}


def open_index(web: Path, *, cache_folder: Path) -> WebIndex:
    """Open the index of a closed web, building it first when the cache holds none for this content.

    Safe when several processes build at once: each writes its own file and renames it into place, and
    all of them are equal.
    """
    path = cache_folder / f"{hash_web(web)[:32]}-{_hash_builder()}.sqlite"
    if not path.is_file():
        _build_into(path, web)
    return WebIndex(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True))


def compose_match(query: str) -> str:
    """The FTS5 expression that finds any of a query's words; empty when it has none."""
    words = list(dict.fromkeys(_WORD.findall(separate_pairs(query).lower())))
    telling = [word for word in words if word not in _UNTELLING] or words
    return " OR ".join(f'"{word}"' for word in telling)


@cache
def _hash_builder() -> str:
    """Hash of the code that makes an index, so that no index outlives the code that made it."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:12]


def separate_pairs(text: str) -> str:
    """Write every run of an unspaced script as its overlapping pairs, apart from what surrounds it."""
    return _UNSPACED.sub(lambda run: f" {' '.join(_pairs_of(run[0]))} ", text)


def _pairs_of(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _build_into(path: Path, web: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".building")
    os.close(handle)
    try:
        _write_index(Path(name), web)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _write_index(path: Path, web: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(_SCHEMA)
    for number, page in enumerate(ClosedWeb(web).list_pages(), start=1):
        document = read_document(page.body, content_type=page.content_type, url=page.url)
        host = page.url.split("/")[2]
        date = document.date or page.modified
        row = (number, page.url, host, document.title, date, document.text)
        connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", row)
        words = (number, separate_pairs(document.title), separate_pairs(document.text))
        connection.execute("INSERT INTO document_words (rowid, title, text) VALUES (?, ?, ?)", words)
        _write_passages(connection, number, document.text)
    connection.commit()
    connection.close()


def _write_passages(connection: sqlite3.Connection, document: int, text: str) -> None:
    for passage in split_passages(text):
        entered = connection.execute(
            "INSERT INTO passages (document, text) VALUES (?, ?)", (document, passage)
        )
        words = (entered.lastrowid, separate_pairs(passage))
        connection.execute("INSERT INTO passage_words (rowid, text) VALUES (?, ?)", words)


def split_passages(text: str) -> Iterator[str]:
    """Cut a text at paragraphs, lines and sentences into passages of about `PASSAGE_CHARS` characters."""
    passage = ""
    for piece in _pieces_of(text):
        if passage and len(passage) + len(piece) > PASSAGE_CHARS:
            yield passage
            passage = ""
        passage = f"{passage} {piece}".strip()
    if passage:
        yield passage


def _pieces_of(text: str) -> Iterator[str]:
    for paragraph in _PARAGRAPH_END.split(text):
        for sentence in _SENTENCE_END.split(paragraph):
            yield from (sentence[at : at + PASSAGE_CHARS] for at in range(0, len(sentence), PASSAGE_CHARS))
