"""The small language in which a catalog says what one value should be, and how a value is held against it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Final, NamedTuple, Self

from pydantic import AfterValidator, Field, JsonValue, NonNegativeFloat, model_validator

from pytest_searchlight.deliverables import shorten
from pytest_searchlight.domain import CheckOutcome, Record, Text
from pytest_searchlight.patterns import explain_pattern
from pytest_searchlight.validators.declines import is_declined
from pytest_searchlight.validators.statements import (
    read_plain_number,
    read_stated_date,
    read_stated_number,
    read_stated_url,
    read_stated_version,
)
from pytest_searchlight.validators.values import normalise_url, read_date, read_version
from pytest_searchlight.validators.wording import (
    find_asserted,
    find_claimed,
    matches_name,
    tidy,
)

Scalar = bool | int | float | str


def _check_pattern(pattern: str) -> str:
    message = explain_pattern(pattern)
    if message is None and tidy(pattern) != pattern.strip():
        message = f"has characters that read text never has → write it as {tidy(pattern)!r}"
    if message is not None:
        raise ValueError(f"{pattern!r} → {message}")
    return pattern


def _check_date(text: str) -> str:
    if read_date(text) is None or not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        raise ValueError(f"{text!r} → is no date → write it as YYYY-MM-DD")
    return text


def _check_url(text: str) -> str:
    if normalise_url(text) is None:
        raise ValueError(f"{text!r} → is no http or https URL → write it in full")
    return text


Pattern = Annotated[Text, AfterValidator(_check_pattern)]


class NumberRule(Record):
    """A number: `value` (written ``is``), exact unless `within` or `within_percent` allows more."""

    value: Annotated[float, Field(alias="is", strict=True)]
    within: NonNegativeFloat | None = None
    within_percent: NonNegativeFloat | None = None

    def allows(self, number: float) -> bool:
        """Whether `number` is close enough."""
        share = abs(self.value) * (self.within_percent or 0.0) / 100
        rounding = 1e-9 * max(1.0, abs(self.value))
        return abs(number - self.value) <= max(self.within or 0.0, share) + rounding


class Expectation(Record):
    """What a value should be: exactly one of the words up to `accept`; `forbid` may stand beside it.

    equals: one value. True and false match only themselves; numbers compare by value; text compares
        without case, Unicode form, kind of dash or quote, wrapping quotes, closing punctuation, and without
        a remark that follows in brackets or after a dash.
    any_of: several values, each read like `equals`.
    number: a number, also written in words of text (``about 1,200``), but only one.
    date: a day as YYYY-MM-DD; every form with one reading is understood (``1 March 2026``).
    version: a version; a leading ``v`` does not matter.
    url: an address; scheme, closing slash, fragment and tracking parameters do not matter.
    accept: regular expressions, one of which must be found, and not be denied (``not 5``).
    forbid: regular expressions, none of which may be found other than denied (``no need to rebuild``).
    """

    equals: Scalar | None = None
    any_of: Annotated[tuple[Scalar, ...], Field(min_length=1)] | None = None
    number: NumberRule | None = None
    date: Annotated[str, AfterValidator(_check_date)] | None = None
    version: Text | None = None
    url: Annotated[str, AfterValidator(_check_url)] | None = None
    accept: Annotated[tuple[Pattern, ...], Field(min_length=1)] | None = None
    forbid: tuple[Pattern, ...] = ()

    @model_validator(mode="after")
    def _demand_one_word(self) -> Self:
        words = self.list_words()
        if len(words) != 1:
            raise ValueError(
                f"{' and '.join(words) or 'nothing'} given → one value has one expectation → "
                f"write exactly one of {', '.join(WORDS)}"
            )
        return self

    def list_words(self) -> tuple[str, ...]:
        """Which of the words are given."""
        return tuple(word for word in WORDS if getattr(self, word) is not None)

    @cached_property
    def word(self) -> str:
        """The one word that is given."""
        return self.list_words()[0]

    def describe(self) -> str:
        """The expectation as it is shown in a reason."""
        wanted = self.model_dump(mode="json", by_alias=True, exclude_none=True)[self.word]
        return f"{self.word} {shorten(wanted)}"


class Finding(NamedTuple):
    """What came of holding one value against one expectation."""

    outcome: CheckOutcome
    reason: str


def meet_expectation(value: JsonValue, expectation: Expectation) -> Finding:
    """Hold `value` against `expectation`: pass, missing (declined) or wrong, with the reason."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    forbidden = _find_forbidden(value, expectation)
    if forbidden is not None:
        return Finding(
            CheckOutcome.WRONG, f"{shorten(value)} states {shorten(forbidden)!r}, which is forbidden"
        )
    if _is_met(value, expectation):
        return Finding(CheckOutcome.PASS, f"{shorten(value)} is right")
    if is_declined(value):
        return Finding(CheckOutcome.MISSING, f"{shorten(value)} declines; expected {expectation.describe()}")
    return Finding(CheckOutcome.WRONG, f"{shorten(value)} is not {expectation.describe()}")


