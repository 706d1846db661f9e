"""What passages say otherwise although they hold a statement's words: opposites, contrasts, versions, names.

Words in common are no agreement where one of them is turned round. Each rule is narrow: what it does not know
it leaves to the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from pytest_searchlight.judges.statements import Passages, Sentence, reduce_word

_OPPOSITES: Final = (
    ("above", "below"),
    ("minimum", "maximum"),
    ("higher", "lower"),
    ("larger", "smaller"),
    ("longer", "shorter"),
    ("increases", "decreases"),
    ("increased", "decreased"),
    ("raised", "lowered"),
)
_TURNED: Final = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}
_TOTAL: Final = re.compile(
    r"\b(?:all|every|always)\b(?! (?:of|two|three|four|five|six|seven|eight|nine|ten|\d))", re.IGNORECASE
)
_TOTAL_TOO: Final = re.compile(
    r"\b(?:all|every\w*|always|each|any\w*|no|none|never|both|whole|entire)\b", re.IGNORECASE
)
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+[\w-]*")
_RANGE: Final = re.compile(
    r"\b(?:before|since|until|from|to|than|older|newer|earlier|later|onwards?|after)\b", re.IGNORECASE
)
_CONTRAST: Final = re.compile(r"(?:,|\(|\b(?:and|but))\s+not\s+([^,;.()]+)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_FULL_NAME: Final = re.compile(r"\b(?=([^\W\d_a-z][^\W\d_]+) ([^\W\d_a-z][^\W\d_]+)\b)")


def find_contradiction(statement: Sentence, chosen: Sequence[Sentence], *, evidence: Passages) -> str | None:
    """What in the passages speaks against `statement`, or None.

    Args:
        statement: what is to be borne out.
        chosen: the sentences that hold its words, the leading one first.
        evidence: the whole text that they stand in.
    """
    return next(_list_contradictions(statement, chosen, evidence), None)


def _list_contradictions(
    statement: Sentence, chosen: Sequence[Sentence], evidence: Passages
) -> Iterator[str]:
    lead = chosen[0]
    for sentence in chosen:
        yield from (f"{word!r} is denied there" for word in _list_contrasted(statement, sentence))
        if sentence is lead or sentence.figures & statement.figures:
            yield from (f"it says {_TURNED[word]!r}" for word in _list_turned(statement, sentence))
        yield from (f"it names {name}" for name in _list_other_names(statement, sentence, evidence))
    if _is_of_another_version(statement, lead):
        yield "it is about another version"
    if _TOTAL.search(statement.text) and not any(_TOTAL_TOO.search(each.text) for each in chosen):
        yield "it does not say so of all"


def _list_contrasted(statement: Sentence, sentence: Sentence) -> list[str]:
    """Words of the statement that the sentence sets apart, as in ``by radio, not by telephone``."""
    apart = {
        reduce_word(word)
        for part in _CONTRAST.findall(sentence.text.casefold())
        for word in _WORD.findall(part)
    }
    return sorted((statement.words & statement.asserted & apart) - sentence.asserted)


def _list_turned(statement: Sentence, sentence: Sentence) -> list[str]:
    own, others = _list_words(statement.text), _list_words(sentence.text)
    return sorted(word for word in own & _TURNED.keys() if _TURNED[word] in others and word not in others)


def _list_other_names(statement: Sentence, sentence: Sentence, evidence: Passages) -> list[str]:
    """Full names of which the statement has one half, and another half that the text never says."""
    strangers = statement.words - evidence.places.keys()
    return sorted(
        " ".join(theirs)
        for ours in _FULL_NAME.findall(statement.text)
        for theirs in _FULL_NAME.findall(sentence.text)
        for mine, same in ((0, 1), (1, 0))
        if ours[same] == theirs[same] and reduce_word(ours[mine].casefold()) in strangers
    )


def _is_of_another_version(statement: Sentence, lead: Sentence) -> bool:
    if any(_RANGE.search(each.text) for each in (statement, lead)):
        return False
    own, others = (set(_VERSION.findall(each.text)) & each.names for each in (statement, lead))
    return bool(own and others and own.isdisjoint(others))


@lru_cache(maxsize=16_384)
def _list_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
