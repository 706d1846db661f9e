"""What an origin answers, and the record that a capture leaves of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from pytest_searchlight.domain import Record
from pytest_searchlight.errors import SearchlightError


class FetchError(SearchlightError):
    """No page came: the network, a size, the time; the message is the reason."""


@dataclass(frozen=True, kw_only=True)
class OriginResponse:
    """What an origin answered at the end of its redirects.

    Attributes:
        url: the address that answered.
        status: of HTTP.
        content_type: as stated.
        body: decompressed.
        secured: an address on the way is written with http and was asked in its https form.
    """

    url: str
    status: int
    content_type: str
    body: bytes
    secured: bool = False


class CaptureStatus(StrEnum):
    """What came of capturing a cited address.

    `ABSENT` is the origin's own word that there is no such page, or what is cited is no public address: a
    fact about the citation. `REFUSED` (our rules), `FAILED` (network, size, type), `BLOCKED` (the origin
    turns readers like us away) and `SUSPECT` (what came is hardly the page) are faults of the capture, and
    say nothing about the citation.
    """

    CAPTURED = "captured"
    ABSENT = "absent"
    REFUSED = "refused"
    FAILED = "failed"
    BLOCKED = "blocked"
    SUSPECT = "suspect"

    @property
    def is_fault(self) -> bool:
        """Whether nothing can be said about a claim that rests on this source."""
        return self not in {CaptureStatus.CAPTURED, CaptureStatus.ABSENT}


class CapturedSource(Record):
    """One cited address, as it read when it was captured.

    Attributes:
        url: the address as cited.
        final_url: the address that answered, None when none did.
        status: what came of it.
        reason: a sentence for every status but ``captured``, and for what is not quite the page cited.
        content_type: media type that the text was read from, empty when none came.
        text: readable text; of a suspect page what there was, for review; else empty.
        text_sha256: of the text in UTF-8; equal texts are kept once.
        fetched_at: UTC, ISO 8601.
        received_by_agent: the text is not the origin's but what the run's own tools returned for the address.
        secured: the citation, or a redirect, says http; what answered is the https form of the same address.
    """

    url: str
    final_url: str | None
    status: CaptureStatus
    reason: str = ""
    content_type: str = ""
    text: str = ""
    text_sha256: str
    fetched_at: str
    received_by_agent: bool = False
    secured: bool = False


def hash_text(text: str) -> str:
    """SHA-256 (hex) of `text` in UTF-8; a lone surrogate has a hash too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
