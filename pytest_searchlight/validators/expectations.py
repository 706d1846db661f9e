"""The small language in which a catalog says what one value should be, and how a value is held against it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
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
    AFTER_NAME,
    find_asserted,
    find_claimed,
    is_commentary,
    list_claims,
    normalise,
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
    """A number: `value` (written ``is``), exact unless `within` (absolute) or `within_percent` allows more."""

    value: Annotated[float, Field(alias="is", strict=True)]
    within: NonNegativeFloat | None = None
    within_percent: NonNegativeFloat | None = None

    @property
    def tolerance(self) -> float:
        """The largest difference that still passes, in the number's own unit."""
        share = abs(self.value) * (self.within_percent or 0.0) / 100
        return max(self.within or 0.0, share, 1e-9 * max(1.0, abs(self.value)))


class Expectation(Record):
    """What a value should be: exactly one of the words up to `accept`; `forbid` may stand beside any of them.

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

    def describe(self) -> str:
        """The expectation as it is shown in a reason."""
        word = self.list_words()[0]
        wanted = self.model_dump(mode="json", by_alias=True, exclude_none=True)[word]
        return f"{word} {shorten(wanted)}"


WORDS: Final = ("equals", "any_of", "number", "date", "version", "url", "accept")


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
        return Finding(CheckOutcome.WRONG, f"{shorten(value)} states {forbidden!r}, which is forbidden")
    if _is_met(value, expectation):
        return Finding(CheckOutcome.PASS, f"{shorten(value)} meets {expectation.describe()}")
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
    if expectation.accept is not None:
        return any(
            find_asserted(_compile(pattern), text) is not None
            for text in _list_texts(value)
            for pattern in expectation.accept
        )
    if value is None or isinstance(value, list | dict):
        return False
    if expectation.number is not None:
        stated = _read_stated_number(value)
        return stated is not None and abs(stated - expectation.number.value) <= expectation.number.tolerance
    if expectation.date is not None:
        return isinstance(value, str) and read_stated_date(value) == read_date(expectation.date)
    if expectation.version is not None:
        text = value if isinstance(value, str) else str(value)
        return not isinstance(value, bool) and read_stated_version(text) == read_version(expectation.version)
    if expectation.url is not None:
        return isinstance(value, str) and read_stated_url(value) == normalise_url(expectation.url)
    wanted = expectation.any_of if expectation.any_of is not None else (expectation.equals,)
    return any(equals_scalar(value, each) for each in wanted if each is not None)


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


def equals_scalar(value: bool | float | str, wanted: Scalar) -> bool:  # noqa: FBT001 - a value, not a switch
    """Whether `value` is `wanted`, as `Expectation.equals` describes it."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, str) and isinstance(wanted, str):
        return matches_name(value, wanted)
    if isinstance(value, str):
        number = read_plain_number(value)
        return number is not None and number == wanted
    if isinstance(wanted, str):
        return str(value) == wanted.strip()
    return value == wanted


def matches_name(text: str, name: str) -> bool:
    """Whether `text` says `name`, perhaps with a remark after it."""
    wanted = normalise(name)
    if normalise(text) == wanted:
        return True
    claims = list_claims(tidy(text), end=AFTER_NAME)
    return any(normalise(claim.head) == wanted and is_commentary(claim.remark) for claim in claims)


def _read_stated_number(value: bool | float | str) -> float | int | None:  # noqa: FBT001 - a value
    if isinstance(value, bool):
        return None
    return read_stated_number(value) if isinstance(value, str) else value
