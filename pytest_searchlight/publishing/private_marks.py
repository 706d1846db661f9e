"""What must not stand in a report: the shapes of secrets and of private places, each with its reason.

A provider's keys are told by the letters that its maker begins them with, and others by the word that stands
before them. Nothing is told by looking random: the hashes of a report would be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple


class Mark(NamedTuple):
    """A shape that gives something private away.

    `hints` are what every text of this shape holds, in lower case; where none stands, the slower regular
    expression `pattern` is not asked.
    """

    looks_like: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _mark(looks_like: str, pattern: str, *hints: str) -> Mark:
    return Mark(looks_like, hints, re.compile(pattern))


MARKS: Final = (
    # --- secrets -----------------------------------------------------------------------------------------
    _mark("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY", "-----begin"),
    _mark("a key of a model's maker", r"\bsk-[\w-]{16,}", "sk-"),
    _mark("a Tavily key", r"\btvly-[\w-]{12,}", "tvly-"),
    _mark("a Firecrawl key", r"\bfc-[0-9a-f]{16,}", "fc-"),
    _mark("a Brave key", r"\bBSA[\w-]{20,}", "bsa"),
    _mark("a Perplexity key", r"\bpplx-\w{16,}", "pplx-"),
    _mark("an AWS key", r"\bA(?:KIA|SIA)[0-9A-Z]{16}\b", "akia", "asia"),
    _mark("a GitHub token", r"\b(?:gh[pousr]|github_pat)_\w{20,}", "gh"),
    _mark("a Google key", r"\bAIza[\w-]{30,}", "aiza"),
    _mark("a Slack token", r"\bxox[abeprs]-[\w-]{10,}", "xox"),
    _mark("a signed web token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}", "eyj"),
    _mark("a bearer token", r"\b[Bb]earer\s+[\w.~+/=-]{16,}", "bearer"),
    _mark("a password in an address", r"://[^\s/@:\"]+:[^\s/@\"]+@", "://"),
    # Exa's and Parallel's keys have no letters of their own; such a key is told by the word before it.
    _mark(
        "a key after its name",
        r"(?i:(?:api|access|secret|private)[_-]?key|secret|token|password|authorization)"
        r"[\"']?\s*[:=]\s*[\"']?(?=[\w+/.-]*\d)[\w+/.-]{16,}",
        *("key", "secret", "token", "password", "authorization"),
    ),
    # --- private places ----------------------------------------------------------------------------------
    _mark(
        "a path of somebody's machine",
        r"(?<![\w.:/-])/(?:home|Users|root|tmp|var/folders|private/(?:var|tmp))/",
        *("/home/", "/users/", "/root/", "/tmp/", "/var/folders/"),  # noqa: S108 - looked for, not used
    ),
    _mark("a home folder", r"(?<![\w.:/-])/root\b|(?<!\w)~/", "/root", "~/"),
    _mark("a path of somebody's machine", r"\b[A-Za-z]:\\+\w", ":\\"),
    _mark("a path of somebody's machine", r"\bfile:///?\w", "file:/"),
    _mark(
        "an address of a private network",
        r"\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d{1,3}\.\d{1,3}\b(?!\.\d)",
        *("10.", "192.168", "172.", "169.254"),
    ),
    _mark(
        "an e-mail address",
        r"\b[\w.+-]+@(?!(?:[\w-]+\.)*example\b)[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b",
        "@",
    ),
)

GENERIC_NAMES: Final = frozenset(
    {"root", "admin", "runner", "ubuntu", "debian", "vagrant", "localhost", "jenkins"}
)
"""Names of users and machines that tell nothing, and that ordinary text may hold."""

SHORTEST_NAME: Final = 5
"""A shorter name of a user or machine is too likely a word of ordinary text."""


def mark_names(names: Iterable[str]) -> Iterator[Mark]:
    """Marks for names of users and machines, as whole words; for those that tell something."""
    for name in names:
        if len(name) >= SHORTEST_NAME and name.lower() not in GENERIC_NAMES:
            pattern = rf"(?<![\w.-]){re.escape(name)}(?![\w-])"
            yield _mark("the name of a user or a machine", pattern, name.lower())
