"""What every record is built from: the frozen base class, text types and content hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    StringConstraints,
)

SLUG_PATTERN: Final = r"^[a-z0-9][a-z0-9._-]*$"
RESERVED_WORDS: Final = frozenset({"and", "or", "not"})
"""Words pytest's ``-k`` reads as operators, so no id may be one of them."""

Slug = Annotated[str, StringConstraints(pattern=SLUG_PATTERN, max_length=80)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Encodable = Annotated[str, AfterValidator(lambda text: text.encode("utf-8", "replace").decode())]
"""Text that may quote an agent. Lone surrogates, which no strict reader of JSON takes, turn into ``?``."""


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


class Record(BaseModel):
    """A frozen record that refuses fields it does not know.

    Its validator is built when first needed: most sessions need few of a hundred records. NaN and infinities
    are refused, since evidence is JSON and has no words for them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)


def hash_content(value: object) -> str:
    """SHA-256 (hex) of a JSON-ready value, independent of key order."""
    return hashlib.sha256(_CANONICAL.encode(value).encode("utf-8", "surrogatepass")).hexdigest()
