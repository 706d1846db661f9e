"""Filling: the whole deliverable, field by field, and the pages it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.baseline.assignment import Assignment
from pytest_searchlight.baseline.fields import (
    Field,
    Kind,
    Schema,
    read_fields,
    read_item_field,
    read_item_fields,
)
from pytest_searchlight.baseline.library import Library
from pytest_searchlight.baseline.listing import find_list
from pytest_searchlight.baseline.pages import Page
from pytest_searchlight.baseline.ranking import Ranker
from pytest_searchlight.baseline.reading import NAMED
from pytest_searchlight.baseline.rows import find_rows
from pytest_searchlight.baseline.scalars import NOTHING, Finding, find_scalar
from pytest_searchlight.baseline.values import Json

MIN_RELEVANCE: Final = 0.3
"""A page that speaks of less of the task than this is about something else."""

SEPARATED_KINDS: Final = NAMED | {Kind.NUMBER, Kind.DATE, Kind.VERSION}
SECOND_CHOICE: Final = 0.6
"""How well, next to the first, a second choice must fit to be preferred to giving one value twice."""


@dataclass(frozen=True, kw_only=True)
class Deliverable:
    """A filled deliverable.

    Attributes:
        value: the JSON object; null where nothing was found.
        open_fields: fields that hold null, sources aside.
        known: text values that were found, for the next query.
    """

    value: dict[str, Json]
    open_fields: tuple[Field, ...]
    known: tuple[str, ...]


def fill_deliverable(assignment: Assignment, pages: Sequence[Page]) -> Deliverable:
    """Fill the assignment's deliverable from `pages`; with no relevant page every field is null."""
    fields = read_fields(assignment.schema)
    ranker = Ranker(Library(pages, topic=assignment.task), assignment.task)
    relevant = [page for page in pages if ranker.rate_page(page) >= MIN_RELEVANCE]
    if len(relevant) < len(pages):
        ranker = Ranker(Library(relevant, topic=assignment.task), assignment.task)
    findings = {field.name: _find(ranker, field, assignment.schema) for field in fields}
    findings |= _separate(ranker, fields, findings)
    value = {name: finding.value for name, finding in findings.items()}
    sources = list(_order_sources(findings))
    value |= {field.name: _cite(field, sources) for field in fields if _is_citation(field)}
    return Deliverable(
        value=value,
        open_fields=tuple(f for f in fields if _is_empty(value[f.name]) and not _is_citation(f)),
        known=tuple(text for text in value.values() if isinstance(text, str) and len(text) <= 60),
    )


def _find(ranker: Ranker, field: Field, root: Schema) -> Finding:
    match field.kind:
        case Kind.CITATIONS | Kind.CITATION:
            return NOTHING
        case Kind.LIST:
            return find_list(ranker, field, read_item_field(field, root))
        case Kind.ROWS:
            return find_rows(ranker, field, read_item_fields(field, root))
        case Kind.OBJECT:
            return _find_object(ranker, field, root)
        case _:
            return find_scalar(ranker, field)


def _separate(ranker: Ranker, fields: Sequence[Field], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Second choices for fields of one kind that came to the same value, which is rarely right for both."""
    separated = {}
    best: dict[tuple[Kind, Json], str] = {}
    for field in sorted(fields, key=lambda field: -findings[field.name].rating):
        finding = findings[field.name]
        if field.kind not in SEPARATED_KINDS or finding.value is None:
            continue
        if (field.kind, finding.value) in best:
            taken = [value for kind, value in best if kind is field.kind]
            second = find_scalar(ranker, field, taken=taken)
            if second.rating >= SECOND_CHOICE * finding.rating or field.kind in NAMED:
                separated[field.name] = finding = second
        best[field.kind, finding.value] = field.name
    return separated


def _find_object(ranker: Ranker, field: Field, root: Schema) -> Finding:
    parts = {part.name: _find(ranker, part, root) for part in read_item_fields(field, root)}
    pages = tuple(dict.fromkeys(page for finding in parts.values() for page in finding.pages))
    return Finding({name: finding.value for name, finding in parts.items()}, pages)


def _order_sources(findings: Mapping[str, Finding]) -> Iterator[str]:
    """Addresses behind the findings: first the one each rests on, then those that back it."""
    first = [page for finding in findings.values() for page in finding.pages[:1]]
    backing = [page for finding in findings.values() for page in finding.pages[1:]]
    yield from dict.fromkeys(page.url for page in (*first, *backing) if page.url)


def _cite(field: Field, sources: Sequence[str]) -> Json:
    if not sources:
        return None
    if field.kind is Kind.CITATION:
        return sources[0]
    return list(sources[: field.schema.get("maxItems", 5)])


def _is_citation(field: Field) -> bool:
    return field.kind in {Kind.CITATIONS, Kind.CITATION}


def _is_empty(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    return value is None or value == []
