"""Texts of strangers, made safe to look at: what cannot be seen is shown by a sign or by its number."""

from __future__ import annotations

import json
import re
from typing import Final

from markupsafe import Markup
from pydantic import JsonValue

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]|\r(?!\n)"
)
"""Controls, line and paragraph separators, what turns the direction of a text or has no width, tags that
only machines read, and halves of characters. Joiners stay, for scripts and emoji need them."""

_PICTURES: Final = 0x2400
_DELETE: Final = 0x7F
_DELETE_PICTURE: Final = "\u2421"


def show_unseen(text: str) -> str:
    """`text` with every unseen character shown: controls by their pictures, others as ``⟨U+202E⟩``."""
    return _UNSEEN.sub(_show_character, text)


def finalize_value(value: object) -> object:
    """What a template prints for `value`: markup as it is, all else as text without unseen characters."""
    return value if isinstance(value, Markup) else show_unseen(str(value))


def format_json(value: JsonValue) -> str:
    """A JSON value as people read it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def cut_text(text: str, *, most_chars: int) -> str:
    """The beginning of `text` on one line, with an ellipsis where something was cut off."""
    line = " ".join(text[: 4 * most_chars].split())
    return line if len(line) <= most_chars else line[: most_chars - 1] + "…"


def encode_for_script(value: JsonValue) -> Markup:
    """Compact JSON that can stand in a ``<script>`` element whatever strings it holds."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - nothing that a parser of HTML reacts to is left


def _show_character(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else f"⟨U+{code:04X}⟩"
