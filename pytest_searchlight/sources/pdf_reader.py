"""A program of its own that turns a PDF on standard input into JSON on standard output.

Its parser is handed what strangers wrote, so it runs where memory and time end it and nobody else: started
by `reading.read_pdf`, with a limit on its own memory.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from typing import Final

MAX_PAGES: Final = 2000
_MEMORY_BYTES: Final = 1_500_000_000


def main() -> None:
    """Read, limit, parse, print ``{"text": ...}`` or ``{"problem": ...}``."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    try:
        result = {"text": read_text(sys.stdin.buffer.read())}
    except Exception as error:  # noqa: BLE001 - the parser raises anything; the caller wants a sentence
        result = {"problem": f"{type(error).__name__}: {error}"[:300]}
    json.dump(result, sys.stdout)


def read_text(body: bytes) -> str:
    """The text of a PDF's pages. Raises what the parser raises."""
    from pypdf import PdfReader

    pages = PdfReader(io.BytesIO(body)).pages
    if len(pages) > MAX_PAGES:
        raise ValueError(f"has {len(pages)} pages; at most {MAX_PAGES} are read")
    return "\n\n".join(page.extract_text() for page in pages)


if __name__ == "__main__":
    main()
