"""The one value that a text states: alone, within a sentence, or before a remark on it.

``1.24 (deprecated in 1.20)`` states 1.24 and ``Removed in 1.24`` does too; ``1.24 or 1.25``, ``1.24; also
1.25`` and ``not 1.24`` state nothing that could be right, so that a list of guesses never passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Final, TypeVar

from pytest_searchlight.validators.values import (
    DATE,
    NUMBER,
    URL,
    VERSION,
    normalise_url,
    read_date,
    read_number,
    read_version,
)
from pytest_searchlight.validators.wording import AFTER_VALUE, is_commentary, is_negated, list_claims, tidy

T = TypeVar("T")

_LIMIT_BEFORE: Final = re.compile(
    r"(?:\b(?:at least|at most|up to|(?:more|less|fewer|greater|earlier|later|older|newer) than|over|under"
    r"|above|below|before|after|prior to|minimum of|maximum of|between)|[<>\u2264\u2265]=?)"
    r"\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
"""What makes the value that follows a limit, which is another statement than the value."""

_RANGE: Final = re.compile(r"\d\s*\+(?!\d)|\d\s*-\s*\d")
"""An open or closed range of numbers: ``17+``, ``15-17``."""


def read_plain_number(text: str) -> float | int | None:
    """The number that all of `text` is, or None."""
    plain = tidy(text)
    return read_number(plain) if NUMBER.fullmatch(plain) else None


def read_stated_number(text: str) -> float | int | None:
    """The one number that `text` states, or None when it states none, several, a limit or a range."""
    return _read_one(_mask_dates(tidy(text)), NUMBER, read_number, refuse=_RANGE)


def read_stated_date(text: str) -> date | None:
    """The one day that `text` states, or None when it states none, several or an ambiguous one."""
    return _read_one(tidy(text), DATE, read_date)


def read_stated_version(text: str) -> str | None:
    """The one version that `text` states, or None when it states none or several.

    A version with a dot goes before bare numbers, which may be part of a name (``Kiln 3 is at 3.2.1``).
    """
    plain = _mask_dates(tidy(text))
    dotted = _read_one(plain, _DOTTED, read_version)
    return dotted if dotted is not None or _DOTTED.search(plain) else _read_one(plain, VERSION, read_version)


_DOTTED: Final = re.compile(VERSION.pattern.replace(r"(?:\.\d+)*", r"(?:\.\d+)+", 1), re.IGNORECASE)


def read_stated_url(text: str) -> str | None:
    """The one address that `text` states, normalised, or None when it states none or several."""
    return normalise_url(text) or _read_one(text, URL, normalise_url)


def _mask_dates(text: str) -> str:
    return DATE.sub("on a day", text)


def _read_one(
    text: str,
    pattern: re.Pattern[str],
    read: Callable[[str], T | None],
    *,
    refuse: re.Pattern[str] | None = None,
) -> T | None:
    """The one value of a kind that all of `text` states, else the one before a remark on it."""
    stated = _list_stated(text, pattern, read)
    if len(stated) < 2:
        return None if refuse and refuse.search(text) else next(iter(stated), None)
    for claim in list_claims(text, end=AFTER_VALUE):
        stated = _list_stated(claim.head, pattern, read)
        if len(stated) == 1:
            fits = is_commentary(claim.remark, values=pattern) and not (refuse and refuse.search(claim.head))
            return stated.pop() if fits else None
    return None


def _list_stated(text: str, pattern: re.Pattern[str], read: Callable[[str], T | None]) -> set[T | None]:
    """The distinct values in `text` that it does not deny; None stands for a limit or an unreadable one."""
    return {
        None
        if _LIMIT_BEFORE.search(text[max(0, found.start() - 60) : found.start()])
        else read(found.group())
        for found in pattern.finditer(text)
        if not is_negated(text, found.start())
    }
