"""Scalars: the best value for one field, out of every statement that was read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_searchlight.baseline import values
from pytest_searchlight.baseline.fields import Field, Kind
from pytest_searchlight.baseline.pages import Page, Statement
from pytest_searchlight.baseline.ranking import Ranker
from pytest_searchlight.baseline.values import Value
from pytest_searchlight.baseline.words import stem_words

MIN_RATING: Final = 0.3
"""Below this a value is a guess, and a guess is worse than null."""
CORROBORATION: Final = 0.7
"""A page that gives the same value backs it when it rates at least this share of the best."""
MAX_PHRASE_CHARS: Final = 80

_UNKNOWN: Final = re.compile(
    r"\b(?:not (?:yet )?(?:been )?(?:announced|published|disclosed|decided|known|released|set|determined)"
    r"|unpublished|undisclosed|unannounced|unknown|to be (?:announced|determined|decided)|tb[acd])\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:no|not|never|none|without|cannot|neither|nor|removed|dropped|unsupported|disabled|unavailable|withdrawn)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_YES: Final = frozenset({"yes", "true", "supported", "y", "✓", "✔", "available", "included"})
_NO: Final = frozenset({"no", "false", "unsupported", "n", "✗", "✘", "not supported", "none", "-", "\u2013", "—"})
_EMPTY_CHOICES: Final = frozenset({"unknown", "none", "other", "n/a", "unclear", "not found", "undetermined"})


@dataclass(frozen=True)
class Finding:
    """A value for the deliverable and the pages that give it, best first; None when there is none."""

    value: Any
    pages: tuple[Page, ...] = ()
    rating: float = 0.0


NOTHING: Final = Finding(None)


@dataclass(frozen=True)
class _Candidate:
    value: Any
    statement: Statement
    rating: float


def find_scalar(ranker: Ranker, field: Field, *, also: Sequence[str] = ()) -> Finding:
    """The best value for `field`, or NOTHING when none is good enough.

    Args:
        ranker: rates the statements of what was read.
        field: a field that holds one value.
        also: stems that must be around, such as those of the row's key.
    """
    match field.kind:
        case Kind.PROSE:
            return _find_prose(ranker, field, also)
        case Kind.BOOLEAN:
            candidates = _judge_statements(ranker, field, also, read_boolean)
        case Kind.CHOICE:
            candidates = _judge_statements(ranker, field, also, _read_choice(field))
        case _:
            candidates = _collect_values(ranker, field, also)
    best = max(candidates, key=lambda candidate: candidate.rating, default=None)
    if best is None or best.rating < MIN_RATING or _is_declared_unknown(ranker, field, also, best):
        return NOTHING
    return Finding(best.value, _find_backing(candidates, best), best.rating)


def read_value(text: str, field: Field) -> Any:
    """The value of `field` that `text`, a cell or an item that is about nothing else, gives; or None."""
    match field.kind:
        case Kind.BOOLEAN:
            return read_boolean(text)
        case Kind.CHOICE:
            return _read_choice(field)(text)
        case Kind.PROSE | Kind.NAME | Kind.PHRASE | Kind.CODE:
            return None if _UNKNOWN.search(text) else text.strip("` ") or None
        case _:
            return next((found.value for found in _find_values(text, field, unit="")), None)


def read_boolean(text: str) -> bool | None:
    """Yes or no as `text` says it; a sentence says yes unless it holds a negation."""
    plain = text.strip(" .*`").casefold()
    first = re.split(r"[\s,;(]+", plain, maxsplit=1)[0] if plain else ""
    if plain in _NO or first in {"no", "false", "✗", "✘"}:
        return False
    if plain in _YES or first in {"yes", "true", "✓", "✔"}:
        return True
    return not _NEGATION.search(plain) if len(plain) > 20 else None


# --- candidates --------------------------------------------------------------------------------------------

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
    Kind.PHRASE: lambda text: (*values.find_codes(text), *values.find_names(text)),
}


def _collect_values(ranker: Ranker, field: Field, also: Sequence[str]) -> list[_Candidate]:
    candidates = []
    for statement in ranker.library.statements:
        for found in _find_in_statement(statement, field):
            rating = ranker.rate(statement, field, at=found.start, also=also)
            rating *= _rate_form(found, statement, field) * (0.5 if _is_given(ranker, found.value) else 1.0)
            candidates.append(_Candidate(found.value, statement, rating))
    return candidates


def _find_in_statement(statement: Statement, field: Field) -> Iterator[Value]:
    whole = statement.text.strip("` ")
    is_short = len(whole) <= MAX_PHRASE_CHARS
    if (
        field.kind in {Kind.NAME, Kind.CODE, Kind.PHRASE}
        and statement.shape in {"label", "cell"}
        and is_short
    ):
        if _fits(whole, field):
            yield Value(whole, 0, len(whole))
        return
    yield from _find_values(statement.text, field, unit=_find_lead_unit(statement.lead))


def _find_values(text: str, field: Field, *, unit: str) -> Iterator[Value]:
    pattern = str(field.schema.get("pattern", ""))
    found = values.find_pattern(text, pattern) if field.kind is Kind.PATTERN else _FINDERS[field.kind](text)
    for value in found:
        fitting = _convert(value, field, unit=unit)
        if fitting is not None and _fits(fitting.value, field):
            yield fitting


def _convert(found: Value, field: Field, *, unit: str) -> Value | None:
    """A number in the unit that the field asks for; anything else as it is."""
    if field.kind is not Kind.NUMBER or not isinstance(found.value, int | float):
        return found
    known = found.unit if values.is_unit(found.unit) else unit
    if not field.unit or not known:
        return found
    number = values.convert_number(found.value, unit=known, wanted=field.unit)
    return None if number is None else Value(number, found.start, found.end, field.unit)


def _fits(value: Any, field: Field) -> bool:
    """Whether the schema's own limits allow `value`; a pattern that does not compile allows anything."""
    schema = field.schema
    if isinstance(value, int | float):
        wants_integer = "integer" in str(schema.get("type")) and "number" not in str(schema.get("type"))
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        return low <= value <= high and not (wants_integer and not float(value).is_integer())
    return len(value) <= int(schema.get("maxLength", len(value))) and _matches(
        str(schema.get("pattern", "")), value
    )


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return True


