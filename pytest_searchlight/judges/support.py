"""Whether a text bears a statement out: which few sentences say the same, and what they leave open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from pytest_searchlight.judges.contradictions import find_contradiction
from pytest_searchlight.judges.statements import Passages, Sentence, read_sentence

LEAST_COVERAGE: Final = 0.6
"""Share of a statement's words that its evidence must hold."""

MOST_SENTENCES: Final = 3
"""Sentences that may bear a statement out together; with more of them any text says anything."""

NEARBY: Final = 2
"""Sentences of a page that may bear a statement out together stand at most so far from the leading one."""

_LEAST_LEAD: Final = 0.4
"""Share of a statement's words that the leading sentence must hold alone."""

_MOST_LEADS: Final = 20
"""Leading sentences that are tried, the best first."""

_LEAST_DENIED: Final = 0.34
"""Share of a statement's words in clauses that deny, from which on the statement is a denial."""

_SHOWN_CHARS: Final = 200


@dataclass(frozen=True, kw_only=True)
class Support:
    """What a text does for a statement; `reason` is a sentence that quotes the evidence."""

    holds: bool
    reason: str


class _Candidate(NamedTuple):
    """A sentence that says a part of a statement in the same sense: where it stands, and which part."""

    place: int
    words: frozenset[str]
    figures: frozenset[str]


def find_support(text: str, *, evidence: Passages, reach: int | None = NEARBY) -> Support:
    """Hold the statement `text` against `evidence`.

    Args:
        text: one statement.
        evidence: the text that may bear it out.
        reach: how far apart the sentences may stand; None is anywhere, for texts all about one thing.
    """
    statement = read_sentence(" ".join(text.split()))
    candidates = list(_list_candidates(statement, evidence))
    supports = (
        _weigh(statement, _gather(lead, candidates, reach=reach), evidence)
        for lead in _choose_leads(statement, candidates)
    )
    first = next(supports, Support(holds=False, reason="no sentence says enough of it"))
    return first if first.holds else next((each for each in supports if each.holds), first)


def _list_candidates(statement: Sentence, evidence: Passages) -> Iterator[_Candidate]:
    denies = len(statement.denied & statement.words) > _LEAST_DENIED * len(statement.words)
    terms = statement.asserted | statement.denied
    for index in sorted({index for term in terms for index in evidence.places.get(term, ())}):
        words, figures = _find_shared(statement, evidence.sentences[index], denies=denies)
        if words or figures:
            yield _Candidate(index, words, figures)


def _choose_leads(statement: Sentence, candidates: list[_Candidate]) -> list[_Candidate]:
    enough = _LEAST_LEAD * len(statement.words)
    leads = [each for each in candidates if len(each.words) >= enough]
    return sorted(leads, key=lambda each: -len(each.words) - len(each.figures))[:_MOST_LEADS]


def _gather(lead: _Candidate, candidates: list[_Candidate], *, reach: int | None) -> list[_Candidate]:
    """The leading sentence, and those within its reach that add most to it."""
    chosen, words, figures = [lead], set(lead.words), set(lead.figures)
    near = [each for each in candidates if reach is None or abs(each.place - lead.place) <= reach]
    while len(chosen) < MOST_SENTENCES:
        gains = [len(each.words - words) + len(each.figures - figures) for each in near]
        if not any(gains):
            break
        best = near[gains.index(max(gains))]
        chosen.append(best)
        words |= best.words
        figures |= best.figures
    return chosen


def _weigh(statement: Sentence, chosen: list[_Candidate], evidence: Passages) -> Support:
    words = frozenset[str]().union(*(each.words for each in chosen))
    figures = frozenset[str]().union(*(each.figures for each in chosen))
    missing = [*sorted(statement.figures - figures), *_list_missing_names(statement, evidence)]
    share = len(words) / len(statement.words) if statement.words else 1.0
    quoted = " … ".join(evidence.sentences[each.place].text[:_SHOWN_CHARS] for each in chosen)
    without = f" without {', '.join(each.removeprefix('@') for each in missing)}" if missing else ""
    said = f"{share:.0%} of its words{without} stand in: {quoted}"
    if share < LEAST_COVERAGE or missing:
        return Support(holds=False, reason=said)
    sentences = [evidence.sentences[each.place] for each in chosen]
    against = find_contradiction(statement, sentences, evidence=evidence)
    return Support(holds=against is None, reason=said if against is None else f"{against}: {quoted}")


def _find_shared(
    statement: Sentence, sentence: Sentence, *, denies: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """The words and figures of `statement` that `sentence` says in the same sense.

    A denying clause bears no affirmative statement out; a denial needs one that denies something of its own.
    What is told as a rumour or a guess bears out what is stated as one.
    A figure counts only beside a word or a version that it belongs to, or another figure, and not in a
    sentence on other years.
    """
    if denies and statement.words.isdisjoint(sentence.denied):
        return frozenset(), frozenset()
    said = sentence.asserted | sentence.denied if denies else sentence.asserted
    if not statement.hedged:
        said -= sentence.hedged
    words, figures = said & statement.words, said & statement.figures
    has_version = any(not name.startswith("@") for name in said & statement.names)
    is_anchored = words or has_version or not statement.words or len(figures) > 1
    years, own_years = _find_years(sentence), _find_years(statement)
    of_another_year = years and own_years and years.isdisjoint(own_years)
    return words, figures if is_anchored and not of_another_year else frozenset()


def _find_years(sentence: Sentence) -> frozenset[str]:
    return frozenset(name for name in sentence.names if name.startswith("@"))


def _list_missing_names(statement: Sentence, evidence: Passages) -> list[str]:
    """Names that the whole text never says; a text without any year leaves the year open."""
    missing = sorted(statement.names - evidence.names)
    if any(name.startswith("@") for name in evidence.names):
        return missing
    return [name for name in missing if not name.startswith("@")]
