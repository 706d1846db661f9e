"""Telling an honest "there is no answer" from a value, and from a value with a disclaimer around it.

A text declines when it is one of the usual words (``n/a``, ``unknown``), or when it denies that something
is known, published or there, and none of its clauses offers a value or a guess all the same. Where one looked
and when (``as of 2026-11-30``) is no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.validators.values import MONTH
from pytest_searchlight.validators.wording import MAX_TEXT_CHARS, is_hedged, normalise, tidy


def _any_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_SILENT_WORDS: Final = frozenset({
    "n/a", "na", "none", "nil", "null", "nothing", "unknown", "unavailable", "undisclosed", "unspecified",
    "unannounced", "unpublished", "undetermined", "unconfirmed", "undefined", "unanswerable", "inconclusive",
    "missing", "pending", "declined", "tba", "tbd", "tbc", "to be announced", "to be determined",
    "to be confirmed", "not sure", "not applicable", "insufficient data", "insufficient evidence",
    "insufficient information", "no match", "?", "-", "--", "...", "", " ",
})  # fmt: skip

_KNOWN: Final = _any_of(
    "available find found locate located identify identified verify verified confirm confirmed know known "
    "establish established determine determined announce announced publish published disclose disclosed "
    "specify specified state stated list listed exist exists document documented provide provided release "
    "released report reported give given mention mentioned answer answered say said reveal revealed public "
    "set scheduled decided quote quoted"
)
_ASKED: Final = _any_of(
    "answer data information date price pricing value figure evidence source result record announcement "
    "mention statement documentation page plan number version release parameter option setting feature "
    "product entry match reference indication confirmation schedule roadmap filing report revenue name"
)
_ADVERBS: Final = r"(?:(?:yet|been|be|publicly|officially|currently|reliably|independently) )*"
_AUXILIARY: Final = _any_of("could can was were am is are do does did has have had would will")
_DENIAL: Final = re.compile(
    rf"\b(?:{_AUXILIARY}(?: not|n't)|cannot|never|unable to|failed to)(?: [\w'-]+){{0,4}}? {_KNOWN}\b"
    rf"|\b(?:not|none) {_ADVERBS}{_KNOWN}\b"
    rf"|\bno(?: [\w'./-]+){{0,5}}? {_ASKED}s?\b"
    r"|\b(?:unknown|unavailable|undisclosed|unannounced|unpublished|unspecified|undetermined)\b"
    r"|\b(?:contact sales|on request|custom pricing|quote only)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(
    r"[;!?\n]|\.(?=\s|$)|,?\s+\b(?:but|however|although|though|while|nevertheless|still,)\b|\s-\s|:\s|,\s",
    re.IGNORECASE,
)

_ANY_DATE: Final = (
    r"(?:\d{4}(?:-\d\d){1,2}"
    rf"|(?:Q[1-4] |(?:\d{{1,2}}(?:st|nd|rd|th)? )?{MONTH}\.? (?:\d{{1,2}}, )?)?\d{{4}})\b"
)
_OBSERVED: Final = re.compile(
    r"\b(?:as (?:of|at)|today,?"
    rf"|(?:last )?{_any_of('checked accessed observed retrieved searched verified visited')}"
    rf"(?: (?:on|at|as of|until))?)\s*[:,]?\s*{_ANY_DATE}",
    re.IGNORECASE,
)
_SCENE: Final = re.compile(
    rf"\s*{_any_of('as in for on after since by through across within from under at with despite')}\b",
    re.IGNORECASE,
)
"""How a clause begins that says where one looked: ``In the 3.2 changelog, no date is given``."""

_FIGURE: Final = re.compile(
    rf"[$\u20ac\u00a3\u00a5]\s*\d|\d\s*(?:%|usd|eur|dollars?|euros?)|\d{{4}}-\d\d|(?:{MONTH}\.?|Q[1-4]) \d",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"\d")
_EXCEPTION: Final = re.compile(r"\b(?:other than|except|beyond|besides|apart from|only)\b", re.IGNORECASE)


def is_declined(value: JsonValue) -> bool:
    """Whether `value` gives no answer: null, empty, or words that say so and claim nothing else."""
    if value is None:
        return True
    if isinstance(value, str):
        return _is_declining_text(value[:MAX_TEXT_CHARS])
    if isinstance(value, dict):
        return all(is_declined(part) for part in value.values())
    if isinstance(value, list):
        return all(is_declined(part) for part in value)
    return False


def find_fabrication(value: JsonValue) -> str | None:
    """What a value claims although there is nothing to claim, or None when it is an honest decline."""
    if is_declined(value):
        return None
    if isinstance(value, dict):
        return next(_find_all(list(value.values())), None)
    if isinstance(value, list):
        return next(_find_all(value), None)
    return str(value)


def _find_all(values: list[JsonValue]) -> Iterator[str]:
    for part in values:
        found = find_fabrication(part)
        if found is not None:
            yield found


@lru_cache(maxsize=1024)
def _is_declining_text(text: str) -> bool:
    words = normalise(text).replace("_", " ")
    if words in _SILENT_WORDS or words.replace("-", " ") in _SILENT_WORDS:
        return True
    return _is_declining_prose(_OBSERVED.sub(" ", tidy(text).replace("_", " ")))


def _is_declining_prose(text: str) -> bool:
    """Whether prose denies knowing, and no clause of it offers a value or a hedged guess."""
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause.strip()]
    denied = [_DENIAL.search(clause) is not None for clause in clauses]
    return any(denied) and not any(
        is_hedged(clause) or _offers_value(clause, denied=is_denied)
        for clause, is_denied in zip(clauses, denied, strict=True)
    )


def _offers_value(clause: str, *, denied: bool) -> bool:
    if denied:
        return _EXCEPTION.search(clause) is not None and _DIGIT.search(clause) is not None
    return (_FIGURE if _SCENE.match(clause) else _DIGIT).search(clause) is not None
