"""Listing: arrays of the deliverable, from lists, tables and enumerating sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.baseline.fields import Field, Kind
from pytest_searchlight.baseline.pages import Listing, Page, Statement, Table
from pytest_searchlight.baseline.ranking import Ranker
from pytest_searchlight.baseline.reading import read_boolean, read_value
from pytest_searchlight.baseline.scalars import (
    MIN_RATING,
    NOTHING,
    Finding,
    find_scalar,
    rank_prose,
)
from pytest_searchlight.baseline.values import Json, find_names, find_quoted
from pytest_searchlight.baseline.words import stem_words

NARROW_SHARE: Final = 0.9
MAX_CLAIMS: Final = 3
"""How many claims are made where the schema does not ask for more."""

_HEAD_END: Final = re.compile(r"\s+[\u2013—-]\s+|:\s+|\s+\(|;\s|(?<=[^\d]),\s|\.\s|\.$")
_SERIES: Final = re.compile(
    r"(?P<first>[^,;:.()]+(?:,\s[^,;:.()]+)+),?\s(?:and|or|und|sowie|&)\s(?P<last>[^,;:.()]+)"
)
_ASIDE: Final = re.compile(r"\([^)]*\)")
_PAIR: Final = re.compile(
    r"^\s*(?:,\s*(?:(?:and|or|versus|vs\.?)\s+)?|(?:and|or|versus|vs\.?|with)\s+)[`\"“]?$", re.IGNORECASE
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


def find_rows(ranker: Ranker, field: Field, properties: Sequence[Field]) -> Finding:
    """The array of objects that best fits `field`: claims, one row for each thing that is compared, or a table."""
    kinds = {part.kind for part in properties}
    if Kind.PROSE in kinds and kinds & {Kind.CITATION, Kind.CITATIONS}:
        return _make_claims(ranker, field, properties)
    entities = find_entities(ranker.task)
    if len(entities) > 1 and (rows := _compare_entities(ranker, properties, entities)).value:
        return rows
    return _choose_rows(ranker, field, properties)


def find_entities(task: str) -> list[str]:
    """The names that the task lists side by side, as in "compare A, B and C"."""
    found = sorted((*find_names(task), *find_quoted(task)), key=lambda value: (value.start, -value.end))
    runs: list[list[str]] = [[]]
    previous_end = 0
    for name in found:
        if name.start < previous_end:
            continue
        between = _ASIDE.sub("", task[previous_end : name.start].lstrip('`"”'))
        if not _PAIR.match(between):
            runs.append([])
        runs[-1].append(str(name.value))
        previous_end = name.end
    return list(dict.fromkeys(max(runs, key=len)))


# --- lists -------------------------------------------------------------------------------------------------


def _collect_groups(ranker: Ranker) -> Iterator[_Group]:
    for listing in ranker.library.listings:
        heads = tuple(map(_take_head, listing.items))
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
    said = {True: lambda header, _: header, False: lambda *_: "", None: lambda _, cell: cell}
    return " ".join(
        said[read_boolean(cell) if len(cell) < 8 else None](header, cell)
        for header, cell in zip(table.headers, row, strict=True)
    )


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


def _take_head(item: str) -> str:
    """What a list item is about: the part before its explanation."""
    quoted = re.match(r"[`“\"](?P<text>[^`”\"]+)[`”\"]", item)
    head = quoted["text"] if quoted else _HEAD_END.split(item, maxsplit=1)[0]
    return head.strip() or item


# --- rows --------------------------------------------------------------------------------------------------


def _make_claims(ranker: Ranker, field: Field, properties: Sequence[Field]) -> Finding:
    """Sentences with the pages that they were read on."""
    prose = next(part for part in properties if part.kind is Kind.PROSE)
    wanted = max(MAX_CLAIMS, int(field.schema.get("minItems", 0)))
    rows, pages = [], []
    for candidate in rank_prose(ranker, prose):
        statement = candidate.statement
        url = statement.page.url
        if url and len(rows) < min(wanted, int(field.schema.get("maxItems", wanted))):
            cells = {Kind.PROSE: statement.text, Kind.CITATIONS: [url], Kind.CITATION: url}
            rows.append({part.name: cells.get(part.kind) for part in properties})
            pages.append(statement.page)
    return Finding(rows, tuple(dict.fromkeys(pages)), 1.0) if rows else NOTHING


def _compare_entities(ranker: Ranker, properties: Sequence[Field], entities: Sequence[str]) -> Finding:
    """A row for each thing that the task names, its cells looked for one by one."""
    key = choose_key(properties)
    rows: list[dict[str, Json]] = []
    pages: list[Page] = []
    for entity in entities:
        also = stem_words(entity)
        cells = {
            p.name: find_scalar(ranker, p, also=also) for p in properties if p is not key and _is_scalar(p)
        }
        cited = tuple(page for found in cells.values() for page in found.pages[:1])
        pages += cited
        row = {name: found.value for name, found in cells.items()}
        rows.append(
            _cite(
                {part.name: row.get(part.name) for part in properties} | {key.name: entity}, properties, cited
            )
        )
    return Finding(rows, tuple(dict.fromkeys(pages)), 1.0) if pages else NOTHING


def choose_key(properties: Sequence[Field]) -> Field:
    """The property that says which thing a row is about."""
    texts = (Kind.NAME, Kind.PHRASE, Kind.CODE, Kind.CHOICE, Kind.VERSION)
    ordered = [part for kind in texts[:1] for part in properties if part.kind is kind]
    return next((part for part in (*ordered, *properties) if part.kind in texts), properties[0])


def _choose_rows(ranker: Ranker, field: Field, properties: Sequence[Field]) -> Finding:
    best = NOTHING
    for table in ranker.library.tables:
        columns = _match_columns(table, properties)
        words = f"{' '.join(table.headers)} {table.lead} {table.heading} {table.page.about}"
        rating = _rate_rows(ranker, field, words, table.page) * (len(columns) / len(properties)) ** 0.5
        if len(columns) >= min(2, len(properties)) and rating > best.rating:
            best = Finding(_read_table(ranker, field, table, columns, properties), (table.page,), rating)
    for listing in ranker.library.listings:
        words = f"{listing.lead} {listing.heading} {listing.page.about}"
        rating = 0.9 * _rate_rows(ranker, field, words, listing.page)
        rows = _read_items(listing, properties) if rating > best.rating else []
        if rows:
            best = Finding(rows, (listing.page,), rating)
    return best if best.value and best.rating >= MIN_RATING else NOTHING


def _rate_rows(ranker: Ranker, field: Field, words: str, page: Page) -> float:
    recency = 1 + 0.2 * ranker.library.rate_recency(page)
    return ranker.rate_words(words, field) * recency * (0.5 + 0.5 * ranker.rate_page(page))


def _match_columns(table: Table, properties: Sequence[Field]) -> dict[str, int]:
    """Which column holds which property: by words in common, else by the kind of its cells."""
    columns: dict[str, int] = {}
    for part in properties:
        scores = [
            (
                2 * len(stems & {*part.terms})
                + len(stems & {*part.hints})
                + _share_readable(table, place, part),
                place,
            )
            for place, header in enumerate(table.headers)
            if place not in columns.values() and (stems := {*stem_words(header)}) is not None
        ]
        score, place = max(scores, key=lambda pair: (pair[0], -pair[1]), default=(0.0, -1))
        if score >= 1:
            columns[part.name] = place
    return columns


def _share_readable(table: Table, place: int, part: Field) -> float:
    """The share of a column's cells that can be read as `part`; kinds that read anything say nothing."""
    if part.kind in {Kind.NAME, Kind.PHRASE, Kind.CODE, Kind.PROSE, Kind.NUMBER} or not _is_scalar(part):
        return 0.0
    cells = [row[place] for row in table.rows]
    return sum(read_value(cell, part) is not None for cell in cells) / len(cells) if cells else 0.0


