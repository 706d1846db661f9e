"""Telling an honest "there is no answer" from a value, and from a value with a disclaimer around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.deliverables import ABSENT
from pytest_searchlight.validators.values import DATE
from pytest_searchlight.validators.wording import is_hedged, normalise, tidy

_WHOLE: Final = re.compile(
    r"(?:n/?a|none|nil|null|nothing|unknown|unavailable|undisclosed|unspecified|unannounced|unpublished|"
    r"undetermined|unconfirmed|undefined|unanswerable|inconclusive|missing|pending|tba|tbd|tbc|no|declined|"
    r"to be (?:announced|determined|confirmed)|does not exist|no such \w+|[?.-]+|"
    r"(?:(?:currently|officially|publicly|yet) )*not (?:\w+ly )?(?:available|found|known|published|disclosed|specified|stated|announced|"
    r"applicable|determined|confirmed|given|listed|mentioned|provided|documented|released|reported|public|"
    r"determinable|answerable|sure|exist\w*)(?: (?:yet|publicly|officially|anywhere|online))*|"
    r"no (?:reliable |official |public |published |confirmed |such |known )*(?:answer|data|information|date|"
    r"price|value|figure|evidence|source|result|record|announcement|match)s?(?: (?:found|available|known|exists?|published|announced|yet))*|"
    r"(?:cannot|could not|can't|couldn't|unable to) (?:be )?(?:determined?|found|find|verified|verify|confirm(?:ed)?|answer(?:ed)?|"
    r"established?)(?: (?:it|this|that))?|i (?:do not|don't) know|insufficient (?:data|evidence|information))"
)
_DENIAL: Final = re.compile(
    r"\b(?:(?:could|can|was|were|am|is|are|do|does|did|has|have|had)(?: not|n't)|cannot|never|unable to|failed to)"
    r"(?: [\w'-]+){0,4}? (?:find|found|locate|determine|determined|identify|verify|confirm|confirmed|know|known|"
    r"establish|established|announce|announced|publish|published|disclose|disclosed|specify|specified|state|stated|list|"
    r"listed|available|exist|exists|document|documented|provide|provided|release|released|report|reported|give|given|"
    r"mention|mentioned|answer|answered|say|said|public|set|scheduled|decided|quote|quoted)\b"
    r"|\b(?:there (?:is|are|was|were)|there's|i found|we found|found|has|have|with)?\s*\bno\b(?: [\w'./-]+){0,5}? (?:answer|data|information|date|price|pricing|value|"
    r"figure|evidence|source|result|record|announcement|mention|statement|documentation|page|plan|number|version|release|"
    r"parameter|option|setting|feature|product|entry|match|reference|indication|confirmation|schedule|roadmap)s?\b"
    r"|\b(?:unknown|unavailable|undisclosed|unannounced|unpublished|unspecified|undetermined)\b"
    r"|\bnot (?:yet |been |publicly |officially )*(?:available|found|known|published|disclosed|specified|announced|stated|determined|confirmed|documented|listed|public)\b"
    r"|\b(?:contact sales|on request|custom pricing|quote only)\b",
    re.IGNORECASE,
)
_CLAUSES: Final = re.compile(
    r"[;!?\n]|\.(?=\s|$)|,?\s+\b(?:but|however|although|though|yet(?=,| it)|while|nevertheless|still,)\b|\s-+\s|:\s|,\s",
    re.IGNORECASE,
)
_OBSERVED: Final = re.compile(
    r"\b(?:as (?:of|at)|(?:last )?(?:checked|accessed|observed|retrieved|searched|verified|visited|looked up|consulted)(?: (?:on|at|as of|until))?|"
    r"up to|until|today,?|on)\s*[:,]?\s*(?:" + DATE.pattern.replace("?P<", "?P<o_") + r")",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(
    r"[$\u20ac\u00a3\u00a5]\s*\d|\d\s*(?:%|usd|eur|dollars?|euros?)\b|"
    + DATE.pattern.replace("?P<", "?P<f_"),
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"\d")
_SCENE: Final = re.compile(
    r"\s*(?:as of|in|for|on|after|since|by|through|across|within|from|under|at|with|according to|having|searching|despite)\b",
    re.IGNORECASE,
)
"""How a clause begins that says where one looked, as in ``As of version 3.2, no date is known``."""

_EXCEPTION: Final = re.compile(r"\b(?:other than|except|beyond|besides|apart from|only)\b", re.IGNORECASE)


def is_declined(value: object) -> bool:
    """Whether `value` gives no answer: absent, null, empty, or words that say so and claim nothing else."""
    if value is None or value is ABSENT:
        return True
    if isinstance(value, str):
        return _is_declining_text(value)
    if isinstance(value, dict):
        return all(is_declined(part) for part in value.values())
    if isinstance(value, list):
        return all(is_declined(part) for part in value)
    return False


def find_fabrication(value: JsonValue) -> str | None:
    """What a value claims although there is nothing to claim, or None when it is an honest decline."""
    if is_declined(value):
        return None
    if isinstance(value, dict):
        return next(_find_all(list(value.values())), None)
    if isinstance(value, list):
        return next(_find_all(value), None)
    return str(value)


def _find_all(values: list[JsonValue]) -> Iterator[str]:
    for part in values:
        found = find_fabrication(part)
        if found is not None:
            yield found


def _is_declining_text(text: str) -> bool:
    plain = normalise(text)
    if not plain or _WHOLE.fullmatch(re.sub(r"[_\s-]+", " ", plain).strip() or plain):
        return True
    return _is_declining_prose(_OBSERVED.sub(" ", tidy(text)))


def _is_declining_prose(text: str) -> bool:
    """Whether prose denies knowing, and no clause of it offers a value or a hedged guess."""
    clauses = [clause for clause in _CLAUSES.split(text) if clause and clause.strip()]
    denials = [_DENIAL.search(clause) is not None for clause in clauses]
    return any(denials) and not any(
        is_hedged(clause) or _offers_value(clause, denied=denied)
        for clause, denied in zip(clauses, denials, strict=True)
    )


def _offers_value(clause: str, *, denied: bool) -> bool:
    if denied:
        return _EXCEPTION.search(clause) is not None and _DIGIT.search(clause) is not None
    return (_FIGURE if _SCENE.match(clause) else _DIGIT).search(clause) is not None
