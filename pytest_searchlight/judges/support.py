"""Whether a text bears a statement out: which few sentences say the same, and what they leave open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pytest_searchlight.judges.statements import Sentence, read_sentence

LEAST_COVERAGE: Final = 0.6
"""Share of a statement's words that its evidence must hold."""

MOST_SENTENCES: Final = 3
"""Sentences that may bear a statement out together; with more of them any text says anything."""

_LEAST_DENIED: Final = 0.34
"""Share of a statement's words in clauses that deny, from which on the statement is a denial."""

_SHOWN_CHARS: Final = 200


@dataclass(frozen=True, kw_only=True)
class Support:
    """What a text does for a statement; `reason` is a sentence that quotes the evidence."""

    holds: bool
    reason: str


@dataclass
class _Found:
    """What of a statement has been found, and in which sentences."""

    words: set[str] = field(default_factory=set)
    figures: set[str] = field(default_factory=set)
    quoted: list[str] = field(default_factory=list)


def find_support(text: str, *, evidence: Iterable[Sentence]) -> Support:
    """Hold the statement `text` against the sentences of `evidence`."""
    statement = read_sentence(" ".join(text.split()))
    sentences = tuple(evidence)
    found = _gather(statement, sentences)
    missing = sorted(statement.figures - found.figures) + _list_missing_names(statement, sentences)
    share = len(found.words) / len(statement.words) if statement.words else float(bool(found.quoted))
    return Support(
        holds=bool(found.quoted) and share >= LEAST_COVERAGE and not missing,
        reason=_explain(found, share=share, missing=missing),
    )


def _gather(statement: Sentence, sentences: tuple[Sentence, ...]) -> _Found:
    """The sentences that add most to what has been found, one after the other."""
    found, denies = _Found(), _is_denial(statement)
    shares = [(each, _find_shared(statement, each, denies=denies)) for each in sentences]
    candidates = [(each, words, figures) for each, (words, figures) in shares if words or figures]
    for _ in range(MOST_SENTENCES):
        gains = [len(words - found.words) + len(figures - found.figures) for _, words, figures in candidates]
        if not any(gains):
            break
        sentence, words, figures = candidates[gains.index(max(gains))]
        found.words |= words
        found.figures |= figures
        found.quoted.append(sentence.text)
    return found


def _is_denial(statement: Sentence) -> bool:
    denied = {word for clause in statement.clauses if clause.denies for word in clause.terms}
    return len(denied & statement.words) > _LEAST_DENIED * len(statement.words)


def _find_shared(statement: Sentence, sentence: Sentence, *, denies: bool) -> tuple[set[str], set[str]]:
    """The words and figures of `statement` that `sentence` says in the same sense.

    A denying clause bears no affirmative statement out; a denial needs one that denies something of its own.
    A figure counts only beside a word or a version that it belongs to, or another figure.
    """
    denying = {term for clause in sentence.clauses if clause.denies for term in clause.terms}
    if denies and statement.words.isdisjoint(denying):
        return set(), set()
    said = {term for clause in sentence.clauses if denies or not clause.denies for term in clause.terms}
    words, figures = said & statement.words, said & statement.figures
    versions = {name for name in said & statement.names if not name.startswith("@")}
    is_anchored = bool(words or versions) or not statement.words or len(figures) > 1
    return words, figures if is_anchored else set()


def _list_missing_names(statement: Sentence, sentences: tuple[Sentence, ...]) -> list[str]:
    """Names that the whole text never says; a text without any year leaves the year open."""
    said = frozenset[str]().union(*(each.names for each in sentences))
    tells_years = any(name.startswith("@") for name in said)
    return sorted(name for name in statement.names - said if tells_years or not name.startswith("@"))


def _explain(found: _Found, *, share: float, missing: list[str]) -> str:
    if not found.quoted:
        return "no sentence says any of it"
    quoted = " … ".join(text[:_SHOWN_CHARS] for text in found.quoted)
    without = f" without {', '.join(each.removeprefix('@') for each in missing)}" if missing else ""
    return f"{share:.0%} of its words{without} stand in: {quoted}"
