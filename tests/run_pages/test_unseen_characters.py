"""Texts of strangers: what the eye cannot see is shown, and data in a script cannot leave it."""

from __future__ import annotations

import json

import pytest
from markupsafe import Markup
from pydantic import JsonValue

from pytest_searchlight.run_pages.texts import (
    cut_text,
    encode_for_script,
    finalize_value,
    show_unseen,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b", "a␀b"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x7f", "␡"),
        ("\u202eevil", "⟨U+202E⟩evil"),
        ("\u2066\u2028\ufeff", "⟨U+2066⟩⟨U+2028⟩⟨U+FEFF⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("one\rtwo", "one␍two"),
    ],
)
def test_what_cannot_be_seen_is_shown(text: str, shown: str) -> None:
    assert show_unseen(text) == shown


@pytest.mark.parametrize(
    "text", ["line\nline\ttab", "dos\r\n", "é 漢字 עברית", "👩\u200d💻", "\u0646\u200c\u0647"]
)
def test_ordinary_writing_stays_as_it_is(text: str) -> None:
    assert show_unseen(text) == text


def test_a_template_prints_markup_as_it_is_and_all_else_as_shown_text() -> None:
    assert finalize_value(Markup("<b>\u202e</b>")) == Markup("<b>\u202e</b>")
    assert finalize_value("\u202e") == "⟨U+202E⟩"
    assert finalize_value(3) == "3"


def test_data_in_a_script_cannot_end_it_and_comes_back_whole() -> None:
    value: JsonValue = {"</script><!--": ["<img onerror=x>", "\u2028\u2029", "&amp;", "\ud800", None, 1.5]}
    text = encode_for_script(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_a_long_text_is_cut_on_one_line() -> None:
    assert cut_text("one\n two", most_chars=20) == "one two"
    assert cut_text("x" * 50, most_chars=10) == "x" * 9 + "…"
