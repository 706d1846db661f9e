"""Roles: what part a value plays in its statement, and whether that is the part a field asks for."""

from __future__ import annotations

import re
from typing import Final

from pytest_searchlight.baseline.fields import Field, Kind
from pytest_searchlight.baseline.pages import Statement
from pytest_searchlight.baseline.reading import NAMED
from pytest_searchlight.baseline.values import Value, is_unit
from pytest_searchlight.baseline.words import stem_words

_WINDOW_CHARS: Final = 80
_WANTS_PAST: Final = frozenset(
    stem_words("previous old former prior before earlier original initial replaced")
)
_PAST_AFTER: Final = re.compile(
    r"^[^.;,()]{0,20}\b(?:before|previously|earlier|formerly|until|in the past)\b", re.IGNORECASE
)
_PAST_BEFORE: Final = re.compile(
    r"\b(?:before|previously|formerly|was|were|used to be|old|instead of|rather than|up from|down from"
    r"|no longer|from|replac(?:es|ed|ing)|superseded|until)\s(?:\w+\s){0,2}\W*$",
    re.IGNORECASE,
)
_FROM_TO: Final = re.compile(r"\bfrom\b[^.;]{1,60}\bto\s(?:\w+\s){0,2}\W*$", re.IGNORECASE)
_STALE: Final = re.compile(
    r"\b(?:withdrawn|superseded|obsolete|outdated|end of life|retired|discontinued|archived|no longer)\b",
    re.IGNORECASE,
)
_STALE_WORDS: Final = frozenset(
    stem_words("withdrawn superseded obsolete retired discontinued archived previous old")
)

_PAGE_FACT: Final = re.compile(
    r"^\W*(?:last )?(?:changed|updated|modified|reviewed|edited|posted|retrieved)\b|\b(?:wrote|posted) on\b",
    re.IGNORECASE,
)
_UPDATE_WORDS: Final = frozenset(stem_words("updated changed modified reviewed edited posted"))
_RANGE_BEFORE: Final = re.compile(r"\d\s?(?:to|\u2013|-)\s?$")
_RANGE_AFTER: Final = re.compile(r"^\s?(?:to|\u2013|-)\s?\d")
_RANGE_WORDS: Final = _WANTS_PAST | frozenset(stem_words("range minimum maximum lowest highest limit new"))
"""Fields that want an end: of a range, or of a change that is written like one, "from 200 to 350"."""
_WORD_BEFORE: Final = re.compile(r"(?P<word>[^\W\d_]+)\s$")
_ORDINAL_WORDS: Final = frozenset(
    [
        "before",
        "since",
        "after",
        "until",
        "version",
        "release",
        "series",
        "chapter",
        "section",
        "table",
        "figure",
        "step",
    ]
)


def rate_role(found: Value, statement: Statement, field: Field) -> float:
    """About 1: how much the part that `found` plays in `statement` speaks for it as the value of `field`."""
    rating = _rate_form(found, statement, field) * _rate_time(found, statement, field)
    if field.kind is Kind.NUMBER:
        return rating * _rate_number(found, statement, field)
    if field.kind in {Kind.DATE, Kind.MONTH, Kind.YEAR} and _PAGE_FACT.search(statement.text):
        return rating * (1.0 if _UPDATE_WORDS & {*field.terms} else 0.6)
    return rating


def _look_around(found: Value, statement: Statement) -> tuple[str, str]:
    """What stands right before and right after a value."""
    before = statement.text[max(0, found.start - _WINDOW_CHARS) : found.start]
    return before, statement.text[found.end : found.end + _WINDOW_CHARS]


def _rate_form(found: Value, statement: Statement, field: Field) -> float:
    """The right unit, a longer name, a release of the series that the field names."""
    if field.kind is Kind.NUMBER and field.unit:
        return 1.0 if found.unit == field.unit else 0.6
    if field.kind is Kind.NUMBER:
        names_thing = bool(found.unit) and {*stem_words(found.unit)} <= {*field.terms, *field.hints}
        return 1.2 if names_thing else 0.7 if is_unit(found.unit) else 0.9
    if field.kind is Kind.VERSION:
        return 1.2 if any(str(found.value).startswith(f"{term}.") for term in field.terms) else 1.0
    if field.kind in NAMED and statement.shape in {"sentence", "item"}:
        return 0.9 if " " in str(found.value) else 0.75
    return 1.0


def _rate_number(found: Value, statement: Statement, field: Field) -> float:
    """The end of a range counts less, and so does the number in a name, unless the name is the field's."""
    before, after = _look_around(found, statement)
    in_range = _RANGE_BEFORE.search(before) or _RANGE_AFTER.match(after)
    rating = 0.6 if in_range and not _RANGE_WORDS & {*field.terms} else 1.0
    named = _WORD_BEFORE.search(before)
    if found.unit in _ORDINAL_WORDS:
        return 0.6 * rating
    if not named or found.unit:
        return rating
    word = named["word"]
    if {*stem_words(word)} & {*field.terms}:
        return 1.2 * rating
    is_ordinal = word.casefold() in _ORDINAL_WORDS or (word[0].isupper() and named.start() > 0)
    return (0.6 if is_ordinal else 1.0) * rating


def _rate_time(found: Value, statement: Statement, field: Field) -> float:
    """Fields want what holds now, unless their name asks for what held before."""
    before, after = _look_around(found, statement)
    is_new = bool(_FROM_TO.search(before))
    is_past = bool(_PAST_AFTER.match(after)) or (not is_new and bool(_PAST_BEFORE.search(before)))
    if _WANTS_PAST & {*field.terms}:
        return 1.25 if is_past else 0.75 if is_new else 0.9
    in_parentheses = before.count("(") > before.count(")")
    is_stale = not _STALE_WORDS & {*field.terms} and _STALE.search(f"{statement.heading} {statement.nearby}")
    return (0.75 if is_past else 1.0) * (0.85 if in_parentheses else 1.0) * (0.8 if is_stale else 1.0)
