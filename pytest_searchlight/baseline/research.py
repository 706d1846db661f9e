"""Research: rounds of searching and reading until the deliverable is full or the calls are used up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from pytest_searchlight.baseline.assignment import Assignment
from pytest_searchlight.baseline.fields import Field, Kind, read_fields
from pytest_searchlight.baseline.filling import Deliverable, fill_deliverable
from pytest_searchlight.baseline.hits import Hit, read_page
from pytest_searchlight.baseline.pages import Page
from pytest_searchlight.baseline.ranking import find_subject_words
from pytest_searchlight.baseline.rows import find_entities
from pytest_searchlight.baseline.words import find_terms, split_sentences

MAX_QUERIES: Final = 4
FOLLOW_UPS: Final = 2
PAGES_A_QUERY: Final = 2
MAX_QUERY_WORDS: Final = 14


class Toolbox(Protocol):
    """What research can be done with. Nothing raises for what a server does."""

    @property
    def calls_left(self) -> int:
        """How many more calls may be made."""
        ...

    @property
    def can_fetch(self) -> bool:
        """Whether pages can be read, or only search results."""
        ...

    async def search(self, query: str) -> list[Hit]:
        """Results for `query`, best first; none when the search failed."""
        ...

    async def fetch(self, url: str) -> str | None:
        """Text of the page, or None when it cannot be read."""
        ...


class Researcher:
    """Collects pages for one assignment."""

    def __init__(self, assignment: Assignment, toolbox: Toolbox, pages: Sequence[Page] = ()) -> None:
        self._assignment = assignment
        self._toolbox = toolbox
        self._pages = list(pages)
        self._asked: set[str] = set()
        self._seen: set[str] = set()

    async def research(self) -> list[Page]:
        """Search and read in rounds; what is still open after a round says what to ask in the next."""
        await self._run_round(plan_queries(self._assignment))
        while self._toolbox.calls_left > 1:
            deliverable = fill_deliverable(self._assignment, self._pages)
            queries = [q for q in plan_followups(self._assignment, deliverable) if q not in self._asked]
            if not queries or not await self._run_round(queries[:FOLLOW_UPS]):
                break
        return self._pages

    async def _run_round(self, queries: Sequence[str]) -> bool:
        """Search and read; whether anything new was found."""
        results = []
        for query in queries:
            self._asked.add(query)
            if self._toolbox.calls_left:
                results.append(await self._toolbox.search(query))
        fresh = [hit for hit in _interleave(results) if hit.url not in self._seen]
        if not self._toolbox.can_fetch:
            return self._keep_hits(fresh)
        read = [
            await self._read(hit) for hit in fresh[: PAGES_A_QUERY * len(queries)] if self._toolbox.calls_left
        ]
        return any(read)

    def _keep_hits(self, hits: Sequence[Hit]) -> bool:
        """Where no page can be read, what the search shows of it has to do."""
        for hit in hits:
            self._seen.add(hit.url)
            self._pages.append(
                Page(url=hit.url, title=hit.title, text=hit.text, day=hit.day, rank=len(self._pages))
            )
        return bool(hits)

    async def _read(self, hit: Hit) -> bool:
        self._seen.add(hit.url)
        text = await self._toolbox.fetch(hit.url)
        if text is not None:
            self._pages.append(read_page(text, hit=hit, rank=len(self._pages)))
        return text is not None


def plan_queries(assignment: Assignment) -> list[str]:
    """The first queries: one for each thing that is compared, else the task's words and the fields' words."""
    entities = find_entities(assignment.task)
    if len(entities) > 1:
        return [_shorten(f"{entity} {assignment.task}") for entity in entities[:MAX_QUERIES]]
    subject = find_subject_words(assignment.task)
    sentences = split_sentences(assignment.task)
    wanted = [field.words for field in _searchable(read_fields(assignment.schema))]
    queries = (_shorten(" ".join([subject, *sentences])), _shorten(" ".join([subject, *wanted])))
    return list(dict.fromkeys(query for query in queries if query))


def plan_followups(assignment: Assignment, deliverable: Deliverable) -> list[str]:
    """One query for each field that is still open, about what is known by now, else about the subject."""
    about = " ".join(deliverable.known) or find_subject_words(assignment.task)
    queries = (_shorten(f"{about} {field.words}") for field in _searchable(deliverable.open_fields))
    return list(dict.fromkeys(query for query in queries if query))


def _searchable(fields: Sequence[Field]) -> list[Field]:
    return [field for field in fields if field.kind not in {Kind.CITATION, Kind.CITATIONS}]


def _shorten(text: str) -> str:
    """The first telling words of `text`, each once."""
    words: dict[str, str] = {}
    for term in find_terms(text):
        words.setdefault(term.stem, text[term.start : term.end])
    return " ".join(list(words.values())[:MAX_QUERY_WORDS])


def _interleave(results: Sequence[Sequence[Hit]]) -> Iterator[Hit]:
    """The first hit of every search, then the second, and so on; each address once."""
    seen: set[str] = set()
    for place in range(max(map(len, results), default=0)):
        for hits in results:
            if place < len(hits) and hits[place].url not in seen:
                seen.add(hits[place].url)
                yield hits[place]
