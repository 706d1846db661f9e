"""Remarks by which a brief tells what its writer had at hand, and the same put so that it fits every setup.

Who writes that no search tool was available tells the setup as surely as who names a provider. Such a remark
says nothing of the subject, so it is put neutrally and not held against the brief: runs without search make
it most, and to leave their briefs out would move a rate. Only where a writer speaks of means in words that
are not listed here is the brief kept from the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from pytest_searchlight.judges.blinding import BlindingError

LEFT_OUT: Final = "[remark on means left out]"

_ONLINE: Final = r"(?:the |a |any |live )*(?:web|internet|online sources?|online)"
_TOOL: Final = (
    r"(?:(?:web|internet|online|live)[ -])?(?:search|browsing|fetch)[ -]?(?:tools?|engines?|functionality)"
    r"|(?:web|internet|online)[ -](?:search|browsing)|tools? (?:for|to) (?:search|brows)(?:ing|e)?"
)
_ACCESS: Final = (
    rf"(?:(?:any |live |direct |real-time )*(?:access to (?:{_ONLINE}|(?:the |a |any )*(?:{_TOOL}))"
    rf"|(?:web|internet|online|network|search|browsing) (?:access|connection|capabilit(?:y|ies))|{_TOOL}))"
)
_NOT: Final = (
    r"(?:can ?not|can['\u2019]t|(?:could|did|do|was|am|had|have)(?: not|n['\u2019]t)|(?:was|am) unable)"
)
_REASON: Final = r"(?:(?:because|since|as|given that|although|while) )?"
_HERE: Final = (
    r"(?: (?:to|for) me| here| (?:in|during|for) th(?:is|e) (?:current )?"
    r"(?:session|environment|run|sandbox|setting|conversation|task))"
)
_GIVEN: Final = r"(?:available|provided|enabled|offered|given|accessible|supplied)"
_MISSING: Final = rf"(?:not {_GIVEN}|unavailable|disabled|(?:n['\u2019]t) {_GIVEN})"
_MEMORY: Final = (
    r"my (?:own )?(?:training(?: data| set)?(?: cut-?off(?: date)?)?|memory|knowledge cut-?off(?: date)?"
    r"|(?:internal|prior|general|background|existing) knowledge)"
)
_EXCERPT: Final = r"(?:excerpts?|reference(?: material| text)?|source text|passages?)"


class Remark(NamedTuple):
    """What writers say of their means, as a pattern, and what the judge reads in its place."""

    pattern: str
    instead: str

    def replace_in(self, text: str) -> str:
        """`text` with this remark put neutrally, wherever it stands."""
        return _compile(self.pattern).sub(self._put, text)

    def _put(self, found: re.Match[str]) -> str:
        return self.instead[0].upper() + self.instead[1:] if found[0][0].isupper() else self.instead


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)


_SEARCHING: Final = (
    # I could not search the web; I was not able to browse the internet here
    Remark(
        rf"{_REASON}I {_NOT}(?: been)?(?: able)?(?: to)? (?:search|browse|access|reach|consult|query|use)"
        rf" (?:(?:the |a |any )*(?:{_TOOL})|{_ONLINE}){_HERE}?",
        LEFT_OUT,
    ),
    # I have no internet access; as I did not have access to a search tool
    Remark(
        rf"{_REASON}I (?:ha(?:ve|d) no|{_NOT} (?:have|given)|lack(?:ed)?)(?: any| a)? {_ACCESS}"
        rf"(?: available)?{_HERE}?",
        LEFT_OUT,
    ),
    # no search tool was available to me; since no web search was provided
    Remark(rf"{_REASON}no {_ACCESS} (?:was|were|is|are) {_GIVEN}(?:{_HERE}|(?=\s*[.,;:!)]|$))", LEFT_OUT),
    # web search was not available in this session
    Remark(rf"{_REASON}(?:the |a )?{_ACCESS} (?:(?:was|were|is|are) ?)?{_MISSING}{_HERE}", LEFT_OUT),
    # without access to the web, I ...; due to the lack of internet access, this brief ...
    Remark(
        rf"(?:without|(?:due to|for|given) (?:the |a )?lack of) {_ACCESS}{_HERE}?"
        r"(?=,? (?:I|we|this (?:answer|brief)|the following)(?!\w))",
        LEFT_OUT,
    ),
    # I searched the web and found; I ran several web searches; my search results
    Remark(rf"I (?:have )?(?:searched|browsed|googled)(?: {_ONLINE})?", "I looked"),
    Remark(
        r"I (?:ran|made|did|performed|conducted)(?: an?| two| three| several| some| many| multiple)? "
        r"(?:web |online |internet )?search(?:es)?",
        "I did research",
    ),
    Remark(rf"I used (?:the |a )?(?:{_TOOL})", "I did research"),
    Remark(
        r"my (?:own )?(?:web |online |internet )?(?:search(?:es)?(?: results?)?|browsing)"
        r"(?![ -]?(?:tool|engine))",
        "my research",
    ),
    Remark(
        rf"(?:the |my )?(?:(?:web |online )?search results?|{_TOOL})"
        r"(?= (?:show|say|suggest|indicate|return|did|do|gave|give|found|list|name|contain))",
        "the sources",
    ),
)
_REMEMBERING: Final = (
    # this is based on my training data; I answered from memory; as of my knowledge cutoff
    Remark(
        r"(?:(?:based|relying|relied|rely|drawing|drawn|resting|rests?)(?: (?:only|solely|purely|entirely))?"
        rf" (?:on|from|upon)|as of|from|per|in|since|by) {_MEMORY}",
        LEFT_OUT,
    ),
    Remark(_MEMORY, LEFT_OUT),
    Remark(r"(?:based|relying|relied|rely) (?:only |solely )?on training data", LEFT_OUT),
    Remark(r"I (?:answer|answered|write|wrote|worked|state|cite)(?: this| it)? from memory", LEFT_OUT),
)
_BEING_TOLD: Final = (
    # according to the provided excerpt; the reference material given in the prompt
    Remark(rf"the (?:provided|given|supplied|attached|included|quoted) {_EXCERPT}", "the source"),
    Remark(
        rf"the {_EXCERPT} (?:that (?:was |were |I was |I am )|I was |which was )?"
        r"(?:provided|given|supplied|included|quoted|attached)"
        r"(?: to me)?(?: (?:in|with|by) the (?:prompt|task|question))?",
        "the source",
    ),
    Remark(rf"the {_EXCERPT} (?:in|from|of) (?:the|my) (?:prompt|task|instructions)", "the source"),
    Remark(r"the reference material", "the source"),
)
REMARKS: Final = (
    (rf"{_TOOL}|web search", _SEARCHING),
    (r"training|memory|cut-?off|knowledge", _REMEMBERING),
    (_EXCERPT, _BEING_TOLD),
)
"""What remarks are about, and the remarks. Where the task itself speaks of that, they may be answers."""

_HINTS: Final = (
    "search", "brows", "googled", "web", "internet", "online", "access", "fetch", "training", "memory",
    "knowledge", "excerpt", "reference", "source text", "passage",
)  # fmt: skip
"""What holds none of these holds no remark, which spares nearly all sentences the dear search for each."""

_SENTENCE: Final = re.compile(r"[^.!?\n]+")

_MEANS: Final = rf"(?:{_TOOL}|(?:web|internet) access|training data|knowledge cut-?off)"
_OWN: Final = r"(?:I|me|my|myself)"
_OWN_MEANS: Final = (
    rf"(?:{_OWN}(?!\w)[^.!?\n]{{0,80}}(?<!\w){_MEANS}|{_MEANS}(?!\w)[^.!?\n]{{0,80}}(?<!\w){_OWN})"
)


def neutralise_remarks(text: str, *, own_words: str) -> str:
    """`text` with every remark on its writer's means put so that it fits any setup.

    Args:
        text: what an agent wrote.
        own_words: the task's; a task on search tools is not answered by remarks but by statements on them.
    """
    if not _may_hold_remark(text):
        return text
    wanted = _choose_remarks(own_words)
    return _SENTENCE.sub(lambda found: _put_neutrally(found[0], wanted), text)


@lru_cache(maxsize=256)
def _choose_remarks(own_words: str) -> tuple[Remark, ...]:
    return tuple(
        remark
        for subject, remarks in REMARKS
        if not _compile(f"(?:{subject})").search(own_words)
        for remark in remarks
    )


def _put_neutrally(sentence: str, remarks: Sequence[Remark]) -> str:
    if _may_hold_remark(sentence):
        for remark in remarks:
            sentence = remark.replace_in(sentence)
    return sentence


def _may_hold_remark(text: str) -> bool:
    plain = text.lower()
    return any(hint in plain for hint in _HINTS)


def demand_no_own_means(texts: Iterable[str], *, own_words: str) -> None:
    """Raise BlindingError when one of `texts`, remarks put neutrally, still tells what its writer had."""
    if _compile(_MEANS).search(own_words):
        return
    for text in filter(_may_hold_remark, texts):
        if found := _compile(_OWN_MEANS).search(text):
            raise BlindingError(f"tells what its writer had at hand: {found[0]!r}")
