"""What words an agent used, apart from how it happened to write them: spelling, remarks, negation, hedges."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

MAX_CLAIMS: Final = 8
"""How many places are tried at which a value may end."""

MAX_TEXT_CHARS: Final = 20_000
"""How much of one field is read; a fact does not need more, and patterns stay quick."""

_SAME: Final = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\uff07", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02", '"'),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"),
    }
)
_WRAPS: Final = frozenset({'""', "''", "``", "**"})

AFTER_NAME: Final = re.compile(r"\s*\(|\s+-+\s+|\s+\[")
"""Where a name may end and a remark on it begin; names themselves hold commas."""

AFTER_VALUE: Final = re.compile(r"\s*\(|\s*;|\s+-+\s+|\s*\n|\s+\[|,\s|\.\s|:\s")
"""Where a number, a date or a version may end and a remark on it begin."""

_CONNECTORS: Final = frozenset({"and", "also", "too", "as", "well", "plus", "or", "then"})
_HEDGE: Final = re.compile(
    r"\b(?:maybe|perhaps|possibl[ey]|probabl[ey]|likely|presumably|allegedly|reportedly|rumou?red|either|"
    r"might|may be|could be|should be|unsure|uncertain|unclear|unconfirmed|guess\w*|estimate[sd]?|"
    r"speculat\w*|expected|anticipated|projected|tentative\w*|alternatively|if not|not sure)\b"
    r"|\bor\b(?!\s+(?:newer|later|above|higher|earlier|older|below|lower|more|less|greater|after|before))",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:not|never|neither|nor|without|cannot|no longer|rather than|instead of|except|unlike|other than)\b"
    r"|n't\b|\bno\b(?!\.?\s*\d)",
    re.IGNORECASE,
)
_NO_NEGATION: Final = re.compile(
    r"\bnot (?:only|just|merely|least)\b|\bno (?:later|earlier|more|less|fewer|sooner) than\b"
    r"|\bno (?:doubt|question)\b|\bno\s*,|(?:\bcannot|n't|\bnot) (?:avoid|escape|help)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(
    r"[.;:!?\n(),]|\s-+\s|\b(?:but|however|so|use|because|since|therefore|then|although|though|and)\b",
    re.IGNORECASE,
)
_FEW_WORDS: Final = re.compile(r"\W*(?:[\w'-]+\W+){0,5}")
_DENIED_AFTER: Final = re.compile(
    r"\s*(?:(?!(?:if|unless|until|when|where|because|which|that|and)\b)[\w'-]+\s+){0,3}?(?:"
    r"(?:is|are|was|were|do|does|did|has|have|had|need|needs|will|would|should|can|could|must)"
    r"(?:\s+not\b|n't\b|\s+never\b|\s+no longer\b)(?!\s+(?:optional|avoidable|negotiable))"
    r"|(?:is|are|was|were|be)\s+(?:unnecessary|unneeded|superfluous)\b"
    r"|not\s+(?:needed|required|necessary)\b)",
    re.IGNORECASE,
)
_REJECTED_AFTER: Final = re.compile(
    r"\s*(?:(?:is|was)(?:\s+not|n't)\s+(?:correct|right|true|the\s+(?:answer|value|number|case))"
    r"|(?:is|was)\s+(?:wrong|incorrect|false|untrue))\b",
    re.IGNORECASE,
)


class Claim(NamedTuple):
    """A value as an agent states it, and what it adds."""

    head: str
    remark: str


def tidy(text: str) -> str:
    """`text` in one Unicode form, with one kind of dash, quote and space; case and line breaks stay."""
    return _tidy(text[:MAX_TEXT_CHARS])


@lru_cache(maxsize=1024)
def _tidy(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_SAME)
    return "\n".join(" ".join(line.split()) for line in plain.split("\n")).strip()


def normalise(text: str) -> str:
    """`text` for comparison: tidied, case-folded, without wrapping quotes and closing punctuation."""
    return _normalise(text[:MAX_TEXT_CHARS])


@lru_cache(maxsize=1024)
def _normalise(text: str) -> str:
    folded = " ".join(unicodedata.normalize("NFKC", _tidy(text).casefold()).split())
    return _unwrap(folded) or folded


def _unwrap(text: str) -> str:
    while len(text) > 1:
        shorter = text.rstrip(".,;:!").rstrip()
        if len(shorter) > 1 and shorter[0] + shorter[-1] in _WRAPS:
            shorter = shorter[1:-1].strip()
        if shorter == text:
            break
        text = shorter
    return text


def list_claims(text: str, *, end: re.Pattern[str]) -> Iterable[Claim]:
    """The ways to read tidied `text` as a value, an `end`, and a remark; the shortest value first."""
    for mark in islice(end.finditer(text), MAX_CLAIMS):
        if mark.start() > 0:
            yield Claim(text[: mark.start()], text[mark.end() :])


def is_commentary(remark: str, *, values: re.Pattern[str] | None = None) -> bool:
    """Whether a remark comments on the value before it, rather than offering another one or taking it back.

    `values` matches the kind of value in question; a remark of nothing but values and connecting words is
    a second answer, as in ``3.8; also 3.10``.
    """
    if _HEDGE.search(remark):
        return False
    rest = values.sub(" ", remark) if values else remark
    words = [word for word in re.findall(r"[^\W\d_]{2,}", rest.casefold()) if word not in _CONNECTORS]
    return bool(words)


def matches_name(text: str, name: str) -> bool:
    """Whether `text` says `name` and nothing else, but for a remark in brackets or after a dash."""
    return normalise(name) in _list_readings(text[:MAX_TEXT_CHARS])


@lru_cache(maxsize=1024)
def _list_readings(text: str) -> frozenset[str]:
    """Everything that a text may be read as naming: all of it, or what stands before a remark."""
    claims = list_claims(_tidy(text), end=AFTER_NAME)
    heads = (claim.head for claim in claims if is_commentary(claim.remark))
    return frozenset({_normalise(text), *map(_normalise, heads)})


def is_hedged(text: str) -> bool:
    """Whether `text` leaves open what it states (probably, expected, or ...)."""
    return _HEDGE.search(text) is not None


def is_negated(text: str, start: int) -> bool:
    """Whether what begins at `start` is denied by the words before it in its own clause (``not 5``).

    Two denials make an assertion, as in ``does not work without a rebuild``.
    """
    before = _NO_NEGATION.sub(lambda found: "x" * len(found.group()), text[max(0, start - 200) : start])
    clause = before[max((end.end() for end in _CLAUSE_END.finditer(before)), default=0) :]
    denials = [denial.end() for denial in _NEGATION.finditer(clause)]
    return len(denials) % 2 == 1 and _FEW_WORDS.fullmatch(clause, denials[-1]) is not None


def find_asserted(pattern: re.Pattern[str], text: str) -> str | None:
    """The first match of `pattern` in tidied `text` that is neither denied nor called wrong, or None."""
    for found in pattern.finditer(text):
        if not is_negated(text, found.start()) and not _REJECTED_AFTER.match(text, found.end()):
            return found.group()
    return None


def find_claimed(pattern: re.Pattern[str], text: str) -> str | None:
    """Like `find_asserted`, and a match whose sentence goes on to deny it does not count either.

    For what must not be said: ``a rebuild is not necessary`` does not say that a rebuild is.
    """
    for found in pattern.finditer(text):
        end = found.end()
        denied = _DENIED_AFTER.match(text, end) or _REJECTED_AFTER.match(text, end)
        if not is_negated(text, found.start()) and not denied:
            return found.group()
    return None
