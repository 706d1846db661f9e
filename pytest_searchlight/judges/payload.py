"""The blinded payload: numbered facts and claims, each source's text once, and nothing of who wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_searchlight.domain import Rubric, Task
from pytest_searchlight.domain.judging import (
    ClaimLabel,
    JudgePayload,
    PayloadClaim,
    PayloadFact,
    PayloadSource,
)
from pytest_searchlight.judges.blinding import NEUTRAL_HOST, BlindingMarks, demand_blind, normalise_hosts
from pytest_searchlight.judges.briefs import Brief, Claim
from pytest_searchlight.judges.remarks import demand_no_own_means, neutralise_remarks
from pytest_searchlight.sources import CapturedSource, CaptureStatus, canonical_source_url


@dataclass(frozen=True, kw_only=True)
class BlindedBrief:
    """A brief ready for any judge, and what of it no judge has to see.

    Attributes:
        payload: what the judge is given; its claims keep their numbers in the brief.
        settled: claims that need no judge: nothing is cited, or only pages that do not exist.
        unreadable: numbers of claims none of whose sources could be read, through no fault of the brief.
        partly_read: numbers of claims that cite such a source beside one that was read, or one that was read
            only as the agent received it, which may be a part of it.
        fault: the first such source and why it could not be read; empty without one.
        secured: how many of the pages cited over plain http were read in their https form.
    """

    payload: JudgePayload
    settled: tuple[ClaimLabel, ...]
    unreadable: frozenset[int]
    partly_read: frozenset[int]
    fault: str = ""
    secured: int = 0


def blind_brief(
    brief: Brief, *, task: Task, rubric: Rubric, sources: Mapping[str, CapturedSource], marks: BlindingMarks
) -> BlindedBrief:
    """Write the payload for `brief`.

    Args:
        brief: what the agent wrote.
        task: what it was asked.
        rubric: the task's.
        sources: the capture of every cited address, by the address as cited.
        marks: what a judge must not read.

    Raises:
        BlindingError: the brief, or a text that the agent received in a page's stead, tells who wrote it.
    """
    claims = list(enumerate(brief.claims, start=1))
    readable = {number: _find_readable(claim, sources) for number, claim in claims}
    faulty = frozenset(number for number, claim in claims if _has_fault(claim, sources))
    cited = [sources[url] for url in brief.cited_urls]
    own_words = " ".join([task.prompt, *(fact.text for fact in rubric.key_facts)])

    def blind(text: str) -> str:
        return neutralise_remarks(normalise_hosts(text, marks=marks), own_words=own_words)

    numbered = _number_sources([source for found in readable.values() for source in found], marks=marks)
    payload = JudgePayload(
        question=task.prompt,
        brief=blind(brief.brief),
        facts=tuple(
            PayloadFact(number=number, text=fact.text)
            for number, fact in enumerate(rubric.key_facts, start=1)
        ),
        claims=tuple(
            PayloadClaim(
                number=number,
                text=blind(claim.text),
                sources=tuple(dict.fromkeys(numbered[each.text_sha256].number for each in readable[number])),
            )
            for number, claim in claims
            if readable[number]
        ),
        sources=tuple(numbered.values()),
    )
    demand_no_own_means([payload.brief, *(claim.text for claim in payload.claims)], own_words=own_words)
    demand_blind(_list_agents_texts(payload, readable), marks=marks.leave_out(own_words))
    return BlindedBrief(
        payload=payload,
        settled=tuple(
            _settle_claim(number, claim)
            for number, claim in claims
            if not readable[number] and number not in faulty
        ),
        unreadable=frozenset(number for number in faulty if not readable[number]),
        partly_read=frozenset(number for number in faulty if readable[number]),
        fault=_describe_fault(cited),
        secured=sum(each.secured and not each.status.is_fault for each in cited),
    )


def _find_readable(claim: Claim, sources: Mapping[str, CapturedSource]) -> list[CapturedSource]:
    found = [sources[url] for url in dict.fromkeys(claim.citation_urls)]
    return [source for source in found if source.status is CaptureStatus.CAPTURED]


def _has_fault(claim: Claim, sources: Mapping[str, CapturedSource]) -> bool:
    return any(_was_missed(sources[url]) for url in claim.citation_urls)


def _was_missed(source: CapturedSource) -> bool:
    """Whether we did not read the page itself: servers cut what they fetch, each at a length of its own."""
    return source.status.is_fault or source.received_by_agent


def _describe_fault(sources: Iterable[CapturedSource]) -> str:
    faults = (f"{source.url} {source.reason}" for source in sources if _was_missed(source))
    return next(faults, "")


def _number_sources(sources: list[CapturedSource], *, marks: BlindingMarks) -> dict[str, PayloadSource]:
    """A payload source for each text, by its hash, in the order of the claims."""
    by_text: dict[str, list[CapturedSource]] = {}
    for source in sources:
        by_text.setdefault(source.text_sha256, []).append(source)
    return {
        text_sha256: PayloadSource(
            number=number,
            urls=tuple(dict.fromkeys(_normalise_url(each.url, marks=marks) for each in same)),
            text=_normalise_text(same[0], marks=marks),
        )
        for number, (text_sha256, same) in enumerate(by_text.items(), start=1)
    }


def _normalise_url(url: str, *, marks: BlindingMarks) -> str:
    plain = normalise_hosts(canonical_source_url(url), marks=marks)
    base, question_mark, query = plain.partition("?")
    # Whoever hands out a link may sign it, under any parameter's name.
    kept = [part for part in query.split("&") if not _is_signature(part, marks=marks)]
    return base + question_mark * bool(kept) + "&".join(kept)


def _is_signature(parameter: str, *, marks: BlindingMarks) -> bool:
    value = parameter.partition("=")[2].casefold()
    return value in marks.providers | marks.agents | marks.hosts | {NEUTRAL_HOST}


def _normalise_text(source: CapturedSource, *, marks: BlindingMarks) -> str:
    # An origin's page reads alike for every setup; what a tool returned may bear its maker's hosts.
    return normalise_hosts(source.text, marks=marks) if source.received_by_agent else source.text


def _list_agents_texts(payload: JudgePayload, readable: Mapping[int, list[CapturedSource]]) -> Iterator[str]:
    """Everything in the payload that depends on the setup or the agent."""
    yield payload.brief
    yield from (claim.text for claim in payload.claims)
    for source in payload.sources:
        yield from source.urls
    received = {each.text_sha256: each for found in readable.values() for each in found}
    yield from (each.text for each in received.values() if each.received_by_agent)


def _settle_claim(number: int, claim: Claim) -> ClaimLabel:
    reason = "every page it cites is absent" if claim.citation_urls else "cites nothing"
    return ClaimLabel(number=number, supported=False, reason=reason)
