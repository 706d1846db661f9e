"""Which regular expressions a catalog may use: they compile, say something, and end in linear time."""

from __future__ import annotations

import re
from typing import Final

MAX_PATTERN_CHARS: Final = 300

_NESTED_REPEAT: Final = re.compile(r"\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,)")
_ADJACENT_REPEATS: Final = re.compile(r"(?:\.[*+]\??){2,}")


def explain_pattern(pattern: str) -> str | None:
    """Which rule `pattern` breaks and what to do, or None when it may be used.

    The rule against slow patterns is a cheap look at the text, not a proof: it refuses a repeated group
    that repeats inside, and runs of ``.*``.
    """
    if len(pattern) > MAX_PATTERN_CHARS:
        return f"longer than {MAX_PATTERN_CHARS} characters → give the conclusion a typed field of its own"
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        return f"does not compile: {error} → correct it, or escape what is meant literally"
    if compiled.search("") is not None:
        return "matches the empty string, so it accepts everything → demand at least one character"
    if _NESTED_REPEAT.search(pattern) or _ADJACENT_REPEATS.search(pattern):
        return "repeats within a repeat, which can take for ever → write it without nested repetition"
    return None