def _read_table(
    ranker: Ranker, field: Field, table: Table, columns: dict[str, int], properties: Sequence[Field]
) -> list[dict[str, Json]]:
    rows = []
    for place in narrow_rows(ranker, field, [describe_row(table, row) for row in table.rows]):
        cells = table.rows[place]
        row = {
            part.name: read_value(cells[columns[part.name]], part)
            if part.name in columns and _is_scalar(part)
            else None
            for part in properties
        }
        rows.append(_cite(row, properties, (table.page,)))
    return rows


def _read_items(listing: Listing, properties: Sequence[Field]) -> list[dict[str, Json]]:
    key = choose_key(properties)
    rows = []
    for item in listing.items:
        head = _take_head(item)
        rest = item[item.find(head) + len(head) :]
        row = {
            part.name: read_value(rest, part) if part is not key and _is_scalar(part) else None
            for part in properties
        }
        rows.append(_cite(row | {key.name: read_value(head, key)}, properties, (listing.page,)))
    return [row for row in rows if row[key.name] is not None]


def _is_scalar(field: Field) -> bool:
    return field.kind not in {Kind.OBJECT, Kind.ROWS, Kind.LIST, Kind.CITATIONS, Kind.CITATION}


def _cite(row: dict[str, Json], properties: Sequence[Field], pages: Sequence[Page]) -> dict[str, Json]:
    """`row` with its source fields filled in."""
    urls = list(dict.fromkeys(page.url for page in pages if page.url))
    for part in properties:
        if urls and part.kind is Kind.CITATIONS:
            row[part.name] = urls
        elif urls and part.kind is Kind.CITATION:
            row[part.name] = urls[0]
    return row
