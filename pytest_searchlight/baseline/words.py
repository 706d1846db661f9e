"""Words: how text becomes terms that can be compared, and sentences that can be quoted."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # scripts without spaces: every character is a term
    r"|[^\W_]+(?:[.'\u2019][^\W_]+)*"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?])[\"”\u2019)]?\s+(?=[^\W_a-z]|[\"“\u2018(\[`])|(?<=[\u3002\uff01\uff1f])"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|approx|vs|cf|no|inc|ltd|dr|mr|mrs|ms|st)|\b[A-Z])\.$", re.IGNORECASE
)

_STOP_WORDS: Final = """
    a about according all also although am an and any are as at be because been being
    between both but by can could did do does doing done down each either else ever every few for
    from further get give given had has have having he her here him his how i if in into is it its itself just
    least less let like made make many may me might more most much must my no nor not now of off on once one
    only or other our out over own please put same say says shall she should so some still such than
    that the their them then there these they this those through thus to too under up upon us use used
    using very via was we were what when where whether which while who whom whose why will with within without
    would yet you your
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())


class Term(NamedTuple):
    """A stemmed word and where it stands in the text it was read from."""

    stem: str
    start: int
    end: int


_SHORT_FORMS: Final = {
    "max": "maximum", "min": "minimum", "num": "number", "org": "organisation", "config": "configuration",
    "organization": "organisation", "license": "licence", "prev": "previous", "avg": "average",
}  # fmt: skip


@lru_cache(maxsize=65_536)
def stem_word(word: str) -> str:
    """A crude English stem: enough to make `released`, `releases` and `release` the same term."""
    word = unicodedata.normalize("NFKC", word).casefold().replace("\u2019", "'").removesuffix("'s")
    word = _SHORT_FORMS.get(word, word)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for suffix, replacement in (("sses", "ss"), ("ies", "y"), ("ing", ""), ("ed", ""), ("s", "")):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: -len(suffix)] + replacement
            break
    word = word.removesuffix("e")
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def find_terms(text: str) -> list[Term]:
    """Every term of `text` in order, stop words left out."""
    terms = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        if word.casefold() not in STOP_WORDS:
            terms += [Term(stem, match.start(), match.end()) for stem in _stem_token(word)]
    return terms


def _stem_token(word: str) -> tuple[str, ...]:
    """The stem; of ``6.4.1`` also ``6.4``, since who asks for the series means its releases too."""
    series = re.match(r"\d+\.\d+(?=\.\d)", word)
    return (stem_word(word), series.group()) if series else (stem_word(word),)


@lru_cache(maxsize=4096)
def stem_words(text: str) -> tuple[str, ...]:
    """The distinct stems of `text`, in order of first appearance."""
    return tuple(dict.fromkeys(term.stem for term in find_terms(text)))


def split_name(name: str) -> str:
    """A field's name as words: ``maxSize_mb`` becomes ``max Size mb``, and ``fix_5_9`` ``fix 5.9``."""
    dotted = re.sub(r"(?<=\d)_(?=\d)", ".", name)
    return _CAMEL.sub(" ", re.sub(r"[_\-/]+|(?<!\d)\.|\.(?!\d)", " ", dotted))


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph, stripped; abbreviations do not end one."""
    sentences: list[str] = []
    pending = ""
    for piece in _SENTENCE_END.split(" ".join(text.split())):
        pending = f"{pending} {piece}" if pending else piece
        if not _ABBREVIATION.search(pending):
            sentences.append(pending.strip())
            pending = ""
    return [sentence for sentence in (*sentences, pending.strip()) if sentence]
