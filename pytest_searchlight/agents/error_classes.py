"""The faults that agent products report, as one table: how each is recognised and what follows.

Whether a fault is retried and whether it counts is not said here but by the status, in
`domain.STATUS_RULES`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.domain import RunStatus


@dataclass(frozen=True, kw_only=True)
class ErrorSigns:
    """What a product's event stream tells about a fault; each part may be missing."""

    code: str | None = None
    http_status: int | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class ErrorClass:
    """One sort of fault.

    Attributes:
        name: what reports call it.
        status: what the run ends with.
        codes: words that products use for it in fields meant for machines.
        http_statuses: the model API's answers that mean it.
        words: a pattern in texts meant for people; the last resort.
    """

    name: str
    status: RunStatus
    codes: frozenset[str] = frozenset()
    http_statuses: frozenset[int] = frozenset()
    words: str | None = None

    def matches_words(self, text: str) -> bool:
        """Whether `text` speaks of this fault."""
        return self.words is not None and re.search(self.words, text, re.IGNORECASE) is not None


# The order decides between texts that speak of two faults: the more specific stands first.
ERROR_CLASSES: Final = (
    ErrorClass(
        name="refusal",
        status=RunStatus.REFUSED,
        codes=frozenset({"refusal"}),
        words=r"usage polic(y|ies)|\bflagged (as|for)\b",
    ),
    # A context that overflows has been filled by the agent with what its tools returned: its own budget.
    ErrorClass(
        name="context_overflow",
        status=RunStatus.BUDGET_EXHAUSTED,
        codes=frozenset({"prompt_too_long", "model_context_window_exceeded"}),
        words=r"prompt is too long|context window|context length|context limit",
    ),
    ErrorClass(
        name="own_limit",
        status=RunStatus.BUDGET_EXHAUSTED,
        codes=frozenset({"error_max_turns", "error_max_budget_usd"}),
        words=r"output token maximum",
    ),
    ErrorClass(
        name="billing",
        status=RunStatus.AGENT_ERROR,
        codes=frozenset({"billing_error"}),
        http_statuses=frozenset({402}),
        words=r"quota exceeded|exceeded your current quota|credit balance is too low|billing",
    ),
    ErrorClass(
        name="auth",
        status=RunStatus.AGENT_ERROR,
        codes=frozenset({"authentication_failed", "oauth_org_not_allowed"}),
        http_statuses=frozenset({401, 403}),
        words=r"\b401\b|\b403\b|invalid api key|not logged in|please run /login|unauthorized",
    ),
    ErrorClass(
        name="rate_limit",
        status=RunStatus.RATE_LIMITED,
        codes=frozenset({"rate_limit"}),
        http_statuses=frozenset({429}),
        words=r"rate limit|\b429\b|usage limit|limit reached|hit your limit",
    ),
    ErrorClass(
        name="overload",
        status=RunStatus.RATE_LIMITED,
        codes=frozenset({"overloaded"}),
        http_statuses=frozenset({503, 529}),
        words=r"overloaded|\b529\b|at capacity|high demand",
    ),
    ErrorClass(
        name="model_missing",
        status=RunStatus.AGENT_ERROR,
        codes=frozenset({"model_not_found"}),
        http_statuses=frozenset({404}),
        words=r"model .*does not exist|may not have access",
    ),
    ErrorClass(
        name="connection_lost",
        status=RunStatus.AGENT_ERROR,
        words=r"stream disconnected|connection (closed|reset|refused|failed)|unable to connect",
    ),
)

OTHER: Final = ErrorClass(name="other", status=RunStatus.AGENT_ERROR)
"""A fault that nothing else fits: the product's or the model API's, never the answer's."""


def classify_error(signs: ErrorSigns) -> ErrorClass:
    """The sort of fault: codes are believed before HTTP statuses, and these before words."""
    for matches in (
        lambda kind: signs.code in kind.codes,
        lambda kind: str(signs.http_status) in map(str, kind.http_statuses),
        lambda kind: kind.matches_words(signs.text),
    ):
        for kind in ERROR_CLASSES:
            if matches(kind):
                return kind
    return OTHER


_WAIT: Final = re.compile(
    r"try again in ((?:\d+(?:\.\d+)? ?(?:ms|s|seconds?|m|minutes?|h|hours?)(?![a-z]) ?)+)", re.IGNORECASE
)
_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?) ?(ms|[smh])", re.IGNORECASE)
_UNIT_S: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def find_wait_s(text: str) -> float | None:
    """Seconds that an error text asks us to wait, or None when it does not say."""
    match = _WAIT.search(text)
    if match is None:
        return None
    return sum(float(number) * _UNIT_S[unit.lower()] for number, unit in _SPAN.findall(match[1]))
