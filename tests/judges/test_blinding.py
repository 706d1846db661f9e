"""A judge reads what was written and what the sources say, and nothing of who wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_stage import (
    GOOD_CLAIMS,
    MARKS,
    OTHER_PAGE,
    PAGE,
    PAGE_TEXT,
    TASK,
    ScriptedJudge,
    assess,
    make_claim,
    make_deliverable,
    make_source,
)
from pydantic import JsonValue

from pytest_searchlight.domain import CheckOutcome, SearchSetup, ServerPin, SetupKind, ToolPin
from pytest_searchlight.domain.judging import JudgePayload
from pytest_searchlight.judges import BlindingMarks, list_marks
from pytest_searchlight.judges.blinding import NEUTRAL_HOST
from pytest_searchlight.judges.remarks import LEFT_OUT
from pytest_searchlight.sources import CapturedSource, CaptureStatus


def read_payload(
    deliverable: JsonValue, record: Path, *, sources: dict[str, CapturedSource] | None = None
) -> JudgePayload:
    judge = ScriptedJudge()
    assess(deliverable, record, judge=judge, sources=sources)
    return judge.seen[0]


def test_the_payload_has_no_field_for_setup_agent_provider_or_decision() -> None:
    assert set(JudgePayload.model_fields) == {"question", "brief", "facts", "claims", "sources"}


def test_the_same_brief_makes_the_same_payload_whatever_its_addresses_were_tracked_by(tmp_path: Path) -> None:
    tracked = f"{PAGE}?utm_source=tavily#top"
    plain = read_payload(make_deliverable(make_claim("It burns.", PAGE)), tmp_path)
    other = read_payload(
        make_deliverable(make_claim("It burns.", tracked)), tmp_path, sources={tracked: make_source(tracked)}
    )
    assert plain.content_hash == other.content_hash


@pytest.mark.parametrize("signature", ["ref=exa", "via=Tavily", "source=tavily.com", "_ga=1.2", "ref_src=x"])
def test_whoever_signed_an_address_is_left_out_of_it(signature: str, tmp_path: Path) -> None:
    signed = f"{PAGE}?page=2&{signature}"
    payload = read_payload(
        make_deliverable(make_claim("It burns.", signed)), tmp_path, sources={signed: make_source(signed)}
    )
    assert payload.sources[0].urls == (f"{PAGE}?page=2",)


def test_a_providers_host_is_normalised_in_addresses_and_texts(tmp_path: Path) -> None:
    cached = "https://cache.tavily.com/lights"
    payload = read_payload(
        make_deliverable(make_claim("It burns, see api.exa.ai and search.parallel.ai.", cached)),
        tmp_path,
        sources={cached: make_source(cached, text="Read at https://tavily.com/x", received_by_agent=True)},
    )
    assert payload.sources[0].urls == (f"https://{NEUTRAL_HOST}/lights",)
    assert payload.sources[0].text == f"Read at https://{NEUTRAL_HOST}/x"
    assert payload.claims[0].text == f"It burns, see {NEUTRAL_HOST} and {NEUTRAL_HOST}."


@pytest.mark.parametrize(
    "brief",
    [
        "According to Tavily, the light burns.",
        "Found via exa: the light burns.",
        "I called mcp__exa__search and the light burns.",
        "The Tavily search shows that it burns.",
        "tavily_search says that it burns.",
        "A WebSearch shows it.",
        "Checked using Parallel.",
        "I am Claude Code, and the light burns.",
        "Written with gpt-6.1-sol.",
        "Tav\u200bily search shows it.",
        "Tavily says that it burns.",
        "Read by my search tool (Exa).",
        "exa-search shows that it burns.",
        "I\u2019m Claude, and the light burns.",
    ],
)
def test_a_brief_that_tells_its_setup_is_seen_by_no_judge(brief: str, tmp_path: Path) -> None:
    judge = ScriptedJudge()
    verdict = assess(make_deliverable(*GOOD_CLAIMS, brief=brief), tmp_path, judge=judge).verdict
    assert (verdict.outcome, judge.seen) == (CheckOutcome.UNGRADED, [])
    assert verdict.reason.startswith("blinding_failed")


@pytest.mark.parametrize(
    "brief",
    [
        "Both lamps work in parallel, with parallel beams.",
        "The exact range is 21 miles; the example is in the annex.",
        "The codex of harbour law applies.",
    ],
)
def test_everyday_words_are_no_leak(brief: str, tmp_path: Path) -> None:
    verdict = assess(make_deliverable(*GOOD_CLAIMS, brief=brief), tmp_path).verdict
    assert verdict.outcome is CheckOutcome.PASS, verdict.reason


def test_a_remark_on_the_writers_means_is_put_neutrally_and_costs_the_brief_nothing(tmp_path: Path) -> None:
    remark = make_claim("I could not search the web, but the light is electric.", PAGE)
    deliverable = make_deliverable(remark, brief="No search tool was available to me. The light burns.")
    payload = read_payload(deliverable, tmp_path)
    assert payload.brief == f"{LEFT_OUT}. The light burns."
    assert payload.claims[0].text == f"{LEFT_OUT}, but the light is electric."
    judged = assess(make_deliverable(*GOOD_CLAIMS, brief="I had no internet access."), tmp_path)
    assert judged.verdict.outcome is CheckOutcome.PASS


def test_a_brief_that_speaks_of_its_writers_means_in_other_words_is_seen_by_no_judge(tmp_path: Path) -> None:
    judge = ScriptedJudge()
    brief = "The internet access that was promised to me never came."
    verdict = assess(make_deliverable(*GOOD_CLAIMS, brief=brief), tmp_path, judge=judge).verdict
    assert (verdict.outcome, judge.seen) == (CheckOutcome.UNGRADED, [])
    assert verdict.reason.startswith("blinding_failed: the brief tells what its writer had at hand")


def test_an_honest_decline_is_no_leak(tmp_path: Path) -> None:
    declined: dict[str, JsonValue] = {"decision": None, "brief": None, "claims": []}
    assert assess(declined, tmp_path).verdict.outcome is CheckOutcome.MISSING
    said = make_deliverable(brief="I could not search the web, so I state nothing.")
    assert assess(said, tmp_path).verdict.outcome is CheckOutcome.WRONG


def test_what_the_task_itself_speaks_of_is_no_leak(tmp_path: Path) -> None:
    task = TASK.model_copy(update={"prompt": "Is Tavily search worth its price?"})
    deliverable = make_deliverable(*GOOD_CLAIMS, brief="Tavily search costs nothing.")
    assert assess(deliverable, tmp_path, task=task).verdict.outcome is CheckOutcome.PASS


def test_what_an_origin_says_is_no_leak_but_what_a_tool_returned_is(tmp_path: Path) -> None:
    text = f"{PAGE_TEXT}\n\nResults by tavily_search."
    origin = assess(make_deliverable(*GOOD_CLAIMS), tmp_path, sources={PAGE: make_source(text=text)})
    tool = make_source(text=text, received_by_agent=True)
    received = assess(make_deliverable(*GOOD_CLAIMS), tmp_path, sources={PAGE: tool})
    assert origin.verdict.outcome is CheckOutcome.PASS
    assert received.verdict.outcome is CheckOutcome.UNGRADED


def test_each_text_is_shown_once_under_all_its_addresses(tmp_path: Path) -> None:
    payload = read_payload(
        make_deliverable(make_claim("It burns.", PAGE, OTHER_PAGE), make_claim("It shines.", OTHER_PAGE)),
        tmp_path,
        sources={PAGE: make_source(), OTHER_PAGE: make_source(OTHER_PAGE)},
    )
    assert [(source.number, source.urls) for source in payload.sources] == [(1, (PAGE, OTHER_PAGE))]
    assert [claim.sources for claim in payload.claims] == [(1,), (1,)]


def test_claims_keep_their_numbers_when_some_need_no_judge(tmp_path: Path) -> None:
    absent = make_source(OTHER_PAGE, text="", status=CaptureStatus.ABSENT)
    payload = read_payload(
        make_deliverable(make_claim("A."), make_claim("B.", OTHER_PAGE), make_claim("C.", PAGE)),
        tmp_path,
        sources={PAGE: make_source(), OTHER_PAGE: absent},
    )
    assert [(claim.number, claim.text) for claim in payload.claims] == [(3, "C.")]


def test_the_marks_are_those_of_all_setups_and_agents() -> None:
    server = ServerPin(version="1", url="https://mcp.tavily.com/v1")
    provider = SearchSetup(
        name="tavily",
        kind=SetupKind.PROVIDER,
        server=server,
        tools=(ToolPin(name="tavily_search"), ToolPin(name="map")),
    )
    floor = SearchSetup(name="floor", kind=SetupKind.FLOOR)
    marks = list_marks([provider, floor], agents=["codex"], own_tools=["WebSearch", "Read"], models=["m-1"])
    assert marks == BlindingMarks(
        providers=frozenset({"tavily"}),
        hosts=frozenset({"mcp.tavily.com"}),
        agents=frozenset({"codex"}),
        tools=frozenset({"tavily_search", "WebSearch"}),
        models=frozenset({"m-1"}),
    )
    assert MARKS.leave_out("nothing of the sort") == MARKS
