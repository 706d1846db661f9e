"""Scalars: the best value for one field, out of every statement that was read."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.baseline.fields import Field, Kind
from pytest_searchlight.baseline.pages import Page, Statement
from pytest_searchlight.baseline.ranking import Ranker
from pytest_searchlight.baseline.reading import (
    find_in_statement,
    read_boolean,
    read_choice,
    says_unknown,
)
from pytest_searchlight.baseline.roles import rate_role
from pytest_searchlight.baseline.values import Json
from pytest_searchlight.baseline.words import stem_words

MIN_RATING: Final = 0.3
"""Below this a value is a guess, and a guess is worse than null."""
UNKNOWN_SHARE: Final = 0.5
"""A statement that something is not known needs only this share of the best value's rating to outweigh it."""
CORROBORATION: Final = 0.7
"""A page that gives the same value backs it when it rates at least this share of the best."""

_BRIEF: Final = re.compile(r"\b(?:brief|summary|analysis|overview|background|explanation)\b", re.IGNORECASE)
_BRIEF_SENTENCES: Final = 4
_MIN_SENTENCE_CHARS: Final = 25


@dataclass(frozen=True)
class Finding:
    """A value for the deliverable and the pages that give it, best first; None when there is none."""

    value: Json
    pages: tuple[Page, ...] = ()
    rating: float = 0.0


NOTHING: Final = Finding(None)


@dataclass(frozen=True)
class Candidate:
    """A value that one statement offers, and how well it fits."""

    value: Json
    statement: Statement
    rating: float


def find_scalar(
    ranker: Ranker, field: Field, *, also: Sequence[str] = (), taken: Collection[Json] = ()
) -> Finding:
    """The best value for `field`, or NOTHING when none is good enough.

    Args:
        ranker: rates the statements of what was read.
        field: a field that holds one value.
        also: stems that must be around, such as those of the row's key.
        taken: values that must not be given.
    """
    if field.kind is Kind.PROSE:
        return _find_prose(ranker, field, also)
    candidates = [c for c in collect_candidates(ranker, field, also=also) if c.value not in taken]
    best = max(candidates, key=lambda candidate: candidate.rating, default=None)
    if best is None or best.rating < MIN_RATING:
        return NOTHING
    silent = _find_declared_unknown(ranker, field, also, best)
    if silent:
        return Finding(None, (silent.page,))
    return Finding(best.value, _find_backing(candidates, best), best.rating)


def collect_candidates(ranker: Ranker, field: Field, *, also: Sequence[str] = ()) -> Iterator[Candidate]:
    """Every value of `field` that any statement offers."""
    match field.kind:
        case Kind.BOOLEAN:
            return _judge_statements(ranker, field, also, read_boolean)
        case Kind.CHOICE:
            return _judge_statements(ranker, field, also, lambda text: read_choice(text, field))
        case _:
            return _collect_values(ranker, field, also)


def _collect_values(ranker: Ranker, field: Field, also: Sequence[str]) -> Iterator[Candidate]:
    for statement in ranker.library.statements:
        for found in find_in_statement(statement, field):
            rating = ranker.rate(statement, field, at=found.start, also=also)
            rating *= rate_role(found, statement, field) * _rate_given(ranker, found.value)
            yield Candidate(found.value, statement, rating)


def _judge_statements(
    ranker: Ranker, field: Field, also: Sequence[str], read: Callable[[str], Json]
) -> Iterator[Candidate]:
    for statement in ranker.library.statements:
        value = read(statement.text)
        if value is not None:
            yield Candidate(value, statement, ranker.rate(statement, field, also=also))


def _rate_given(ranker: Ranker, value: Json) -> float:
    """What is asked is rarely what was told: half for a value that the task itself names."""
    stems = stem_words(str(value))
    return 1 - 0.5 * sum(stem in ranker.task_stems for stem in stems) / len(stems) if stems else 1.0


def _find_declared_unknown(
    ranker: Ranker, field: Field, also: Sequence[str], best: Candidate
) -> Statement | None:
    """A statement that says, by name and on a page no less about the task, that the field is not known."""
    threshold = UNKNOWN_SHARE * best.rating
    relevance = ranker.rate_page(best.statement.page)
    for statement in ranker.library.statements:
        if (
            says_unknown(statement.text)
            and not ranker.library.places[statement].text.keys().isdisjoint(field.terms)
            and ranker.rate_page(statement.page) >= relevance
            and ranker.rate(statement, field, also=also) >= threshold
        ):
            return statement
    return None


def _find_backing(candidates: Sequence[Candidate], best: Candidate) -> tuple[Page, ...]:
    """The pages that give the same value in a fitting place, the best one first."""
    same = [c for c in candidates if c.value == best.value and c.rating >= CORROBORATION * best.rating]
    same.sort(key=lambda candidate: -candidate.rating)
    return tuple(dict.fromkeys((best.statement.page, *(candidate.statement.page for candidate in same))))


# --- prose -------------------------------------------------------------------------------------------------


def rank_prose(ranker: Ranker, field: Field, *, also: Sequence[str] = ()) -> list[Candidate]:
    """Whole sentences that speak to `field`, best first, each said once."""
    rated = [
        Candidate(statement.text, statement, ranker.rate(statement, field, also=also))
        for statement in ranker.library.statements
        if statement.shape in {"sentence", "item"} and len(statement.text) >= _MIN_SENTENCE_CHARS
    ]
    rated.sort(key=lambda candidate: -candidate.rating)
    said: dict[frozenset[str], Candidate] = {}
    for candidate in rated:
        if candidate.rating >= MIN_RATING:
            said.setdefault(frozenset(stem_words(candidate.statement.text)), candidate)
    return list(said.values())


def _find_prose(ranker: Ranker, field: Field, also: Sequence[str]) -> Finding:
    wanted = _BRIEF_SENTENCES if _BRIEF.search(field.words) else 1
    room = int(field.schema.get("maxLength", 1200))
    chosen: list[Candidate] = []
    for candidate in rank_prose(ranker, field, also=also):
        length = len(candidate.statement.text) + 1
        if len(chosen) < wanted and length <= room:
            chosen.append(candidate)
            room -= length
    if not chosen:
        return NOTHING
    pages = tuple(dict.fromkeys(candidate.statement.page for candidate in chosen))
    return Finding(" ".join(candidate.statement.text for candidate in chosen), pages, chosen[0].rating)
