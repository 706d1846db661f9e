"""Reading: what one piece of text says for a field, converted and held against the schema's limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from pytest_searchlight.baseline import values
from pytest_searchlight.baseline.fields import Field, Kind
from pytest_searchlight.baseline.pages import Statement
from pytest_searchlight.baseline.values import Json, Value
from pytest_searchlight.baseline.words import stem_words

MAX_PHRASE_CHARS: Final = 80

MIN_CHOICE_SHARE: Final = 0.6
MAX_PHRASE_WORDS: Final = 8

NAMED: Final = frozenset({Kind.NAME, Kind.CODE, Kind.PHRASE})
"""Kinds for which a cell or a labelled value that is short enough is the value as a whole."""

_UNKNOWN: Final = re.compile(
    r"\b(?:(?:do|does|did|has|have) not (?:yet )?(?:publish|disclose|announce|share|state|say)\w*"
    r"|not (?:yet )?(?:been )?(?:announced|published|disclosed|decided|known|released|set|determined|fixed)"
    r"|no (?:release )?(?:date|plan|schedule|timeline)s?\b"
    r"|unpublished|undisclosed|unannounced|unknown|to be (?:announced|determined|decided)|tb[acd])\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:no|not|never|none|without|cannot|neither|nor|removed|dropped|unsupported|disabled|unavailable"
    r"|withdrawn)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_YES: Final = frozenset({"yes", "true", "supported", "y", "✓", "✔", "available", "included"})
_NO: Final = frozenset({"no", "false", "unsupported", "n", "✗", "✘", "none", "-", "\u2013", "—"})
_REMARK: Final = re.compile(r"\s*[(\uff08,;\u3001]")
_SENTENCE_CHARS: Final = 20

_FINDERS: Final[Mapping[Kind, Callable[[str], Iterator[Value]]]] = {
    Kind.NUMBER: values.find_numbers,
    Kind.YEAR: values.find_years,
    Kind.DATE: values.find_dates,
    Kind.MONTH: values.find_months,
    Kind.VERSION: values.find_versions,
    Kind.URL: values.find_urls,
    Kind.EMAIL: values.find_emails,
    Kind.CODE: values.find_codes,
    Kind.NAME: values.find_names,
    Kind.PHRASE: values.find_phrases,
}


@lru_cache(maxsize=16_384)
def _find(kind: Kind, text: str) -> tuple[Value, ...]:
    """Kept, since every field of a kind and every row asks the same statements."""
    return tuple(_FINDERS[kind](text))


def says_unknown(text: str) -> bool:
    """Whether `text` says that something is not known or not decided."""
    return _UNKNOWN.search(text) is not None


def find_in_statement(statement: Statement, field: Field) -> Iterator[Value]:
    """Every value of `field` in a statement; a short cell or labelled value is one as a whole."""
    if field.kind in NAMED and statement.shape in {"label", "cell"}:
        whole = read_named(statement.text, field)
        if whole is not None:
            yield Value(whole, 0, len(statement.text))
            return
    yield from find_in_text(statement.text, field, unit=_find_lead_unit(statement.lead))


def read_named(text: str, field: Field) -> str | None:
    """The name, code or phrase that a whole cell is, without remarks; None when it is something else."""
    named = text.strip("` ")
    if field.kind is Kind.NAME:
        named = _REMARK.split(named, maxsplit=1)[0]
    named = named.removesuffix(".") if named.count(".") == 1 else named
    is_phrase = len(named) <= MAX_PHRASE_CHARS and len(named.split()) <= MAX_PHRASE_WORDS
    is_other = field.kind is Kind.NAME and not named[:1].isalpha()
    return named if named and is_phrase and not is_other and _fits(named, field) else None


def find_in_text(text: str, field: Field, *, unit: str = "") -> Iterator[Value]:
    """Every value of `field` in `text`.

    Args:
        text: where to look.
        field: what to look for.
        unit: the unit of numbers that have none of their own, from a table's header.
    """
    pattern = str(field.schema.get("pattern", ""))
    found = values.find_pattern(text, pattern) if field.kind is Kind.PATTERN else _find(field.kind, text)
    for value in found:
        fitting = _convert(value, field, unit=unit)
        if fitting is not None and _fits(fitting.value, field):
            yield fitting


def read_value(text: str, field: Field) -> Json:
    """The value of `field` that `text`, a cell or an item that is about nothing else, gives; or None."""
    match field.kind:
        case Kind.BOOLEAN:
            return read_boolean(text)
        case Kind.CHOICE:
            return read_choice(text, field)
        case Kind.PROSE:
            return text.strip() or None
        case Kind.NAME | Kind.PHRASE | Kind.CODE:
            return None if says_unknown(text) else read_named(text, field)
        case Kind.VERSION:
            found = next(find_in_text(text, field), None)
            bare = re.fullmatch(r"\D*(?P<version>\d+(?:\.\d+)*)\D*", text)
            return found.value if found else bare["version"] if bare else None
        case _:
            return next((found.value for found in find_in_text(text, field)), None)


def read_boolean(text: str) -> bool | None:
    """Yes or no as `text` says it; a sentence says yes unless it holds a negation."""
    plain = text.strip(" .*`").casefold()
    first = re.split(r"[\s,;(]+", plain, maxsplit=1)[0] if plain else ""
    if plain in _NO or first in {"no", "false", "✗", "✘"}:
        return False
    if plain in _YES or first in {"yes", "true", "✓", "✔"}:
        return True
    return not _NEGATION.search(plain) if len(plain) > _SENTENCE_CHARS else None


def read_choice(text: str, field: Field) -> str | None:
    """The one of the field's choices whose words are most in `text`; None when too few or shared alike."""
    stems = frozenset(stem_words(text.replace("-", " ")))
    shares = sorted(
        ((len(words & stems) / len(words), choice) for choice, words in field.choices), reverse=True
    )
    if not shares or shares[0][0] < MIN_CHOICE_SHARE:
        return None
    return None if len(shares) > 1 and shares[1][0] == shares[0][0] else shares[0][1]


def _convert(found: Value, field: Field, *, unit: str) -> Value | None:
    """A number in the unit that the field asks for; anything else as it is."""
    if field.kind is not Kind.NUMBER or not isinstance(found.value, int | float):
        return found
    known = found.unit if values.is_unit(found.unit) else unit
    if not field.unit or not known:
        return found
    number = values.convert_number(found.value, unit=known, wanted=field.unit)
    return None if number is None else Value(number, found.start, found.end, field.unit)


def _fits(value: Json, field: Field) -> bool:
    """Whether the schema's own limits allow `value`."""
    schema = field.schema
    if isinstance(value, int | float):
        wants_integer = "integer" in str(schema.get("type")) and "number" not in str(schema.get("type"))
        in_range = schema.get("minimum", value) <= value <= schema.get("maximum", value)
        return bool(in_range) and not (wants_integer and not float(value).is_integer())
    text = str(value)
    return len(text) <= int(schema.get("maxLength", len(text))) and _matches(schema.get("pattern"), text)


def _matches(pattern: object, text: str) -> bool:
    """Whether `pattern` accepts `text`; none, or one that does not compile, accepts anything."""
    try:
        return not isinstance(pattern, str) or re.search(pattern, text) is not None
    except re.error:
        return True


def _find_lead_unit(lead: str) -> str:
    """The unit in parentheses or at the end of a header, such as ``Timeout (ms)``."""
    words = re.findall(r"[a-zA-Z%]+", lead.split(" / ", maxsplit=1)[-1])
    return words[-1].casefold() if words and values.is_unit(words[-1]) else ""
