"""What a query looks like, and whether it is another try at the one before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pydantic import NonNegativeInt

from pytest_searchlight.domain import Record

_SITE: Final = re.compile(r"(?<!\S)-?site:\S", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"\s][^"]*"|“[^”]+”')
_YEAR: Final = re.compile(r"(?<![\w.-])(?:19|20)\d\d(?!\w|\.\d)")
_WORD: Final = re.compile(r"[^\W_]+")

_OPENING: Final = re.compile(
    r"\W*(?:who|what|when|where|why|which|whose|how|is|are|was|were|do|does|did|can|could|should|will|would|"
    r"has|have|find|tell|explain|list|give|compare|describe)\b",
    re.IGNORECASE,
)
_FUNCTION_WORD: Final = re.compile(
    r"\b(?:an?|the|of|in|on|at|to|for|from|by|with|about|into|since|until|and|or|but|not|is|are|was|were|be|"
    r"been|has|have|had|do|does|did|can|could|should|will|would|that|this|these|those|its?|their|there|as|than|"
    r"if)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS: Final = 5
_FUNCTION_SHARE: Final = 0.25
_SIMILAR: Final = 0.5


class QueryTraits(Record):
    """A query by its form, without its text.

    `words` counts what white space separates, ``site:`` operators left out. `natural_language` says that it
    reads as a sentence: it ends with a question mark, or it has five words or more and either opens as a
    question or request does or consists of function words to a quarter. The words known are English.
    """

    words: NonNegativeInt
    natural_language: bool
    has_site: bool
    has_quotes: bool
    has_year: bool


def describe_query(query: str) -> QueryTraits:
    """The traits of one query. A year is 1900 to 2099, also in a date, not in an identifier or a version."""
    return QueryTraits(
        words=sum(not _SITE.match(word) for word in query.split()),
        natural_language=_reads_as_sentence(query),
        has_site=_SITE.search(query) is not None,
        has_quotes=_QUOTED.search(query) is not None,
        has_year=_YEAR.search(query) is not None,
    )


def _reads_as_sentence(query: str) -> bool:
    if query.rstrip().endswith("?"):
        return True
    words = len(query.split())
    if words < _FEWEST_WORDS:
        return False
    opens_so = _OPENING.match(query) is not None
    return opens_so or len(_FUNCTION_WORD.findall(query)) >= _FUNCTION_SHARE * words


def count_reformulations(searches: Sequence[Sequence[str]]) -> int:
    """How many searches put the search before them in other words.

    A search does when one of its queries shares half of all words with a query of the one before (Jaccard
    index of their word sets) and is not the same set of words.
    """
    pairs = pairwise(searches)
    return sum(any(_is_similar(old, new) for old in before for new in after) for before, after in pairs)


def _is_similar(old: str, new: str) -> bool:
    first, second = (set(_WORD.findall(query.lower())) for query in (old, new))
    return first != second and len(first & second) >= _SIMILAR * len(first | second)
