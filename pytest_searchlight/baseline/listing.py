"""Listing: arrays of single values, from lists, columns of tables and enumerating sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.baseline.fields import Field
from pytest_searchlight.baseline.pages import Page, Statement, Table
from pytest_searchlight.baseline.ranking import Ranker
from pytest_searchlight.baseline.reading import read_boolean, read_value
from pytest_searchlight.baseline.scalars import (
    MIN_RATING,
    NOTHING,
    Finding,
)
from pytest_searchlight.baseline.values import Json, find_names, find_quoted
from pytest_searchlight.baseline.words import stem_words

NARROW_SHARE: Final = 0.9
"""A row stays when it says at least this share of what the best row says of the task."""

_FLAG_CHARS: Final = 8

_HEAD_END: Final = re.compile(r"\s+[\u2013—-]\s+|:\s+|\s+\(|;\s|(?<=[^\d]),\s|\.\s|\.$")
_SERIES: Final = re.compile(
    r"(?P<first>[^,;:.()]+(?:,\s[^,;:.()]+)+),?\s(?:and|or|und|sowie|&)\s(?P<last>[^,;:.()]+)"
)


@dataclass(frozen=True)
class _Group:
    """Things that stand together, what is said of each, and the words that say what they are."""

    items: tuple[str, ...]
    details: tuple[str, ...]
    words: str
    page: Page


def find_list(ranker: Ranker, field: Field, item: Field) -> Finding:
    """The array of scalars that best fits `field`, or NOTHING."""
    best, best_rating = None, 0.0
    for group in _collect_groups(ranker):
        rating = _rate_group(ranker, group, field)
        if rating > best_rating:
            best, best_rating = group, rating
    if best is None or best_rating < MIN_RATING:
        return NOTHING
    kept = narrow_rows(ranker, field, best.details)
    found = dict.fromkeys(read_value(best.items[place], item) for place in kept)
    items: list[Json] = [value for value in found if value is not None]
    return Finding(items[: field.schema.get("maxItems")], (best.page,), best_rating) if items else NOTHING


def _collect_groups(ranker: Ranker) -> Iterator[_Group]:
    for listing in ranker.library.listings:
        heads = tuple(map(take_head, listing.items))
        yield _Group(heads, listing.items, f"{listing.lead} {listing.heading}", listing.page)
    for table in ranker.library.tables:
        for place, header in enumerate(table.headers):
            rows = [row for row in table.rows if row[place]]
            cells = tuple(row[place] for row in rows)
            details = tuple(describe_row(table, row) for row in rows)
            yield _Group(cells, details, f"{header} {table.lead} {table.heading}", table.page)
    for statement in ranker.library.statements:
        items = _split_series(statement)
        if items:
            words = f"{statement.lead} {statement.heading} {statement.text}"
            yield _Group(items, items, words, statement.page)


def describe_row(table: Table, row: Sequence[str]) -> str:
    """What a row says: its cells; of a column of yes and no, the header where it says yes."""
    return " ".join(_describe_cell(header, cell) for header, cell in zip(table.headers, row, strict=True))


def _describe_cell(header: str, cell: str) -> str:
    said = read_boolean(cell) if len(cell) <= _FLAG_CHARS else None
    return cell if said is None else header if said else ""


def _split_series(statement: Statement) -> tuple[str, ...]:
    """The members that a label's value or a sentence enumerates; none when it does not."""
    if statement.shape == "label" and "," in statement.text:
        return tuple(re.split(r",\s*", statement.text))
    series = _SERIES.search(statement.text)
    return (
        tuple(map(_trim_series_item, (*re.split(r",\s*", series["first"]), series["last"]))) if series else ()
    )


def narrow_rows(ranker: Ranker, field: Field, details: Sequence[str]) -> list[int]:
    """Places of the rows that say most of what the task asks for, where some say more of it than others.

    A list of all releases answers "which were withdrawn?" by those whose row says withdrawn.
    """
    asked = ranker.subjects | {*field.terms}
    said = [asked & {*stem_words(text)} for text in details]
    telling = {stem for stem in asked if 0 < sum(stem in stems for stems in said) < len(said)}
    weights = [sum(ranker.library.weigh(stem) for stem in sorted(stems & telling)) for stems in said]
    kept = [place for place, weight in enumerate(weights) if weight >= NARROW_SHARE * max(weights, default=0)]
    return kept if len(kept) > 1 else list(range(len(details)))


def _trim_series_item(text: str) -> str:
    """The member itself: in "the gateway supports Alpha" that is the name at the end."""
    names = [str(found.value) for found in (*find_quoted(text), *find_names(text))]
    return names[-1] if names and len(text.split()) > 3 else text.strip(' `"“”')


def _rate_group(ranker: Ranker, group: _Group, field: Field) -> float:
    if not group.items:
        return 0.0
    about = ranker.rate_words(f"{group.words} {group.page.about}", field)
    lengths = sorted(map(len, group.items))
    short = 1.0 if lengths[len(lengths) // 2] <= 60 else 0.5
    several = 1.0 if len(group.items) > 1 else 0.8
    recency = 1 + 0.2 * ranker.library.rate_recency(group.page)
    return about * short * several * recency * (0.5 + 0.5 * ranker.rate_page(group.page))


def take_head(item: str) -> str:
    """What a list item is about: the part before its explanation."""
    quoted = re.match(r"[`“\"](?P<text>[^`”\"]+)[`”\"]", item)
    head = quoted["text"] if quoted else _HEAD_END.split(item, maxsplit=1)[0]
    return head.strip() or item
