"""Where a text speaks of a statement: the sentence that shares most of its words, and its neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_SENTENCE: Final = re.compile(r"[^\n.!?]+(?:[.!?](?!\s)[^\n.!?]*)*[.!?]*")
_WORD: Final = re.compile(r"\d[\w.,-]*\w|\w{4,}|\d")
_LEAST_SHARED: Final = 2
_NEIGHBOURS: Final = 1


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A sentence of a text, and what stands around it."""

    before: str
    sentence: str
    after: str


def find_passage(statement: str, *, text: str) -> Passage | None:
    """The passage of `text` that has most to do with `statement`, None when nothing has.

    It helps a reader to find the place; it is no judgement.
    """
    wanted = _list_words(statement)
    sentences = [found[0].strip() for found in _SENTENCE.finditer(text)]
    shared = [len(wanted & _list_words(sentence)) for sentence in sentences]
    if max(shared, default=0) < min(_LEAST_SHARED, max(len(wanted), 1)):
        return None
    best = shared.index(max(shared))
    return Passage(
        before=" ".join(sentences[max(best - _NEIGHBOURS, 0) : best]),
        sentence=sentences[best],
        after=" ".join(sentences[best + 1 : best + 1 + _NEIGHBOURS]),
    )


def _list_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
