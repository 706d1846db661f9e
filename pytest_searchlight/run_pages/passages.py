"""Where a text speaks of a statement: the sentence that shares most of its words, and its neighbours."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from pytest_searchlight.run_pages.texts import cut_text

_SENTENCE: Final = re.compile(r"[^\n.!?]+(?:[.!?](?!\s)[^\n.!?]*)*[.!?]*")
_WORD: Final = re.compile(r"\d[\w.,-]*\w|\w{4,}|\d")
_LEAST_SHARED: Final = 2
_MOST_CHARS: Final = 600


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A sentence of a text, and those around it; endless ones are cut."""

    before: str
    sentence: str
    after: str


class _Sentences(NamedTuple):
    """The sentences of a text, and where each of its words stands."""

    texts: tuple[str, ...]
    places: Mapping[str, list[int]]


def find_passage(statement: str, *, text: str) -> Passage | None:
    """The passage of `text` that has most to do with `statement`, None when nothing has.

    It helps a reader to find the place; it is no judgement.
    """
    sentences, wanted = _split_sentences(text), set(_list_words(statement))
    shared = Counter(place for word in wanted for place in sentences.places.get(word, ()))
    best = max(shared, key=lambda place: (shared[place], -place), default=None)
    if best is None or shared[best] < min(_LEAST_SHARED, len(wanted)):
        return None
    texts = sentences.texts
    return Passage(
        before=texts[best - 1][-_MOST_CHARS:] if best else "",
        sentence=cut_text(texts[best], most_chars=_MOST_CHARS),
        after=cut_text(texts[best + 1], most_chars=_MOST_CHARS) if best + 1 < len(texts) else "",
    )


@lru_cache(maxsize=32)
def _split_sentences(text: str) -> _Sentences:
    """`text` taken apart, once however many statements are looked for in it."""
    texts = tuple(found[0].strip() for found in _SENTENCE.finditer(text))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(texts):
        for word in set(_list_words(sentence)):
            places[word].append(place)
    return _Sentences(texts=texts, places=dict(places))


def _list_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
