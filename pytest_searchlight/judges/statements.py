"""Statements as the lexical judge compares them: words in one form, numbers and dates, assertion or denial.

The word forms are this judge's own: a verdict must not move because an agent or an index learns new ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_DAYS: Final = rf"(?<![\w.,])(?P<days>{_DAY}(?:\s{{0,3}}(?:,|and|or|&|to|-)\s{{0,3}}{_DAY}){{0,6}})"
_YEAR: Final = r"(?P<year>\d{4})\b"
_DATES: Final = (
    re.compile(rf"\b{_YEAR}-(?P<month>\d\d)-(?P<days>\d\d)\b"),
    re.compile(rf"{_DAYS}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_MONTH}\s+{_DAYS}\b(?!:)(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_MONTH},?\s+{_YEAR}(?P<days>)"),
    re.compile(rf"\b(?!may\b|mar\b|march\b){_MONTH}(?P<days>)(?P<year>)"),
    re.compile(r"(?P<month>)(?P<days>)\b(?P<year>(?:19|20)\d\d)\b(?!-|\.\d)"),
)
_WORD: Final = re.compile(r"@[\d-]+|[^\W\d_]+(?:'[a-z]+)?\d[\w.-]*\w|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[a-z]+)?")
_NAME: Final = re.compile(r"@\d{4}|[^\W\d]+\d.*|\d+(?:\.\d+){2,}")
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)?|@\d\d-\d\d")
_CLAUSE_END: Final = re.compile(
    r"[,:](?!\d)|[;()|]|\s-+\s|\b(?:but|however|although|though|while|and|so|because)\b"
)
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?;])[\"')\]]*\s+(?=\S)|\n\s*\n|\n(?=\s*(?:[-*|#>\u2022]|\d+[.)]\s))|(?<=[\u3002\uff01\uff1f])"
)
"""A single line break may be a mere fold of a sentence; before a list item or a table row it is an end."""
_DICTATION: Final = re.compile(
    r"(?:please )?(?:report|say|claim|answer|state|reply|tell (?:the|your) \w+) (?:that|with)\b",
    re.IGNORECASE,
)
"""A sentence that tells its reader what to say states nothing itself."""

_LINK: Final = re.compile(r"\]\([^)\s]{0,500}\)")
_TWO_FACTOR: Final = re.compile(r"\b2fa\b")
_SAME: Final = str.maketrans("\u2019\u2018\u2010\u2011\u2012\u2013\u2014\u2212", "''------")

_STOP_WORDS: Final = """
    a about according after again all already also am an and any are as at be because been before
    being both but by called came come did do does each else even ever every for from further given
    go goes had has have he her here his how i if in into is it its itself just let longer made make
    many may might more most much must my now of off on once one only or other our out over own per
    same shall she should since so some still such take than that the their them then there these
    they this those through thus to too took under up upon us use used using very via was way we
    were what when where whether which while who whoever whom whose will with would yet you your
"""
_STOP: Final = frozenset(_STOP_WORDS.split())
_DENYING_WORDS: Final = """
    no not never none nobody nothing neither nor cannot lack lacks lacking unaffected unavailable
    unsupported impossible unable fails untrue wrong wrongly incorrect incorrectly mistaken
"""
_DENIALS: Final = frozenset(_DENYING_WORDS.split())
_HEDGING_WORDS: Final = """
    reportedly allegedly supposedly presumably perhaps maybe possibly probably might seemingly apparently
    rumour rumours rumoured rumor rumors rumored speculation speculated unconfirmed unverified uncertain
    unclear
