"""A judged brief on its page: labels, reasons, and the passages that statements are about."""

from __future__ import annotations

from pathlib import Path

from run_pages.staged_session import StagedSession, judge_brief

from pytest_searchlight.run_pages.judged import JudgedBrief
from pytest_searchlight.run_pages.passages import find_passage
from pytest_searchlight.run_pages.reading import read_run
from pytest_searchlight.sources import CapturedSource, CaptureStatus, SourceStore
from pytest_searchlight.sources.records import hash_text

URL = "https://norrvik.example/sky"
PAGE = "Weather of Norrvik.\nNo rain fell. The harbour sky over Norrvik is blue in November. Fog came later."
BRIEF = "The harbour sky over Norrvik is blue."


def read_staged(staged: StagedSession) -> JudgedBrief:
    answer, changes = judge_brief(text=BRIEF, url=URL, source=PAGE)
    run_id = staged.add_run(answer=answer, changes=changes)
    judged = read_run(staged.folder.runs / run_id, session=staged.folder).judged
    assert judged is not None
    return judged


def test_a_claim_stands_with_its_label_and_the_passage_of_its_source(staged: StagedSession) -> None:
    (claim,) = read_staged(staged).claims
    assert (claim.number, claim.text, claim.holds, claim.reason) == (1, BRIEF, False, BRIEF)
    (quotation,) = claim.quotations
    assert (quotation.source, quotation.url) == (1, URL)
    assert quotation.passage.before == "No rain fell."
    assert quotation.passage.sentence == "The harbour sky over Norrvik is blue in November."
    assert quotation.passage.after == "Fog came later."


def test_a_key_fact_stands_with_the_passage_of_the_brief(staged: StagedSession) -> None:
    (fact,) = read_staged(staged).facts
    assert (fact.holds, fact.reason) == (True, BRIEF)
    assert [quotation.passage.sentence for quotation in fact.quotations] == [BRIEF]


def test_a_page_that_was_not_captured_is_told(staged: StagedSession) -> None:
    (page,) = read_staged(staged).pages
    assert (page.url, page.source, page.problem) == (URL, None, "")


def keep_page(folder: Path) -> None:
    source = CapturedSource(
        url=URL,
        final_url=None,
        status=CaptureStatus.BLOCKED,
        reason="the origin answers 403",
        text_sha256=hash_text(""),
        fetched_at="2026-11-30T12:00:00+00:00",
    )
    SourceStore(folder).obtain(URL, capture=lambda _: source)


def test_a_page_that_could_not_be_captured_stands_with_its_reason(staged: StagedSession) -> None:
    keep_page(staged.folder.root / "sources")
    (page,) = read_staged(staged).pages
    assert page.source is not None
    assert (page.source.status, page.source.reason) == (CaptureStatus.BLOCKED, "the origin answers 403")


def test_a_capture_that_was_altered_costs_its_line_alone(staged: StagedSession) -> None:
    keep_page(staged.folder.root / "sources")
    (text,) = (staged.folder.root / "sources/texts").iterdir()
    text.write_text("other")
    judged = read_staged(staged)
    assert "was altered" in judged.pages[0].problem
    assert judged.claims


def test_a_brief_whose_checks_failed_shows_its_claims_and_pages_although_nobody_judged_it(
    staged: StagedSession,
) -> None:
    answer, _ = judge_brief(text=BRIEF, url=URL, source=PAGE)
    judged = read_run(staged.folder.runs / staged.add_run(answer=answer), session=staged.folder).judged
    assert judged is not None
    assert (judged.verdict, judged.facts) == (None, ())
    assert [(claim.text, claim.holds, claim.reason) for claim in judged.claims] == [(BRIEF, None, "")]
    assert [page.url for page in judged.pages] == [URL]


def test_a_run_without_a_rubric_is_not_judged(staged: StagedSession) -> None:
    assert read_run(staged.folder.runs / staged.add_run(), session=staged.folder).judged is None


def test_a_text_that_does_not_speak_of_a_statement_has_no_passage() -> None:
    assert find_passage("The harbour sky is blue.", text="Fish is cheap. So is bread.") is None
    assert find_passage("The harbour sky is blue.", text="") is None
    assert find_passage("", text="Fish is cheap.") is None


def test_figures_count_as_words() -> None:
    passage = find_passage("25 tenants at 3.1", text="Up to 20 tenants.\nRelease 3.1 allows 25 tenants.")
    assert passage is not None
    assert passage.sentence == "Release 3.1 allows 25 tenants."
