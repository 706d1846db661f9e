"""How evidence is written as bytes: strict JSON in UTF-8, whatever an agent said."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final


def encode_text(text: str) -> bytes:
    """UTF-8; what UTF-8 cannot hold (lone surrogates) stays visible as a backslash escape."""
    return text.encode("utf-8", "backslashreplace")


def encode_json(value: object) -> bytes:
    """JSON in UTF-8, indented for people, with a final newline; as strict as `encode_json_line`."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


_LINES: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def encode_json_line(value: object) -> str:
    """JSON on one line, with its newline, which every strict reader takes.

    NaN and infinities are refused; lone surrogates, which agents' tools do emit, turn into ``?``.
    """
    text = _LINES.encode(value)
    return (text if text.isascii() else text.encode("utf-8", "replace").decode()) + "\n"


def encode_json_lines(values: Iterable[object]) -> str:
    """JSON lines, one value a line."""
    return "".join(map(encode_json_line, values))
