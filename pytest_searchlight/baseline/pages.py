"""Pages: what was read, and the pieces that it is taken apart into, each with its surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal
from urllib.parse import urlsplit

MAX_PAGE_CHARS: Final = 300_000
"""How much of a page is read; what stands behind it is as good as not there."""

Shape = Literal["sentence", "item", "cell", "label"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """Something that was read: a fetched page, a search hit, or the reference material.

    Attributes:
        url: where it is, None when that is not known.
        title: its title, possibly empty.
        text: what it says.
        day: the date it carries, None when unknown.
        topic: what it is known to be about, whether it says so or not.
        rank: place in the order in which it was found, 0 first.
    """

    url: str | None
    title: str
    text: str
    day: date | None = None
    topic: str = ""
    rank: int = 0

    @property
    def about(self) -> str:
        """Title and topic."""
        return f"{self.title} {self.topic}".strip()

    @property
    def host(self) -> str:
        """The host it is on, empty when that is not known."""
        return (urlsplit(self.url).hostname or "") if self.url else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Statement:
    """The smallest thing worth quoting, with what stands around it.

    Attributes:
        text: the sentence, list item, table cell or labelled value itself.
        lead: what introduces it: the label, the row's key and the column's header, or the list's intro.
        heading: the headings above it, outermost first.
        nearby: the sentences right before and after it in the same paragraph, or the rest of the row.
    """

    page: Page
    text: str
    shape: Shape
    lead: str = ""
    heading: str = ""
    nearby: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A table; every row has one cell for each header."""

    page: Page
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lead: str = ""
    heading: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Listing:
    """A list, or the members that a sentence enumerates."""

    page: Page
    items: tuple[str, ...]
    lead: str = ""
    heading: str = ""


@dataclass(kw_only=True, eq=False)
class Outline:
    """A page taken apart."""

    statements: list[Statement] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)


def state_cells(table: Table) -> Iterator[Statement]:
    """Every cell as a statement, led by its row's key and its column's header."""
    for row in table.rows:
        for place, cell in enumerate(row):
            key = row[0] if place else ""
            lead = " / ".join(part for part in (key, table.headers[place], table.lead) if part)
            nearby = " ".join(row[1:place] + row[place + 1 :])
            if cell:
                yield Statement(
                    page=table.page, text=cell, shape="cell", lead=lead, heading=table.heading, nearby=nearby
                )
