"""Whether enough sources are cited, from the hosts that they should come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue, NonNegativeInt

from pytest_searchlight.deliverables import shorten
from pytest_searchlight.domain import CheckOutcome, Text, Verdict
from pytest_searchlight.validators.declines import is_declined
from pytest_searchlight.validators.fields import FieldParams, FieldValidator
from pytest_searchlight.validators.values import URL, is_on_host, normalise_url, read_host, split_url


def _check_host(host: str) -> str:
    if "/" in host or ":" in host or "@" in host or " " in host or "." not in host.strip("."):
        raise ValueError(
            f"{host!r} → is no host name → write it as 'docs.example.org', without scheme or path"
        )
    return host.encode("idna").decode("ascii").lower()


Host = Annotated[Text, AfterValidator(_check_host)]


class CitationSetParams(FieldParams):
    """How many sources, and from where. A host stands for itself and every host below it.

    min_count: distinct addresses needed (scheme, fragment and tracking parameters do not tell two apart).
    min_hosts: distinct hosts needed.
    required_hosts: each must be cited.
    allowed_hosts: when given, no other may be cited.
    forbidden_hosts: none may be cited.
    https: whether every address must be https.
    """

    min_count: NonNegativeInt = 1
    min_hosts: NonNegativeInt = 1
    required_hosts: tuple[Host, ...] = ()
    allowed_hosts: Annotated[tuple[Host, ...], Field(min_length=1)] | None = None
    forbidden_hosts: tuple[Host, ...] = ()
    https: bool = True


class CitationSetValidator(FieldValidator[CitationSetParams]):
    """A field of addresses (text, list, or objects that hold them) against counts and hosts."""

    kind = "citation-set"
    params_model = CitationSetParams

    def judge(self, value: JsonValue, params: CitationSetParams) -> Verdict:
        """Missing when nothing is cited; wrong when a rule on counts or hosts is broken."""
        if is_declined(value):
            outcome = CheckOutcome.MISSING if params.min_count else CheckOutcome.PASS
            return self.decide(outcome, params, reason="nothing is cited")
        citations = list(_list_citations(value))
        faults = list(_find_faults(citations, params))
        hosts: list[JsonValue] = [*sorted({shorten(_read_citation_host(each) or each) for each in citations})]
        if not faults:
            reason = f"{len(set(map(normalise_url, citations)))} sources on {len(hosts)} hosts"
            return self.decide(CheckOutcome.PASS, params, reason=reason, details={"hosts": hosts})
        return self.decide(CheckOutcome.WRONG, params, reason="; ".join(faults[:8]), details={"hosts": hosts})


def _list_citations(value: JsonValue) -> Iterator[str]:
    """Every text that should be an address; prose around one is passed over."""
    if isinstance(value, list):
        for part in value:
            yield from _list_citations(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from (each for each in _list_citations(part) if split_url(each))
    elif isinstance(value, str) and not is_declined(value):
        yield from URL.findall(value) or [value]


def _read_citation_host(citation: str) -> str | None:
    parts = split_url(citation)
    return read_host(parts) if parts else None


def _find_faults(citations: list[str], params: CitationSetParams) -> Iterator[str]:
    hosts = {host for host in map(_read_citation_host, citations) if host is not None}
    for citation in citations:
        yield from _find_address_faults(citation, params)
    distinct = {normalise_url(each) for each in citations} - {None}
    if len(distinct) < params.min_count:
        yield f"{len(distinct)} distinct sources, {params.min_count} needed"
    if len({host.removeprefix("www.") for host in hosts}) < params.min_hosts:
        yield f"{len(hosts)} distinct hosts, {params.min_hosts} needed"
    for wanted in params.required_hosts:
        if not any(is_on_host(host, wanted) for host in hosts):
            yield f"{wanted} is not cited"


def _find_address_faults(citation: str, params: CitationSetParams) -> Iterator[str]:
    parts = split_url(citation)
    if parts is None:
        yield f"{shorten(citation)!r} is no http or https address"
        return
    host = read_host(parts)
    if parts.username is not None or parts.password is not None:
        yield f"{shorten(citation)!r} carries a user name, which can pose as a host"
    if params.https and parts.scheme.lower() != "https":
        yield f"{shorten(citation)!r} is not https"
    if params.allowed_hosts is not None and not any(is_on_host(host, each) for each in params.allowed_hosts):
        yield f"{shorten(host)} is not an allowed host"
    if any(is_on_host(host, each) for each in params.forbidden_hosts):
        yield f"{shorten(host)} is a forbidden host"
