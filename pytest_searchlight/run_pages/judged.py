"""A judged brief, statement by statement: the judge's label and reason beside the passage it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import JsonValue

from pytest_searchlight.domain import Verdict
from pytest_searchlight.domain.judging import ClaimLabel, FactLabel, JudgePayload, PayloadSource
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.judges import RUBRIC_KIND, list_cited_urls
from pytest_searchlight.judges.agreement import PairedLabel
from pytest_searchlight.judges.briefs import Claim, MalformedBriefError, read_brief
from pytest_searchlight.judging import JUDGE_FOLDERS
from pytest_searchlight.run_pages.passages import Passage, find_passage
from pytest_searchlight.run_pages.run_evidence import RunEvidence
from pytest_searchlight.run_pages.second_readings import SecondReading
from pytest_searchlight.sources import CapturedSource, SourceStore

_Label = TypeVar("_Label", FactLabel, ClaimLabel)


@dataclass(frozen=True, kw_only=True)
class Quotation:
    """A passage of a numbered source; without a number it is one of the brief."""

    passage: Passage
    source: int | None = None
    url: str | None = None


@dataclass(frozen=True, kw_only=True)
class JudgedStatement:
    """A key fact or a claim.

    Attributes:
        number: what the judge calls it.
        text: as the judge read it.
        holds: the label: stated, or supported by its sources; None where nobody gave one.
        reason: the judge's.
        others: second judges by name, with their label.
        urls: what a claim cites.
        quotations: where its sources, or for a fact the brief, speak of it.
    """

    number: int
    text: str
    holds: bool | None
    reason: str
    others: tuple[tuple[str, bool], ...] = ()
    urls: tuple[str, ...] = ()
    quotations: tuple[Quotation, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CitedPage:
    """A page that the brief cites: what came of its capture, None when there was none, or why not."""

    url: str
    source: CapturedSource | None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class JudgedBrief:
    """A brief and what a judge said of it.

    Attributes:
        verdict: the judge's, None when none was asked to give one, as when a check has failed.
        payload: what the judge saw, None when there was nothing for one to read.
        facts: the rubric's key facts.
        claims: the brief's.
        pages: what the brief cites.
        readings: what second judges said; they decide nothing.
    """

    verdict: Verdict | None
    payload: JudgePayload | None
    facts: tuple[JudgedStatement, ...]
    claims: tuple[JudgedStatement, ...]
    pages: tuple[CitedPage, ...]
    readings: tuple[SecondReading, ...] = ()


def read_judged(
    evidence: RunEvidence, *, session: SessionFolder, readings: Sequence[SecondReading] = ()
) -> JudgedBrief | None:
    """How the brief of a run was judged, None when its answer is no brief.

    Args:
        evidence: the run's.
        session: whose captures its pages are read from.
        readings: what second judges said of the brief.
    """
    verdict = next((each for each in evidence.score.verdicts if each.kind == RUBRIC_KIND), None)
    if verdict is None and not list_cited_urls(evidence.deliverable):
        return None
    # What was held against another judge says nothing of this one.
    beside = [each for each in readings if verdict and each.primary in {None, verdict.target}]
    return JudgedBrief(
        verdict=verdict,
        payload=evidence.payload,
        facts=tuple(_list_facts(evidence.payload, _read_labels(verdict, "fact_labels", FactLabel), beside)),
        claims=tuple(_list_claims(evidence, _read_labels(verdict, "claim_labels", ClaimLabel), beside)),
        pages=tuple(_list_pages(evidence.deliverable, session)),
        readings=tuple(beside),
    )


def _list_facts(
    payload: JudgePayload | None, labels: Mapping[int, FactLabel], readings: Sequence[SecondReading]
) -> Iterator[JudgedStatement]:
    if payload is None:
        return
    for fact in payload.facts:
        label = labels.get(fact.number)
        passage = find_passage(fact.text, text=payload.brief)
        holds = None if label is None else label.covered
        given = ((each.judge, each.facts) for each in readings)
        yield JudgedStatement(
            number=fact.number,
            text=fact.text,
            holds=holds,
            reason="" if label is None else label.reason,
            others=tuple(_list_others(given, number=fact.number, primary=holds)),
            quotations=() if passage is None else (Quotation(passage=passage),),
        )


def _list_claims(
    evidence: RunEvidence, labels: Mapping[int, ClaimLabel], readings: Sequence[SecondReading]
) -> Iterator[JudgedStatement]:
    payload = evidence.payload
    shown = {} if payload is None else {claim.number: claim for claim in payload.claims}
    sources = {} if payload is None else {source.number: source for source in payload.sources}
    unread = "" if payload is None else "none of its sources could be read"
    for number, claim in enumerate(_read_claims(evidence.deliverable), start=1):
        label = labels.get(number)
        judged = shown.get(number)
        cited = [sources[each] for each in judged.sources] if judged else []
        holds = None if label is None else label.supported
        given = ((each.judge, each.claims) for each in readings)
        yield JudgedStatement(
            number=number,
            text=judged.text if judged else claim.text,
            holds=holds,
            reason=unread if label is None else label.reason,
            others=tuple(_list_others(given, number=number, primary=holds)),
            urls=claim.citation_urls,
            quotations=tuple(_quote_sources(claim.text, cited)),
        )


def _list_others(
    given: Iterable[tuple[str, Sequence[PairedLabel]]], *, number: int, primary: bool | None
) -> Iterator[tuple[str, bool]]:
    """The second judges' labels of one statement; one beside a label changed since is left out."""
    for judge, labels in given:
        yield from (
            (judge, each.second) for each in labels if (each.number, each.primary) == (number, primary)
        )


def _quote_sources(statement: str, sources: list[PayloadSource]) -> Iterator[Quotation]:
    for source in sources:
        passage = find_passage(statement, text=source.text)
        if passage is not None:
            yield Quotation(passage=passage, source=source.number, url=next(iter(source.urls), None))


def _list_pages(deliverable: JsonValue, session: SessionFolder) -> Iterator[CitedPage]:
    store = SourceStore(session.root / JUDGE_FOLDERS[0])
    for url in list_cited_urls(deliverable):
        try:
            yield CitedPage(url=url, source=store.read(url))
        except (EvidenceError, OSError, LookupError, TypeError, ValueError) as error:
            yield CitedPage(url=url, source=None, problem=f"its capture cannot be read: {error}")


def _read_claims(deliverable: JsonValue) -> tuple[Claim, ...]:
    try:
        return read_brief(deliverable).claims
    except MalformedBriefError:
        return ()


def _read_labels(verdict: Verdict | None, name: str, kind: type[_Label]) -> dict[int, _Label]:
    """The judge's labels by the number of what they are about."""
    given: Any = [] if verdict is None else verdict.details.get(name, [])
    labels = map(kind.model_validate, given)
    return {label.number: label for label in labels}
