"""Ranking: how well a statement answers a field of a task, by weighted overlap of terms."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_searchlight.baseline.fields import Field
from pytest_searchlight.baseline.pages import Listing, Outline, Page, Statement, Table, outline_page
from pytest_searchlight.baseline.words import find_terms, stem_words

IN_TEXT: Final = 1.0
IN_LEAD: Final = 0.9
IN_HEADING: Final = 0.7
IN_TITLE: Final = 0.6
IN_NEARBY: Final = 0.45
ON_PAGE: Final = 0.15
"""How much a term counts by where it stands, seen from the value."""

_SUBJECT: Final = re.compile(
    r"[`\"“][^`\"”\n]+[`\"”]|(?<=[^.!?:\s]\s)[^\W_a-zß-öø-ÿ][\w'\u2019.-]*|\b[\w.-]*\d[\w.-]*"
)


class Library:
    """Everything that was read, with how rare each term is in it."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = tuple(pages)
        self._outlines: list[tuple[Page, Outline]] = [(page, outline_page(page)) for page in pages]
        self.statements = [s for _, outline in self._outlines for s in outline.statements]
        self.tables: list[Table] = [table for _, outline in self._outlines for table in outline.tables]
        self.listings: list[Listing] = [found for _, outline in self._outlines for found in outline.listings]
        self._days = sorted({page.day for page in pages if page.day})

    @cached_property
    def places(self) -> dict[Statement, Places]:
        """The terms of every statement, by where they stand."""
        return {statement: Places.of(statement) for statement in self.statements}

    @cached_property
    def page_stems(self) -> dict[Page, frozenset[str]]:
        """Every term of every page."""
        return {
            page: frozenset(
                stem_words(page.title)
                + tuple(stem for s in outline.statements for stem in self.places[s].stems)
            )
            for page, outline in self._outlines
        }

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(stem for places in self.places.values() for stem in set(places.stems))

    def weigh(self, stem: str) -> float:
        """Inverse document frequency of `stem` over the statements; the rarer the heavier."""
        return math.log(1 + (len(self.statements) + 1) / (self._frequency[stem] + 0.5))

    def knows(self, stem: str) -> bool:
        """Whether any statement holds `stem`."""
        return stem in self._frequency

    def rate_recency(self, page: Page) -> float:
        """From 0 for the oldest or an undated page to 1 for the newest."""
        if page.day is None or len(self._days) < 2:
            return 0.0
        return self._days.index(page.day) / (len(self._days) - 1)


@dataclass(frozen=True)
class Places:
    """Terms of a statement and its surroundings; positions are kept for the text itself."""

    text: dict[str, tuple[int, ...]]
    lead: frozenset[str]
    heading: frozenset[str]
    title: frozenset[str]
    nearby: frozenset[str]

    @classmethod
    def of(cls, statement: Statement) -> Places:
        """The places of `statement`."""
        positions: dict[str, tuple[int, ...]] = {}
        for term in find_terms(statement.text):
            positions[term.stem] = (*positions.get(term.stem, ()), term.start)
        return cls(
            text=positions,
            lead=frozenset(stem_words(statement.lead)),
            heading=frozenset(stem_words(statement.heading)),
            title=frozenset(stem_words(statement.page.title)),
            nearby=frozenset(stem_words(statement.nearby)),
        )

    @property
    def stems(self) -> Iterable[str]:
        """Terms of the text and of what introduces it."""
        return (*self.text, *self.lead)

    def rate(self, stem: str, *, at: int | None) -> float:
        """How much `stem` counts here for a value that starts at `at` of the text."""
        if stem in self.text:
            distance = 0 if at is None else min(abs(start - at) for start in self.text[stem])
            return IN_TEXT * (0.5 + 0.5 / (1 + distance / 40))
        ordered = ((self.lead, IN_LEAD), (self.heading, IN_HEADING), (self.title, IN_TITLE))
        return next((weight for stems, weight in (*ordered, (self.nearby, IN_NEARBY)) if stem in stems), 0.0)


class Ranker:
    """Rates statements of a library for the fields of one task."""

    def __init__(self, library: Library, task: str) -> None:
        self.library = library
        self.task = task
        self.task_stems = frozenset(stem_words(task))
        self.subjects = find_subjects(task)
        self._task_weights = {
            stem: library.weigh(stem) * (1.0 if stem in self.subjects else 0.35) for stem in stem_words(task)
        }

    def rate(
        self, statement: Statement, field: Field, *, at: int | None = None, also: Sequence[str] = ()
    ) -> float:
        """From 0 to about 1: how well `statement` answers `field` of the task.

        Args:
            statement: what to rate.
            field: what is wanted.
            at: where in the text the value starts; nearer terms count more.
            also: further terms that must be around, such as the row's key.
        """
        wanted = self._weigh_field(field)
        places = self.library.places[statement]
        about_field = self._cover(places, wanted, statement.page, at=at)
        about_task = self._cover(places, self._task_weights, statement.page, at=at)
        rating = 0.55 * about_field + 0.45 * about_task
        if also:
            rating *= self._cover(
                places, {stem: self.library.weigh(stem) for stem in also}, statement.page, at=at
            )
        return rating * (
            1 + 0.2 * self.library.rate_recency(statement.page) - 0.01 * min(statement.page.rank, 10)
        )

    def rate_page(self, page: Page) -> float:
        """The share of the task's weight that `page` speaks of, from 0 to 1."""
        stems = self.library.page_stems[page]
        total = sum(self._task_weights.values())
        return sum(w for stem, w in self._task_weights.items() if stem in stems) / total if total else 0.0

    def rate_words(self, text: str, field: Field) -> float:
        """How well the words that introduce a table or a list fit `field` of the task, from 0 to about 1."""
        stems = frozenset(stem_words(text))
        wanted = self._weigh_field(field)
        shares = [
            sum(w for stem, w in weights.items() if stem in stems) / total
            if (total := sum(weights.values()))
            else 0.0
            for weights in (wanted, self._task_weights)
        ]
        return 0.55 * shares[0] + 0.45 * shares[1]

    def _weigh_field(self, field: Field) -> dict[str, float]:
        """Weights of the field's terms; those that no page knows tell nothing apart and are left out."""
        known = self.library.knows
        weights = {stem: 0.5 * self.library.weigh(stem) for stem in field.hints if known(stem)}
        return weights | {stem: self.library.weigh(stem) for stem in field.terms if known(stem)}

    def _cover(self, places: Places, weights: dict[str, float], page: Page, *, at: int | None) -> float:
        total = sum(weights.values())
        if not total:
            return 0.0
        stems = self.library.page_stems[page]
        covered = sum(
            weight * (places.rate(stem, at=at) or (ON_PAGE if stem in stems else 0.0))
            for stem, weight in weights.items()
        )
        return covered / total


def find_subjects(task: str) -> frozenset[str]:
    """Stems that say what the task is about: names, quoted words and whatever holds a digit."""
    return frozenset(stem_words(find_subject_words(task)))


def find_subject_words(task: str) -> str:
    """The words behind `find_subjects`, in the order of the task."""
    return " ".join(match.group() for match in _SUBJECT.finditer(task))
