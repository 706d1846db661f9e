"""What must not stand in a report: the shapes of secrets and of private places, each with its reason.

A provider's keys are told by the letters that its maker begins them with, and others by the word that stands
before them. Nothing is told by looking random: the hashes of a report would be.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Mark(NamedTuple):
    """A shape that gives something private away: a regular expression, and what it looks like in words."""

    looks_like: str
    pattern: str


MARKS: Final = (
    # --- secrets -----------------------------------------------------------------------------------------
    Mark("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY"),
    Mark("a key of a model's maker", r"\bsk-[\w-]{16,}"),
    Mark("a Tavily key", r"\btvly-[\w-]{12,}"),
    Mark("a Firecrawl key", r"\bfc-[0-9a-f]{16,}"),
    Mark("a Brave key", r"\bBSA[\w-]{20,}"),
    Mark("a Perplexity key", r"\bpplx-\w{16,}"),
    Mark("an AWS key", r"\bA(?:KIA|SIA)[0-9A-Z]{16}\b"),
    Mark("a GitHub token", r"\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,})"),
    Mark("a Google key", r"\bAIza[\w-]{30,}"),
    Mark("a Slack token", r"\bxox[abeprs]-[\w-]{10,}"),
    Mark("a signed web token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}"),
    Mark("a bearer token", r"\b[Bb]earer\s+[\w.~+/=-]{16,}"),
    Mark("a password in an address", r"://[^\s/@:\"]+:[^\s/@\"]+@"),
    # Exa's and Parallel's keys have no letters of their own; such a key is told by the word before it.
    Mark(
        "a key after its name",
        r"(?i:(?:api|access|secret|private)[_-]?key|secret|token|password|authorization)"
        r"[\"']?\s*[:=]\s*[\"']?(?=[\w+/.-]*\d)[\w+/.-]{16,}",
    ),
    # --- private places ----------------------------------------------------------------------------------
    Mark(
        "a path of somebody's machine",
        r"(?<![\w.:/-])/(?:home|Users|root|tmp|var/folders|private/(?:var|tmp))/",
    ),
    Mark("a home folder", r"(?<![\w.:/-])/root\b|(?<!\w)~/"),
    Mark("a path of somebody's machine", r"\b[A-Za-z]:\\+\w"),
    Mark("a path of somebody's machine", r"\bfile:///?\w"),
    Mark(
        "an address of a private network",
        r"\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d{1,3}\.\d{1,3}\b(?!\.\d)",
    ),
    Mark("an e-mail address", r"\b[\w.+-]+@(?!(?:[\w-]+\.)*example\b)[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b"),
)

GENERIC_NAMES: Final = frozenset(
    {"root", "admin", "runner", "ubuntu", "debian", "vagrant", "localhost", "jenkins"}
)
"""Names of users and machines that tell nothing, and that ordinary text may hold."""

SHORTEST_NAME: Final = 5
"""A shorter name of a user or machine is too likely a word of ordinary text."""


def compile_marks(names: tuple[str, ...] = ()) -> re.Pattern[str]:
    """One expression for all marks; the number in the name of the group that matched is the mark's place.

    Args:
        names: of users and machines, added as one more mark, as whole words.
    """
    patterns = [mark.pattern for mark in MARKS]
    if told := [re.escape(name) for name in names if _is_telling(name)]:
        patterns.append(rf"(?<![\w.-])(?:{'|'.join(told)})(?![\w-])")
    return re.compile("|".join(f"(?P<mark_{place}>{pattern})" for place, pattern in enumerate(patterns)))


def _is_telling(name: str) -> bool:
    return len(name) >= SHORTEST_NAME and name.lower() not in GENERIC_NAMES


def describe_mark(match: re.Match[str]) -> str:
    """What a match of `compile_marks` looks like."""
    place = int(str(match.lastgroup).removeprefix("mark_"))
    return MARKS[place].looks_like if place < len(MARKS) else "the name of a user or a machine"
