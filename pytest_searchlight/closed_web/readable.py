"""From bytes to readable text: HTML, PDF, JSON and plain text, with title and date where they say so."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Final

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNKNOWING: Final = frozenset({"ascii", "iso8859-1", "cp1252"})
"""What servers state that were never told a charset: bytes that are right UTF-8 are UTF-8 all the same."""

_COMMONEST: Final = "cp1252"
_MARKUP: Final = re.compile(rb"[<>\r\n]+")
_TELLING_BYTES: Final = 100_000
_LEAST_CONFIDENCE: Final = 0.05
"""A single accent tells nothing, and is far below; a sentence in any charset is far above."""

_META_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_MARKDOWN_TITLE: Final = re.compile(r"^#\s+(.{1,200})$", re.MULTILINE)
_PDF_DATE: Final = re.compile(r"D:(\d{4})(\d{2})(\d{2})")


@dataclass(frozen=True, slots=True)
class Document:
    """A page as a reader sees it. `date` is ISO, as the page itself states it; an empty page has no text."""

    title: str
    date: str | None
    text: str


def read_document(body: bytes, *, content_type: str, url: str) -> Document:
    """Turn a response body into readable text; what cannot be decoded becomes U+FFFD, never an error.

    Args:
        body: the bytes as served.
        content_type: media type, with a charset where the server states one.
        url: where it was served; makes links absolute and titles what has no title.
    """
    media_type, charset = _split_content_type(content_type)
    if media_type == "application/pdf":
        return _read_pdf(body, fallback_title=url)
    if media_type == "text/html":
        # Parsers are imported where they are used: a server that finds its index built needs none.
        from pytest_searchlight.closed_web.html_text import read_html

        declared = charset or _charset_in_html(body)
        title, date, text = read_html(decode_text(body, charset=declared), base_url=url)
        return Document(title or url, date, text)
    text = decode_text(body, charset=charset)
    if media_type == "application/json":
        return Document(url, None, _indent_json(text))
    heading = _MARKDOWN_TITLE.search(text[:2000])
    return Document(heading[1].strip() if heading else url, None, text.strip())


def decode_text(body: bytes, *, charset: str | None) -> str:
    """Decode by byte order mark, then by the declared charset, then UTF-8, then by what bytes look like."""
    marked = next((name for mark, name in _BOMS if body.startswith(mark)), None)
    for name in (marked, charset, "utf-8"):
        if name is None or (name is charset and _is_unknowing(name)):
            continue
        try:
            return body.decode(name)
        except (ValueError, LookupError):  # no such charset, not in it, or one that decodes nothing
            continue
    stated = charset is not None and _is_unknowing(charset)
    return body.decode(_COMMONEST if stated else _guess_charset(body), errors="replace")


def _guess_charset(body: bytes) -> str:
    """The charset that the frequencies of bytes speak for; Windows-1252 where they are too few to tell."""
    import chardet  # loads its tables, and hardly a page needs them

    # Markup and scripts are ASCII in every charset and would outweigh the one telling sentence of a page.
    telling = b"\n".join(part for part in _MARKUP.split(body) if not part.isascii())[:_TELLING_BYTES]
    guess = chardet.detect(
        telling, encoding_era=chardet.EncodingEra.MODERN_WEB | chardet.EncodingEra.LEGACY_ISO
    )
    name = guess["encoding"]
    unsure = name is None or guess["confidence"] < _LEAST_CONFIDENCE or _is_unknowing(name)
    return _COMMONEST if name is None or unsure else name


def _is_unknowing(charset: str) -> bool:
    try:
        return codecs.lookup(charset).name in _UNKNOWING
    except LookupError:
        return False


def _split_content_type(content_type: str) -> tuple[str, str | None]:
    header = Message()
    header["content-type"] = content_type
    return header.get_content_type(), header.get_content_charset()


def _charset_in_html(body: bytes) -> str | None:
    found = _META_CHARSET.search(body[:2048])
    return found[1].decode("ascii") if found else None


def _indent_json(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _read_pdf(body: bytes, *, fallback_title: str) -> Document:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(body))
        text = "\n\n".join(page.extract_text() for page in reader.pages)
        facts: Mapping[str, object] = reader.metadata or {}
    except (PyPdfError, ValueError, KeyError, TypeError) as error:
        return Document(fallback_title, None, f"[This PDF cannot be read: {error}]")
    dated = _PDF_DATE.match(str(facts.get("/ModDate") or facts.get("/CreationDate") or ""))
    return Document(
        str(facts.get("/Title") or fallback_title), "-".join(dated.groups()) if dated else None, text
    )