def _find_lead_unit(lead: str) -> str:
    """The unit in parentheses or at the end of a header, such as ``Timeout (ms)``."""
    words = re.findall(r"[a-zA-Z%]+", lead.split(" / ", maxsplit=1)[-1])
    return words[-1].casefold() if words and values.is_unit(words[-1]) else ""


def _rate_form(found: Value, statement: Statement, field: Field) -> float:
    """How much the form of a value speaks for it: the right unit, a value of its own, a longer name."""
    if field.kind is Kind.NUMBER:
        if field.unit:
            return 1.0 if found.unit == field.unit else 0.6
        names_thing = bool(found.unit) and set(stem_words(found.unit)) <= {*field.terms, *field.hints}
        return 1.2 if names_thing else 0.9
    if field.kind in {Kind.NAME, Kind.PHRASE} and statement.shape in {"sentence", "item"}:
        return 0.9 if " " in str(found.value) else 0.75
    return 1.0


def _is_given(ranker: Ranker, value: Any) -> bool:
    """Whether the task itself names `value`: what is asked is rarely what was told."""
    stems = stem_words(str(value))
    return bool(stems) and set(stems) <= ranker.task_stems


def _judge_statements(
    ranker: Ranker, field: Field, also: Sequence[str], read: Callable[[str], Any]
) -> list[_Candidate]:
    judged = ((statement, read(statement.text)) for statement in ranker.library.statements)
    return [
        _Candidate(value, statement, ranker.rate(statement, field, also=also))
        for statement, value in judged
        if value is not None
    ]


def _read_choice(field: Field) -> Callable[[str], Any]:
    """A reader that gives the first of the field's choices whose words are all in the text."""
    choices = [choice for choice in field.schema.get("enum", ()) if isinstance(choice, str)]
    worded = [
        (choice, frozenset(stem_words(choice.replace("_", " ").replace("-", " ")))) for choice in choices
    ]
    telling = [
        (choice, words) for choice, words in worded if words and choice.casefold() not in _EMPTY_CHOICES
    ]
    telling.sort(key=lambda pair: -len(pair[1]))

    def read(text: str) -> str | None:
        stems = frozenset(stem_words(text.replace("-", " ")))
        return next((choice for choice, words in telling if words <= stems), None)

    return read


def _is_declared_unknown(ranker: Ranker, field: Field, also: Sequence[str], best: _Candidate) -> bool:
    """Whether a statement that fits better than `best` says that this is not known."""
    silent = (s for s in ranker.library.statements if _UNKNOWN.search(s.text))
    return any(ranker.rate(statement, field, also=also) >= best.rating for statement in silent)


def _find_backing(candidates: Sequence[_Candidate], best: _Candidate) -> tuple[Page, ...]:
    """The pages that give the same value in a fitting place, the best one first."""
    same = [c for c in candidates if c.value == best.value and c.rating >= CORROBORATION * best.rating]
    same.sort(key=lambda candidate: -candidate.rating)
    return tuple(dict.fromkeys((best.statement.page, *(candidate.statement.page for candidate in same))))


# --- prose -------------------------------------------------------------------------------------------------

_BRIEF: Final = re.compile(r"\b(?:brief|summary|analysis|overview|background|explanation)\b", re.IGNORECASE)


def rank_prose(ranker: Ranker, field: Field, *, also: Sequence[str] = ()) -> list[tuple[float, Statement]]:
    """Whole sentences that speak to `field`, best first, each said once."""
    rated = [
        (ranker.rate(statement, field, also=also), statement)
        for statement in ranker.library.statements
        if statement.shape in {"sentence", "item"} and len(statement.text) >= 25
    ]
    rated.sort(key=lambda pair: -pair[0])
    said: dict[frozenset[str], tuple[float, Statement]] = {}
    for rating, statement in rated:
        if rating >= MIN_RATING:
            said.setdefault(frozenset(stem_words(statement.text)), (rating, statement))
    return list(said.values())


def _find_prose(ranker: Ranker, field: Field, also: Sequence[str]) -> Finding:
    wanted = 4 if _BRIEF.search(field.words) else 1
    limit = int(field.schema.get("maxLength", 1200))
    chosen: list[Statement] = []
    ranked = rank_prose(ranker, field, also=also)
    for _, statement in ranked:
        length = sum(len(s.text) + 1 for s in chosen) + len(statement.text)
        if len(chosen) < wanted and length <= limit:
            chosen.append(statement)
    if not chosen:
        return NOTHING
    pages = tuple(dict.fromkeys(statement.page for statement in chosen))
    return Finding(" ".join(statement.text for statement in chosen), pages, ranked[0][0])
