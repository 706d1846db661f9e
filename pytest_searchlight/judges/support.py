"""Whether a text bears a statement out: which few sentences say the same, and what they leave open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pytest_searchlight.judges.statements import Passages, Sentence, read_sentence

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


def find_support(text: str, *, evidence: Passages) -> Support:
    """Hold the statement `text` against `evidence`."""
    statement = read_sentence(" ".join(text.split()))
    found = _gather(statement, evidence)
    missing = sorted(statement.figures - found.figures) + _list_missing_names(statement, evidence)
    share = len(found.words) / len(statement.words) if statement.words else float(bool(found.quoted))
    return Support(
        holds=bool(found.quoted) and share >= LEAST_COVERAGE and not missing,
        reason=_explain(found, share=share, missing=missing),
    )


def _gather(statement: Sentence, evidence: Passages) -> _Found:
    """The sentences that add most to what has been found, one after the other."""
    found = _Found()
    candidates = list(_list_candidates(statement, evidence))
    for _ in range(MOST_SENTENCES):
        gains = [len(words - found.words) + len(figures - found.figures) for _, words, figures in candidates]
        if not any(gains):
            break
        sentence, words, figures = candidates[gains.index(max(gains))]
        found.words |= words
        found.figures |= figures
        found.quoted.append(sentence.text)
    return found


def _list_candidates(
    statement: Sentence, evidence: Passages
) -> Iterator[tuple[Sentence, frozenset[str], frozenset[str]]]:
    """Each sentence that says a part of `statement` in the same sense, with the words and figures of it."""
    denies = len(statement.denied & statement.words) > _LEAST_DENIED * len(statement.words)
    terms = statement.asserted | statement.denied
    for index in sorted({index for term in terms for index in evidence.places.get(term, ())}):
        words, figures = _find_shared(statement, evidence.sentences[index], denies=denies)
        if words or figures:
            yield evidence.sentences[index], words, figures


def _find_shared(
    statement: Sentence, sentence: Sentence, *, denies: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """The words and figures of `statement` that `sentence` says in the same sense.

    A denying clause bears no affirmative statement out; a denial needs one that denies something of its own.
    A figure counts only beside a word or a version that it belongs to, or another figure.
    """
    if denies and statement.words.isdisjoint(sentence.denied):
        return frozenset(), frozenset()
    said = sentence.asserted | sentence.denied if denies else sentence.asserted
    words, figures = said & statement.words, said & statement.figures
    has_version = any(not name.startswith("@") for name in said & statement.names)
    is_anchored = words or has_version or not statement.words or len(figures) > 1
    return words, figures if is_anchored else frozenset()


def _list_missing_names(statement: Sentence, evidence: Passages) -> list[str]:
    """Names that the whole text never says; a text without any year leaves the year open."""
    missing = sorted(statement.names - evidence.names)
    if missing and any(name.startswith("@") for name in evidence.names):
        return missing
    return [name for name in missing if not name.startswith("@")]


def _explain(found: _Found, *, share: float, missing: list[str]) -> str:
    if not found.quoted:
        return "no sentence says any of it"
    quoted = " … ".join(text[:_SHOWN_CHARS] for text in found.quoted)
    without = f" without {', '.join(each.removeprefix('@') for each in missing)}" if missing else ""
    return f"{share:.0%} of its words{without} stand in: {quoted}"