def _find_forbidden(value: JsonValue, expectation: Expectation) -> str | None:
    for text in _list_texts(value):
        for pattern in expectation.forbid:
            found = find_claimed(_compile(pattern), text)
            if found is not None:
                return found
    return None


def _is_met(value: JsonValue, expectation: Expectation) -> bool:
    return _MEETS[expectation.word](value, expectation)


def _meets_equals(value: JsonValue, expectation: Expectation) -> bool:
    return expectation.equals is not None and equals_scalar(value, expectation.equals)


def _meets_any_of(value: JsonValue, expectation: Expectation) -> bool:
    return any(equals_scalar(value, wanted) for wanted in expectation.any_of or ())


def _meets_number(value: JsonValue, expectation: Expectation) -> bool:
    rule = expectation.number
    stated = read_stated_number(value) if isinstance(value, str) else value
    if rule is None or isinstance(stated, bool) or not isinstance(stated, int | float):
        return False
    return rule.allows(stated)


def _meets_date(value: JsonValue, expectation: Expectation) -> bool:
    return isinstance(value, str) and read_stated_date(value) == read_date(expectation.date or "")


def _meets_version(value: JsonValue, expectation: Expectation) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    return read_stated_version(str(value)) == read_version(expectation.version or "")


def _meets_url(value: JsonValue, expectation: Expectation) -> bool:
    return isinstance(value, str) and read_stated_url(value) == normalise_url(expectation.url or "")


def _meets_accept(value: JsonValue, expectation: Expectation) -> bool:
    patterns = [_compile(pattern) for pattern in expectation.accept or ()]
    return any(find_asserted(pattern, text) for text in _list_texts(value) for pattern in patterns)


_MEETS: Final[Mapping[str, Callable[[JsonValue, Expectation], bool]]] = {
    "equals": _meets_equals,
    "any_of": _meets_any_of,
    "number": _meets_number,
    "date": _meets_date,
    "version": _meets_version,
    "url": _meets_url,
    "accept": _meets_accept,
}
WORDS: Final = tuple(_MEETS)
"""The words of which an expectation has exactly one."""


def _list_texts(value: JsonValue) -> Iterator[str]:
    """The texts within a value, tidied; numbers as written in JSON."""
    if isinstance(value, list):
        for part in value:
            yield from _list_texts(part)
    elif isinstance(value, dict):
        yield from _list_texts(list(value.values()))
    elif isinstance(value, str):
        yield tidy(value)
    elif value is not None:
        yield str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=2048)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# --- single values ----------------------------------------------------------------------------------------


def equals_scalar(value: JsonValue, wanted: Scalar) -> bool:
    """Whether `value` is `wanted`, as `Expectation.equals` describes it."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, str) and isinstance(wanted, str):
        return matches_name(value, wanted)
    if isinstance(value, str):
        return read_plain_number(value) == wanted
    if isinstance(wanted, str):
        return isinstance(value, int | float) and str(value) == wanted.strip()
    return value == wanted
