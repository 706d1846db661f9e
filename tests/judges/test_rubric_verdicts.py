"""From labels to a verdict: thresholds, claims that nobody can judge, and answers that need no judge."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_stage import (
    GOOD_CLAIMS,
    OTHER_PAGE,
    PAGE,
    PAGE_TEXT,
    RUBRIC,
    TASK,
    ScriptedJudge,
    assess,
    make_claim,
    make_deliverable,
    make_source,
)
from pydantic import JsonValue, ValidationError

from pytest_searchlight.domain import CheckOutcome, KeyFact, Rubric
from pytest_searchlight.domain.judging import JudgePayload
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.judges import LexicalJudge, RecordedJudge, list_cited_urls
from pytest_searchlight.judges.assessment import Assessment
from pytest_searchlight.judges.instructions import write_instructions
from pytest_searchlight.sources import CapturedSource, CaptureStatus

FAULT = make_source(OTHER_PAGE, text="", status=CaptureStatus.BLOCKED).model_copy(
    update={"reason": "turns us away"}
)
WITH_FAULT: dict[str, CapturedSource] = {PAGE: make_source(), OTHER_PAGE: FAULT}


def count(assessment: Assessment) -> tuple[JsonValue, JsonValue]:
    """Unsupported share and excluded claims."""
    details = assessment.verdict.details
    return details["unsupported_share"], details["excluded_claims"]


def test_a_good_brief_passes_with_its_numbers_in_the_verdict(tmp_path: Path) -> None:
    assessment = assess(make_deliverable(*GOOD_CLAIMS), tmp_path)
    verdict, payload = assessment.verdict, assessment.payload
    assert payload is not None
    assert (verdict.kind, verdict.target, verdict.outcome) == ("rubric", "lexical", CheckOutcome.PASS)
    assert (verdict.details["recall"], verdict.details["payload_sha256"]) == (1.0, payload.content_hash)


def test_recall_counts_weights_and_not_facts(tmp_path: Path) -> None:
    two_light_facts = assess(make_deliverable(*GOOD_CLAIMS[1:]), tmp_path).verdict
    heavy_and_one = assess(make_deliverable(*GOOD_CLAIMS[:2]), tmp_path).verdict
    assert (two_light_facts.outcome, two_light_facts.details["recall"]) == (CheckOutcome.WRONG, 0.5)
    assert heavy_and_one.outcome is CheckOutcome.PASS


def test_where_claims_do_not_matter_a_brief_may_be_without_any(tmp_path: Path) -> None:
    rubric = RUBRIC.model_copy(update={"max_unsupported": 1.0})
    facts = " ".join(fact.text for fact in RUBRIC.key_facts)
    assessment = assess(
        make_deliverable(brief=facts), tmp_path, task=TASK.model_copy(update={"rubric": rubric})
    )
    assert assessment.verdict.outcome is CheckOutcome.PASS
    assert count(assessment) == (1.0, 0)


@pytest.mark.parametrize(("least", "outcome"), [(1.0, CheckOutcome.WRONG), (0.6, CheckOutcome.PASS)])
def test_every_dimension_has_to_reach_its_own_minimum(
    least: float, outcome: CheckOutcome, tmp_path: Path
) -> None:
    dimensions = ("dates", "people", "people")
    facts = [
        KeyFact(id=fact.id, text=fact.text, weight=fact.weight, dimension=dimension)
        for fact, dimension in zip(RUBRIC.key_facts, dimensions, strict=True)
    ]
    rubric = Rubric(key_facts=tuple(facts), dimensions={"dates": 1.0, "people": least})
    task = TASK.model_copy(update={"rubric": rubric})
    verdict = assess(make_deliverable(*GOOD_CLAIMS[:2]), tmp_path, task=task).verdict
    assert verdict.details["dimensions"] == {"dates": 1.0, "people": pytest.approx(2 / 3)}
    assert verdict.outcome is outcome, verdict.reason


@pytest.mark.parametrize(("dimension", "dimensions"), [("dates", {}), (None, {"dates": 0.5})])
def test_a_dimension_has_both_a_minimum_and_a_fact(
    dimension: str | None, dimensions: dict[str, float]
) -> None:
    with pytest.raises(ValidationError, match="'dates': needs both"):
        Rubric(key_facts=(KeyFact(id="a", text="A.", dimension=dimension),), dimensions=dimensions)


@pytest.mark.parametrize(("bad", "outcome"), [(1, CheckOutcome.PASS), (2, CheckOutcome.WRONG)])
def test_a_quarter_of_unsupported_claims_passes_and_more_does_not(
    bad: int, outcome: CheckOutcome, tmp_path: Path
) -> None:
    invented = [make_claim(f"Keeper number {n} plays chess.", PAGE) for n in range(bad)]
    claims = [*GOOD_CLAIMS[:3], *invented]
    assert assess(make_deliverable(*claims), tmp_path).verdict.outcome is outcome


@pytest.mark.parametrize("claim", [make_claim("It burns."), make_claim("It burns.", OTHER_PAGE)])
def test_a_claim_without_a_citation_or_with_an_invented_one_is_unsupported(
    claim: dict[str, JsonValue], tmp_path: Path
) -> None:
    sources = {PAGE: make_source(), OTHER_PAGE: make_source(OTHER_PAGE, text="", status=CaptureStatus.ABSENT)}
    assessment = assess(make_deliverable(*GOOD_CLAIMS[:3], claim), tmp_path, sources=sources)
    assert count(assessment) == (0.25, 0)


def test_a_claim_whose_source_could_not_be_read_is_excluded_and_counted(tmp_path: Path) -> None:
    unread = make_claim("The keeper plays chess.", OTHER_PAGE)
    assessment = assess(make_deliverable(*GOOD_CLAIMS, unread), tmp_path, sources=WITH_FAULT)
    assert count(assessment) == (0.0, 1)
    assert assessment.verdict.outcome is CheckOutcome.PASS
    assert "the sources of 1 of 5 claims could not be read" in assessment.verdict.reason


def test_a_claim_that_the_unread_one_of_its_sources_may_support_is_excluded_too(tmp_path: Path) -> None:
    doubtful = make_claim("The keeper plays chess.", PAGE, OTHER_PAGE)
    assessment = assess(make_deliverable(*GOOD_CLAIMS, doubtful), tmp_path, sources=WITH_FAULT)
    assert count(assessment) == (0.0, 1)


def test_what_the_agent_received_in_a_pages_stead_may_support_a_claim_and_never_refutes_one(
    tmp_path: Path,
) -> None:
    beginning = make_source(OTHER_PAGE, text="The keeper has two cats.", received_by_agent=True)
    sources = {PAGE: make_source(), OTHER_PAGE: beginning}
    told = make_claim("The keeper has two cats.", OTHER_PAGE)
    beyond = make_claim("The keeper plays chess.", OTHER_PAGE)
    assert count(assess(make_deliverable(*GOOD_CLAIMS, told), tmp_path, sources=sources)) == (0.0, 0)
    assert count(assess(make_deliverable(*GOOD_CLAIMS, beyond), tmp_path, sources=sources)) == (0.0, 1)


def test_a_claim_that_its_read_source_supports_counts_although_another_could_not_be_read(
    tmp_path: Path,
) -> None:
    claim = make_claim("It has a range of 21 nautical miles.", PAGE, OTHER_PAGE)
    assessment = assess(make_deliverable(*GOOD_CLAIMS[:3], claim), tmp_path, sources=WITH_FAULT)
    assert count(assessment) == (0.0, 0)


def test_a_brief_most_of_whose_sources_could_not_be_read_is_ungraded(tmp_path: Path) -> None:
    unread = [make_claim(f"The keeper has {n} cats.", OTHER_PAGE) for n in range(5)]
    verdict = assess(make_deliverable(*GOOD_CLAIMS, *unread), tmp_path, sources=WITH_FAULT).verdict
    assert verdict.outcome is CheckOutcome.UNGRADED
    assert verdict.reason.startswith("the sources of 5 of 9 claims could not be read")
    assert verdict.reason.endswith(f"{OTHER_PAGE} turns us away")


def test_a_repeated_claim_counts_once_so_that_padding_dilutes_nothing(tmp_path: Path) -> None:
    padded = [make_claim("IT has a range of 21 nautical miles.", PAGE)] * 9
    invented = [make_claim(f"Keeper number {n} plays chess.", PAGE) for n in range(2)]
    assessment = assess(make_deliverable(*GOOD_CLAIMS, *padded, *invented), tmp_path)
    assert assessment.verdict.details["claims"] == 6
    assert assessment.verdict.outcome is CheckOutcome.WRONG


@pytest.mark.parametrize(
    ("deliverable", "outcome", "reason"),
    [
        ({"brief": "All is well.", "claims": []}, CheckOutcome.WRONG, "no claims"),
        ({"brief": "All is well.", "claims": None}, CheckOutcome.WRONG, "no claims"),
        ({"brief": None, "claims": None}, CheckOutcome.MISSING, "declined"),
        ({}, CheckOutcome.MISSING, "declined"),
        ({"brief": 7, "claims": []}, CheckOutcome.WRONG, "malformed: /brief"),
        ({"brief": "x", "claims": "none"}, CheckOutcome.WRONG, "malformed: /claims"),
        ({"brief": "x", "claims": [{"text": " "}]}, CheckOutcome.WRONG, "malformed: /claims/0/text"),
        (
            {"brief": "x", "claims": [{"text": "y", "citation_urls": [1]}]},
            CheckOutcome.WRONG,
            "malformed: /claims/0/citation_urls/0",
        ),
        ({"brief": "x", "claims": [make_claim("y")] * 101}, CheckOutcome.WRONG, "malformed: /claims"),
        (
            {"brief": "x", "claims": [make_claim("y", *[PAGE] * 21)]},
            CheckOutcome.WRONG,
            "malformed: /claims/0/citation_urls",
        ),
    ],
)
def test_an_empty_declined_or_malformed_brief_fails_without_any_judge(
    deliverable: dict[str, JsonValue], outcome: CheckOutcome, reason: str, tmp_path: Path
) -> None:
    judge = ScriptedJudge()
    verdict = assess(deliverable, tmp_path, judge=judge).verdict
    assert (verdict.outcome, judge.seen) == (outcome, [])
    assert verdict.reason.startswith(reason)


def test_cited_addresses_are_listed_once_and_none_of_a_malformed_brief() -> None:
    deliverable = make_deliverable(make_claim("a", PAGE, OTHER_PAGE), make_claim("b", PAGE))
    assert list_cited_urls(deliverable) == (PAGE, OTHER_PAGE)
    assert list_cited_urls({"claims": "none"}) == ()


def test_a_judge_that_fails_once_is_asked_again(tmp_path: Path) -> None:
    judge = ScriptedJudge(failures=1)
    verdict = assess(make_deliverable(*GOOD_CLAIMS), tmp_path, judge=judge).verdict
    assert (verdict.outcome, len(judge.seen)) == (CheckOutcome.PASS, 2)


def test_a_judge_that_fails_twice_leaves_the_brief_ungraded_and_is_asked_no_more(tmp_path: Path) -> None:
    judge = ScriptedJudge(failures=5)
    verdict = assess(make_deliverable(*GOOD_CLAIMS), tmp_path, judge=judge).verdict
    assert (verdict.outcome, len(judge.seen)) == (CheckOutcome.UNGRADED, 2)


def test_a_threshold_that_is_reached_exactly_is_reached(tmp_path: Path) -> None:
    facts = tuple(
        fact.model_copy(update={"weight": weight})
        for fact, weight in zip(_rubric().key_facts, (0.1, 0.2, 0.7), strict=True)
    )
    rubric = _rubric().model_copy(update={"key_facts": facts, "min_recall": 0.3})
    task = TASK.model_copy(update={"rubric": rubric})
    assert (
        assess(make_deliverable(*GOOD_CLAIMS[:2]), tmp_path, task=task).verdict.outcome is CheckOutcome.PASS
    )


def _rubric() -> Rubric:
    assert TASK.rubric is not None
    return TASK.rubric


# --- judgements that are kept ----------------------------------------------------------------------------


def test_a_recorded_judgement_is_not_asked_for_again(tmp_path: Path) -> None:
    judge = ScriptedJudge()
    for _ in range(2):
        recorded = RecordedJudge(original=judge, folder=tmp_path / "judgements")
        first = recorded.judge(_payload(tmp_path), record=tmp_path)
    assert (len(judge.seen), first.judge) == (1, "scripted")


def test_another_model_judges_anew(tmp_path: Path) -> None:
    judges = [ScriptedJudge(), ScriptedJudge(model_name="scripted-2")]
    for judge in judges:
        RecordedJudge(original=judge, folder=tmp_path).judge(_payload(tmp_path), record=tmp_path)
    assert [len(judge.seen) for judge in judges] == [1, 1]


def test_a_recorded_judgement_that_was_altered_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "judgements"
    recorded = RecordedJudge(original=LexicalJudge(), folder=folder)
    payload = _payload(tmp_path)
    recorded.judge(payload, record=tmp_path)
    next(folder.iterdir()).write_text('{"judge": "lexical"}')
    with pytest.raises(EvidenceError, match="is no judgement"):
        recorded.judge(payload, record=tmp_path)


def _payload(record: Path) -> JudgePayload:
    payload = assess(make_deliverable(*GOOD_CLAIMS), record).payload
    assert payload is not None
    return payload


def test_pages_read_in_another_form_than_cited_are_counted(tmp_path: Path) -> None:
    secured = {"secured": True}
    sources = {
        PAGE: make_source().model_copy(update=secured),
        OTHER_PAGE: FAULT.model_copy(update=secured),
    }
    deliverable = make_deliverable(make_claim("The light is electric.", PAGE, OTHER_PAGE))
    assert assess(deliverable, tmp_path, sources=sources).verdict.details["secured_sources"] == 1


def test_blanks_around_a_cited_address_are_no_part_of_it() -> None:
    deliverable = make_deliverable(make_claim("The light is electric.", f" {PAGE}\n"))
    assert list_cited_urls(deliverable) == (PAGE,)


def test_half_an_emoji_breaks_neither_brief_nor_judge(tmp_path: Path) -> None:
    judge = ScriptedJudge()
    claim = make_claim("The light is electric \ud83d", f"{PAGE}?\ud83d")
    source = make_source(f"{PAGE}??", text=f"{PAGE_TEXT} \ud83d")
    deliverable = make_deliverable(claim, brief="Half \ud83d")
    assert list_cited_urls(deliverable) == (source.url,)
    assert assess(deliverable, tmp_path, sources={source.url: source}, judge=judge).judgement is not None
    (payload,) = judge.seen
    assert payload.sources[0].text.endswith(" ?")
    assert write_instructions(payload).encode()
