"""The library: everything that was read, with how rare each term is and where it stands."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_searchlight.baseline.json_pages import outline_json
from pytest_searchlight.baseline.pages import Listing, Page, Statement, Table
from pytest_searchlight.baseline.text_pages import outline_text
from pytest_searchlight.baseline.words import find_terms, stem_words

IN_TEXT: Final = 1.0
IN_LEAD: Final = 0.9
IN_HEADING: Final = 0.7
IN_TITLE: Final = 0.6
IN_NEARBY: Final = 0.45
ON_PAGE: Final = 0.15
"""How much a term counts by where it stands, seen from the value."""
MAX_STATEMENTS_A_PAGE: Final = 300
_NEAR_CHARS: Final = 40
"""The distance at which a term of the same sentence has lost half of what nearness adds."""


@dataclass(frozen=True)
class Places:
    """Terms of a statement and its surroundings.

    Attributes:
        text: stems of the text itself, with where they start.
        around: how much each stem of what stands around counts: lead, headings, title, neighbours.
        own: all stems that the page itself says here, so without its known topic.
    """

    text: Mapping[str, Sequence[int]]
    around: Mapping[str, float]
    own: frozenset[str]

    @classmethod
    def of(cls, statement: Statement) -> Places:
        """The places of `statement`."""
        text: dict[str, list[int]] = defaultdict(list)
        for term in find_terms(statement.text):
            text[term.stem].append(term.start)
        page = statement.page
        around: dict[str, float] = {}
        for words, weight in (
            (statement.nearby, IN_NEARBY),
            (page.about, IN_TITLE),
            (statement.heading, IN_HEADING),
            (statement.lead, IN_LEAD),
        ):
            around |= dict.fromkeys(stem_words(words), weight)
        own = frozenset((*text, *stem_words(f"{statement.lead} {statement.heading} {page.title}")))
        return cls(dict(text), around, own)

    def rate(self, stem: str, *, at: int | None) -> float:
        """How much `stem` counts here for a value that starts at `at` of the text; 0 when it is not here."""
        starts = self.text.get(stem)
        if starts is None:
            return self.around.get(stem, 0.0)
        distance = 0 if at is None else min(abs(start - at) for start in starts)
        return IN_TEXT * (0.5 + 0.5 / (1 + distance / _NEAR_CHARS))


class Library:
    """Pages taken apart, ready to be asked; of a very long page only what touches on `topic` most."""

    def __init__(self, pages: Sequence[Page], *, topic: str) -> None:
        self.pages = tuple(pages)
        outlines = [outline_json(page) or outline_text(page) for page in pages]
        wanted = frozenset(stem_words(topic))
        kept = [s for outline in outlines for s in _keep_telling(outline.statements, wanted)]
        self.statements: list[Statement] = _drop_boilerplate(kept)
        self.tables: list[Table] = [table for outline in outlines for table in outline.tables]
        self.listings: list[Listing] = [listing for outline in outlines for listing in outline.listings]
        self._days = sorted({page.day for page in pages if page.day})

    @cached_property
    def places(self) -> dict[Statement, Places]:
        """The terms of every statement, by where they stand."""
        return {statement: Places.of(statement) for statement in self.statements}

    @cached_property
    def page_stems(self) -> dict[Page, frozenset[str]]:
        """Every term that a page itself says."""
        stems: dict[Page, set[str]] = {page: {*stem_words(page.title)} for page in self.pages}
        for statement, places in self.places.items():
            stems[statement.page].update(places.own)
        return {page: frozenset(found) for page, found in stems.items()}

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(
            stem
            for statement, places in self.places.items()
            for stem in {*places.text, *stem_words(statement.lead)}
        )

    def weigh(self, stem: str) -> float:
        """Inverse document frequency of `stem` over the statements: the rarer, the heavier."""
        return math.log(1 + (len(self.statements) + 1) / (self._frequency[stem] + 0.5))

    def knows(self, stem: str) -> bool:
        """Whether any page holds `stem`."""
        return any(stem in stems for stems in self.page_stems.values())

    def rate_key(self, statement: Statement, stems: Sequence[str]) -> float:
        """From 0 to 1: whether `statement` is about the thing that `stems` name."""
        own, page = self.places[statement].own, statement.page
        shares = [
            IN_TEXT
            if stem in own or (len(stem) > 3 and stem in page.host)
            else IN_NEARBY * (stem in self.page_stems[page])
            for stem in stems
        ]
        return sum(shares) / len(shares)

    def rate_recency(self, page: Page) -> float:
        """From 0 for the oldest or an undated page to 1 for the newest."""
        if page.day is None or len(self._days) < 2:
            return 0.0
        return self._days.index(page.day) / (len(self._days) - 1)


def _keep_telling(statements: Sequence[Statement], wanted: frozenset[str]) -> Sequence[Statement]:
    """All statements of a page of usual length, else those with the most wanted stems, in their order."""
    if len(statements) <= MAX_STATEMENTS_A_PAGE:
        return statements
    said = [len(wanted.intersection(stem_words(f"{s.lead} {s.text}"))) for s in statements]
    best = sorted(range(len(statements)), key=lambda place: -said[place])[:MAX_STATEMENTS_A_PAGE]
    return [statements[place] for place in sorted(best)]


def _drop_boilerplate(statements: Sequence[Statement]) -> list[Statement]:
    """What several pages of one site say in the same words, such as a footer, is about none of them."""
    seen: dict[tuple[str, str], set[Page]] = defaultdict(set)
    for statement in statements:
        if statement.page.host:
            seen[statement.page.host, statement.text].add(statement.page)
    repeated = {key for key, pages in seen.items() if len(pages) > 1}
    return [s for s in statements if s.shape == "cell" or (s.page.host, s.text) not in repeated]
