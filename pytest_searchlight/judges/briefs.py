"""The brief contract: ``{brief, claims[{text, citation_urls[]}]}``, read without a judge."""

from __future__ import annotations

import json
from typing import Annotated, Final

from pydantic import ConfigDict, Field, JsonValue, StringConstraints, ValidationError

from pytest_searchlight.domain import Record, Text
from pytest_searchlight.errors import SearchlightError

MOST_CLAIMS: Final = 100
MOST_CITATIONS: Final = 20
"""For one claim. Every address is fetched, so a brief without bounds would be work without bounds."""


class MalformedBriefError(SearchlightError):
    """A deliverable that breaks the brief contract; the message says where. It is a wrong answer."""


class Claim(Record):
    """One statement of fact and the addresses of the pages that are said to support it."""

    model_config = ConfigDict(extra="ignore")

    text: Text
    citation_urls: tuple[Annotated[str, StringConstraints(strip_whitespace=True)], ...] = Field(
        default=(), max_length=MOST_CITATIONS
    )


class Brief(Record):
    """What an agent wrote: the text and the claims that it rests on. A declined brief is empty."""

    model_config = ConfigDict(extra="ignore")

    brief: str = ""
    claims: tuple[Claim, ...] = Field(default=(), max_length=MOST_CLAIMS)

    @property
    def is_declined(self) -> bool:
        """Whether there is nothing to judge."""
        return not self.brief.strip() and not self.claims

    @property
    def cited_urls(self) -> tuple[str, ...]:
        """Every cited address, once, in order."""
        return tuple(dict.fromkeys(url for claim in self.claims for url in claim.citation_urls))


def read_brief(deliverable: JsonValue) -> Brief:
    """The brief in a deliverable; other fields are the checks' business, and null is absent.

    A claim that is made twice is one claim, so that repetition dilutes nothing. A lone surrogate is a ``?``.

    Raises:
        MalformedBriefError: it breaks the contract.
    """
    fields = deliverable if isinstance(deliverable, dict) else {}
    given = {name: value for name, value in fields.items() if value is not None}
    encoded = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")
    try:
        brief = Brief.model_validate_json(encoded)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in detail["loc"])
        raise MalformedBriefError(f"/{where}: {detail['msg']}") from error
    distinct = {claim.text.casefold(): claim for claim in reversed(brief.claims)}
    return brief.model_copy(update={"claims": tuple(reversed(distinct.values()))})
