"""Ranking: how well a statement answers a field of a task, by weighted overlap of terms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_searchlight.baseline.fields import Field
from pytest_searchlight.baseline.library import ON_PAGE, Library
from pytest_searchlight.baseline.pages import Page, Statement
from pytest_searchlight.baseline.words import stem_words

FIELD_SHARE: Final = 0.55
TASK_SHARE: Final = 0.45
RELEVANCE_FLOOR: Final = 0.6
RECENCY_BONUS: Final = 0.15
PRIMARY_BONUS: Final = 0.2
RANK_MALUS: Final = 0.01
MAX_RANK: Final = 10
COMMON_WEIGHT: Final = 0.35
"""What a word of the task that is no part of its subject weighs, next to one that is."""
HINT_WEIGHT: Final = 0.5
"""What a word of a field's description weighs, next to one of its name."""

_SUBJECT: Final = re.compile(
    r"[`\"“][^`\"”\n]+[`\"”]|(?<=[^.!?\s]\s)[^\W_a-zß-öø-ÿ][\w'\u2019.-]*|\b[\w.-]*\d[\w.-]*"
)

Weights = Mapping[str, float]


class Ranker:
    """Rates statements of a library for the fields of one task."""

    def __init__(self, library: Library, task: str) -> None:
        self.library = library
        self.task = task
        self.task_stems = frozenset(stem_words(task))
        self.subjects = frozenset(stem_words(find_subject_words(task)))
        self._task_weights = self._weigh_task()
        self._page_ratings: dict[Page, float] = {}
        self._field_weights: dict[Field, Weights] = {}

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
        about_task = self._cover(statement, self._task_weights, at=at)
        wanted = self._weigh_field(field)
        about_field = self._cover(statement, wanted, at=at) if wanted else about_task
        rating = (FIELD_SHARE * about_field + TASK_SHARE * about_task) * self._rate_lead(statement, field)
        if also:
            rating *= self.library.rate_key(statement, also)
        relevance = RELEVANCE_FLOOR + (1 - RELEVANCE_FLOOR) * self.rate_page(statement.page)
        return rating * relevance * self.rate_standing(statement.page, also=also)

    def rate_page(self, page: Page) -> float:
        """The share of the task's weight that `page` speaks of, from 0 to 1."""
        if page not in self._page_ratings:
            stems = self.library.page_stems[page]
            self._page_ratings[page] = 1.0 if page.topic else _share(self._task_weights, stems)
        return self._page_ratings[page]

    def rate_standing(self, page: Page, *, also: Sequence[str] = ()) -> float:
        """About 1: newer pages, pages of the subject's own site and pages found early count a little more."""
        is_primary = any(len(stem) > 3 and stem in page.host for stem in also or self.subjects)
        bonus = RECENCY_BONUS * self.library.rate_recency(page) + PRIMARY_BONUS * is_primary
        return 1 + bonus - RANK_MALUS * min(page.rank, MAX_RANK)

    def rate_words(self, text: str, field: Field) -> float:
        """How well the words that introduce a table or a list fit `field` of the task, from 0 to about 1."""
        stems = frozenset(stem_words(text))
        about_task = _share(self._task_weights, stems)
        wanted = self._weigh_field(field)
        about_field = _share(wanted, stems) if wanted else about_task
        return FIELD_SHARE * about_field + TASK_SHARE * about_task

    def _rate_lead(self, statement: Statement, field: Field) -> float:
        """A label or a row that says much more than was asked is about something else."""
        stems = stem_words(statement.lead.split(" / ", maxsplit=1)[0])
        if statement.shape not in {"cell", "label"} or not stems:
            return 1.0
        wanted = self.task_stems | {*field.terms, *field.hints}
        return 0.7 + 0.3 * sum(stem in wanted for stem in stems) / len(stems)

    def _weigh_task(self) -> Weights:
        """The subject's words count even if no page knows them: then the pages are about something else."""
        weights = {}
        for stem in stem_words(self.task):
            if stem in self.subjects:
                weights[stem] = self.library.weigh(stem)
            elif self.library.knows(stem):
                weights[stem] = COMMON_WEIGHT * self.library.weigh(stem)
        return weights

    def _weigh_field(self, field: Field) -> Weights:
        """Weights of the field's words; those that no page knows tell nothing apart and are left out."""
        if field not in self._field_weights:
            shares = {**dict.fromkeys(field.hints, HINT_WEIGHT), **dict.fromkeys(field.terms, 1.0)}
            self._field_weights[field] = {
                stem: share * self.library.weigh(stem)
                for stem, share in shares.items()
                if self.library.knows(stem)
            }
        return self._field_weights[field]

    def _cover(self, statement: Statement, weights: Weights, *, at: int | None) -> float:
        """The share of `weights` that is around the statement, each by how near it stands."""
        total = sum(weights.values())
        if not total:
            return 0.0
        places = self.library.places[statement]
        page = self.library.page_stems[statement.page]
        covered = 0.0
        for stem, weight in weights.items():
            covered += weight * (places.rate(stem, at=at) or (ON_PAGE if stem in page else 0.0))
        return covered / total


def find_subject_words(task: str) -> str:
    """Words that say what the task is about: names, quoted words and whatever holds a digit."""
    return " ".join(match.group() for match in _SUBJECT.finditer(task))


def _share(weights: Weights, stems: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if stem in stems) / total if total else 0.0
