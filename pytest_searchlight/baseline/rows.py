"""Rows: arrays of objects, from tables and lists, or put together for the things that a task compares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_searchlight.baseline.fields import Field, Kind
from pytest_searchlight.baseline.listing import describe_row, narrow_rows, take_head
from pytest_searchlight.baseline.pages import Listing, Page, Table
from pytest_searchlight.baseline.ranking import Ranker
from pytest_searchlight.baseline.reading import NAMED, read_value
from pytest_searchlight.baseline.scalars import MIN_RATING, NOTHING, Finding, find_scalar, rank_prose
from pytest_searchlight.baseline.values import Json, find_names, find_quoted
from pytest_searchlight.baseline.words import stem_words

Row = dict[str, Json]

MAX_CLAIMS: Final = 3
"""How many claims are made where the schema does not ask for more."""

_ASKING: Final = re.compile(r"^(?:Compare|Contrast|Find|Give|List|Name|Rank|Tell)\s")
_ASIDE: Final = re.compile(r"\([^)]*\)")
_PAIR: Final = re.compile(
    r"^\s*(?:,\s*(?:(?:and|or|versus|vs\.?)\s+)?|(?:and|or|versus|vs\.?|with)\s+)[`\"“]?$", re.IGNORECASE
)


def find_rows(ranker: Ranker, field: Field, properties: Sequence[Field]) -> Finding:
    """The array of objects that best fits `field`: claims, a row for each thing compared, or a table."""
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
        runs[-1].append(_ASKING.sub("", str(name.value)))
        previous_end = name.end
    longest: list[str] = max(runs, key=len)
    return list(dict.fromkeys(longest))


def _make_claims(ranker: Ranker, field: Field, properties: Sequence[Field]) -> Finding:
    """Sentences with the pages that they were read on."""
    prose = next(part for part in properties if part.kind is Kind.PROSE)
    wanted = max(MAX_CLAIMS, int(field.schema.get("minItems", 0)))
    rows: list[Row] = []
    pages: list[Page] = []
    for candidate in rank_prose(ranker, prose):
        statement = candidate.statement
        url = statement.page.url
        if url and len(rows) < min(wanted, int(field.schema.get("maxItems", wanted))):
            cells: dict[Kind, Json] = {Kind.PROSE: statement.text, Kind.CITATIONS: [url], Kind.CITATION: url}
            rows.append({part.name: cells.get(part.kind) for part in properties})
            pages.append(statement.page)
    return Finding(rows, tuple(dict.fromkeys(pages)), 1.0) if rows else NOTHING


def _compare_entities(ranker: Ranker, properties: Sequence[Field], entities: Sequence[str]) -> Finding:
    """A row for each thing that the task names, its cells looked for one by one."""
    key = _choose_key(properties)
    wanted = [part for part in properties if part is not key and _is_scalar(part)]
    rows: list[Row] = []
    pages: list[Page] = []
    for entity in entities:
        also = stem_words(entity)
        cells = {part.name: find_scalar(ranker, part, also=also) for part in wanted}
        cited = [page for found in cells.values() for page in found.pages[:1]]
        row = {name: found.value for name, found in cells.items()}
        rows.append(_cite(_make_row(properties) | row | {key.name: entity}, properties, cited))
        pages += cited
    return Finding(rows, tuple(dict.fromkeys(pages)), 1.0) if pages else NOTHING


def _choose_key(properties: Sequence[Field]) -> Field:
    """The property that says which thing a row is about: a name, else the first that is a short text."""
    names = [part for part in properties if part.kind is Kind.NAME]
    texts = [part for part in properties if part.kind in {*NAMED, Kind.CHOICE, Kind.VERSION}]
    return (*names, *texts, *properties)[0]


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
        free = [place for place in range(len(table.headers)) if place not in columns.values()]
        best = max(free, key=lambda place: _rate_column(table, place, part), default=None)
        if best is not None and _rate_column(table, best, part) >= 1:
            columns[part.name] = best
    return columns


def _rate_column(table: Table, place: int, part: Field) -> float:
    stems = {*stem_words(table.headers[place])}
    words = 2 * len(stems.intersection(part.terms)) + len(stems.intersection(part.hints))
    return words + _share_readable(table, place, part)


def _share_readable(table: Table, place: int, part: Field) -> float:
    """The share of a column's cells that can be read as `part`; kinds that read anything say nothing."""
    if part.kind in {Kind.NAME, Kind.PHRASE, Kind.CODE, Kind.PROSE, Kind.NUMBER} or not _is_scalar(part):
        return 0.0
    cells = [row[place] for row in table.rows]
    return sum(read_value(cell, part) is not None for cell in cells) / len(cells) if cells else 0.0


def _read_table(
    ranker: Ranker, field: Field, table: Table, columns: dict[str, int], properties: Sequence[Field]
) -> list[Row]:
    rows = []
    for place in narrow_rows(ranker, field, [describe_row(table, row) for row in table.rows]):
        cells = table.rows[place]
        known = [part for part in properties if part.name in columns and _is_scalar(part)]
        row = {part.name: read_value(cells[columns[part.name]], part) for part in known}
        rows.append(_cite(_make_row(properties) | row, properties, (table.page,)))
    return rows


def _read_items(listing: Listing, properties: Sequence[Field]) -> list[Row]:
    key = _choose_key(properties)
    rows = []
    for item in listing.items:
        head = take_head(item)
        rest = item[item.find(head) + len(head) :]
        row = {part.name: read_value(rest, part) for part in properties if _is_scalar(part)}
        row |= {key.name: read_value(head, key)}
        rows.append(_cite(_make_row(properties) | row, properties, (listing.page,)))
    return [row for row in rows if row[key.name] is not None]


def _make_row(properties: Sequence[Field]) -> Row:
    return dict.fromkeys(part.name for part in properties)


def _is_scalar(field: Field) -> bool:
    return field.kind not in {Kind.OBJECT, Kind.ROWS, Kind.LIST, Kind.CITATIONS, Kind.CITATION}


def _cite(row: Row, properties: Sequence[Field], pages: Sequence[Page]) -> Row:
    """`row` with its source fields filled in."""
    urls = list(dict.fromkeys(page.url for page in pages if page.url))
    for part in properties:
        if urls and part.kind is Kind.CITATIONS:
            row[part.name] = urls
        elif urls and part.kind is Kind.CITATION:
            row[part.name] = urls[0]
    return row
