"""Keeps secrets out of evidence."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

_SHORTEST_SECRET: Final = 8
_REDACTED: Final = b"[REDACTED]"


class Scrubber:
    """Replaces secrets, also where they stand percent-encoded, base64-encoded or escaped for JSON."""

    def __init__(self, secrets: Iterable[str]) -> None:
        variants = {
            form.encode()
            for secret in secrets
            if len(secret) >= _SHORTEST_SECRET
            for form in _spell_variants(secret)
        }
        longest_first = sorted(variants, key=lambda form: (-len(form), form))
        self._pattern = re.compile(b"|".join(map(re.escape, longest_first))) if longest_first else None

    def __call__(self, data: bytes) -> bytes:
        """`data` without the secrets."""
        return data if self._pattern is None else self._pattern.sub(_REDACTED, data)

    def scrub_value(self, value: Any) -> Any:  # noqa: ANN401 - whatever a record dumps
        """`value` with every string in it scrubbed."""
        if isinstance(value, str):
            return self(value.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        if isinstance(value, Mapping):
            return {self.scrub_value(key): self.scrub_value(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.scrub_value(each) for each in value]
        return value

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to look for."""
        return self._pattern is None


def _spell_variants(secret: str) -> set[str]:
    basic = base64.b64encode(secret.encode()).decode().rstrip("=")
    return {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], basic}