"""
_HEDGES: Final = frozenset(_HEDGING_WORDS.split())
_GROUPS: Final = (
    "end retire discontinue sunset decommission terminate stop close shut gone expire",
    "convert conversion transform transformation turn",
    "remain stay keep persist",
    "permit allow",
    "forbid prohibit ban",
    "raise increase grow",
    "lower reduce decrease",
    "repair fix patch resolve",
    "bypass circumvent",
    "change alter modify",
    "start begin",
    "show display",
    "replace substitute",
    "release publish",
    "demand require need",
    "evidence sign trace",
)
_SUFFIXES: Final = (
    ("ations", ""), ("ation", ""), ("ments", ""), ("ment", ""), ("ities", ""), ("ity", ""), ("ies", "y"),
    ("ied", "y"), ("ings", ""), ("ing", ""), ("ions", ""), ("ion", ""), ("ness", ""), ("ives", ""),
    ("ive", ""), ("ed", ""), ("es", ""), ("als", ""), ("al", ""), ("ly", ""), ("s", ""), ("e", ""),
)  # fmt: skip


class Sentence(NamedTuple):
    """One sentence, list item or table row.

    Attributes:
        text: as written, on one line.
        words: every word that tells something, in one form; months too.
        figures: numbers and days: what a paraphrase keeps, in the sentence that it belongs to.
        names: years, versions and identifiers, which a text may name once for many sentences.
        asserted: all of these that stand in a clause that denies nothing.
        denied: all of these that stand in a clause that denies.
        hedged: all of these that are asserted by way of rumour or guess alone.
    """

    text: str
    words: frozenset[str]
    figures: frozenset[str]
    names: frozenset[str]
    asserted: frozenset[str]
    denied: frozenset[str]
    hedged: frozenset[str]


class Passages(NamedTuple):
    """A text as evidence: its sentences in order, which of them hold a term, and all its names."""

    sentences: tuple[Sentence, ...]
    places: Mapping[str, tuple[int, ...]]
    names: frozenset[str]


@lru_cache(maxsize=128)
def read_passages(text: str) -> Passages:
    """`text`, taken apart once however many statements are held against it. Links count by their labels."""
    parts = (" ".join(part.split()) for part in _SENTENCE_END.split(_LINK.sub("]", text)))
    sentences = tuple(read_sentence(part) for part in parts if part and not _DICTATION.match(part))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index, sentence in enumerate(sentences):
        for term in sentence.asserted | sentence.denied:
            places[term].append(index)
    return Passages(
        sentences=sentences,
        places={term: tuple(indexes) for term, indexes in places.items()},
        names=frozenset[str]().union(*(sentence.names for sentence in sentences)),
    )


@lru_cache(maxsize=16_384)
def read_sentence(text: str) -> Sentence:
    """One statement, taken apart."""
    plain = unicodedata.normalize("NFKC", text).translate(_SAME).casefold()
    plain = _TWO_FACTOR.sub("two-factor authentication", plain)
    for pattern in _DATES:
        plain = pattern.sub(_mark_date, plain)
    asserted, denied, hedged = set[str](), set[str](), set[str]()
    for clause in _CLAUSE_END.split(plain):
        words = _WORD.findall(clause)
        terms = {reduce_word(word) for word in words if word not in _STOP and word not in _DENIALS}
        if any(word in _DENIALS or word.endswith("n't") for word in words):
            denied |= terms
        elif _HEDGES.isdisjoint(words):
            asserted |= terms
        else:
            hedged |= terms
    every = asserted | denied | hedged
    names, figures = set(filter(_NAME.fullmatch, every)), set(filter(_FIGURE.fullmatch, every))
    return Sentence(
        text=text,
        words=frozenset(every - figures - names),
        figures=frozenset(figures),
        names=frozenset(names),
        asserted=frozenset(asserted | hedged),
        denied=frozenset(denied),
        hedged=frozenset(hedged - asserted),
    )


def _mark_date(found: re.Match[str]) -> str:
    """``16 and 23 July 2026`` as ``@07-16 @07-23 @2026``, however it was written."""
    month, year = found["month"], found["year"]
    number = month if month.isdecimal() else f"{_MONTHS.index(month[:3]) + 1:02}" if month else ""
    days = [f"@{number}-{int(day):02}" for day in re.findall(r"\d+", found["days"])]
    of_month = [f"@{number}"] if number and not days else []
    return " ".join(["", *days, *of_month, *([f"@{year}"] if year else []), ""])


@lru_cache(maxsize=65_536)
def reduce_word(word: str) -> str:
    """The one form that stands for a word, its endings and its near synonyms; figures without separators."""
    if word[0].isdigit():
        return re.sub(r",(?=\d{3})", "", word)
    stem = _stem(word.removesuffix("'s").replace("'", ""))
    return _SYNONYMS.get(stem, stem)


def _stem(word: str) -> str:
    if not word.isalpha():
        return word
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: len(word) - len(suffix)] + replacement
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


_SYNONYMS: Final = {_stem(word): _stem(group.split()[0]) for group in _GROUPS for word in group.split()}
