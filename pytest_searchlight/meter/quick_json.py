"""JSON without the module `json`, which costs 7 ms to import (`re` and `enum` come with it).

An agent waits for its servers, so nothing may stand before the server's start that can stand behind it.
"""

from __future__ import annotations


class _Options:
    """What the scanner asks of the decoder that it is made for."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def parse_json(data: bytes) -> object:
    """What `json.loads` gives, by the scanner in C below it.

    Whatever that scanner has trouble with is left to `json` itself, errors included.

    Raises:
        ValueError: it is no JSON.
    """
    text = data.decode("utf-8").strip()
    try:
        from _json import make_scanner

        document, end = make_scanner(_Options)(text, 0)  # type: ignore[arg-type]  # any such object will do
    except (ImportError, AttributeError, StopIteration, SystemError):
        end = None
    if end == len(text):
        return document
    import json

    return json.loads(text)
