"""Turns a body into text; run as a program, it does so where memory and time end it and nobody else.

Parsers are handed what strangers wrote. `reading` therefore starts this module as a process of its own for
PDF and for whatever is large: the body on standard input, media type and address as arguments, and
``{"text": ...}`` or ``{"problem": ...}`` on standard output.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from typing import Final

MAX_PAGES: Final = 2000
_MEMORY_BYTES: Final = 1_500_000_000


def decode(body: bytes, *, content_type: str, url: str) -> str:
    """The readable text of `body`. A PDF raises whatever its parser raises; all else is read somehow."""
    if content_type == "application/pdf":
        return _read_pdf(body)
    from pytest_searchlight.closed_web.readable import read_document

    document = read_document(body, content_type=content_type, url=url)
    # A title may hold the one date or name that the page's statements leave out.
    is_titled = content_type.startswith("text/html") and document.title != url and document.text
    return f"{document.title}\n\n{document.text}" if is_titled else document.text


def _read_pdf(body: bytes) -> str:
    from pypdf import PdfReader

    pages = PdfReader(io.BytesIO(body)).pages
    if len(pages) > MAX_PAGES:
        raise ValueError(f"has {len(pages)} pages; at most {MAX_PAGES} are read")
    return "\n\n".join(page.extract_text() for page in pages)


def main() -> None:
    """Decode standard input under a limit on memory."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    content_type, url = sys.argv[1:]
    try:
        result = {"text": decode(sys.stdin.buffer.read(), content_type=content_type, url=url)}
    except Exception as error:  # noqa: BLE001 - a parser raises anything; the caller wants a sentence
        result = {"problem": f"{type(error).__name__}: {error}"[:300]}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
