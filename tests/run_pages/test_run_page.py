"""The page of a run in a real browser: all that its evidence tells, and nothing that its evidence does."""

from __future__ import annotations

import re

import pytest
from browser_stage import PHONE, WatchedPage, find_barriers
from playwright.sync_api import Page, expect
from rooms.records_for_tests import NO_SEARCH, make_record
from run_pages.staged_session import (
    CITED_URL,
    StagedSession,
    judge_brief,
    meter,
    meter_call,
    report_call,
)

from pytest_searchlight.domain import AuditFinding, CallOutcome, CheckOutcome, RunStatus, Score, Verdict
from pytest_searchlight.judges import RUBRIC_KIND
from pytest_searchlight.website.formats import DASH

HOSTILE = (
    "</script></textarea></template></pre><script>owned = 1</script><img src=x onerror=owned=1>"
    "<svg onload=owned=1><!-- {{ 7 * 7 }} \u202egpj.exe\u2066 \u2028 \x00 \x1b[31m &lt; '\"`"
)


def open_run(page: WatchedPage, staged: StagedSession, run_id: str) -> Page:
    """The run's page, written as a file."""
    return page.open(staged.write_pages(f"runs/{run_id}.html"))


def test_a_run_is_told_from_prompt_to_cost(page: WatchedPage, staged: StagedSession) -> None:
    shown = open_run(page, staged, staged.add_full_run())
    expect(shown.get_by_role("heading", level=1)).to_have_text("sky under shop")
    titles = [
        "Outcome",
        "Prompt",
        "Tool calls",
        "Answer",
        "Checks",
        "Judged by lexical",
        "Audit",
        "Tokens and costs",
    ]
    expect(shown.get_by_role("heading", level=2)).to_have_text(titles)
    expect(shown.locator("main")).to_contain_text("The proxy saw 2 calls to shop-server 1.")
    page.keep_screenshot("run page")


def test_each_call_tells_what_went_over_the_wire(page: WatchedPage, staged: StagedSession) -> None:
    shown = open_run(page, staged, staged.add_full_run("blue"))
    first, second = shown.locator(".steps > li").all()
    expect(first.locator("summary")).to_contain_text("find blue ✓ ok 0.2 s, 4 characters")
    expect(second.locator("summary")).to_contain_text("✗ tool error 1.5 s, 4 characters")
    expect(second.locator("summary")).to_contain_text("views differ")
    shown.get_by_role("button", name="Unfold all calls").click()
    for part in ("101 bytes", "202 bytes", '"query": "blue"'):
        expect(first).to_contain_text(part)
    expect(first.get_by_role("group", name="Result")).to_have_text("blue")
    expect(second.get_by_role("listitem").first).to_have_text(
        "it ended ok for the agent and tool_error on the wire"
    )
    expect(second.get_by_role("group", name="Result as the agent tells it")).to_have_text("blue again")


def test_a_judged_statement_stands_beside_its_passage(page: WatchedPage, staged: StagedSession) -> None:
    shown = open_run(page, staged, staged.add_full_run())
    judged = shown.locator("section", has=page.page.get_by_role("heading", name="Judged by lexical"))
    expect(judged.locator(".statements > li").first).to_contain_text("✓ stated")
    claim = judged.locator(".statements > li").nth(1)
    expect(claim).to_contain_text("✗ not supported")
    expect(claim.locator("mark")).to_have_text("The harbour sky over Norrvik is blue.")
    expect(claim.locator("figcaption")).to_contain_text("source 1")
    link = claim.get_by_role("link").first
    expect(link).to_have_attribute("href", CITED_URL)
    expect(link).to_have_attribute("rel", "noreferrer noopener nofollow")


def test_a_brief_that_waits_for_a_judge_says_so(page: WatchedPage, staged: StagedSession) -> None:
    answer, _ = judge_brief(text="The sky is blue.", url=CITED_URL, source="")
    waiting = Verdict(
        kind=RUBRIC_KIND, target="", outcome=CheckOutcome.UNGRADED, reason="no judge has read it"
    )
    score = Score(passed=None, share=None, verdicts=(waiting,))
    shown = open_run(page, staged, staged.add_run(answer=answer, changes={"score": score}))
    judged = shown.locator("section", has=page.page.get_by_role("heading", name="Not judged yet"))
    expect(judged).to_contain_text(f"{DASH} ungraded no judge has read it")
    expect(judged.locator(".statements > li")).to_contain_text(f"{DASH} not judged")


def test_what_strangers_wrote_cannot_run(page: WatchedPage, staged: StagedSession) -> None:
    shown = open_run(page, staged, staged.add_full_run(HOSTILE))
    shown.get_by_role("button", name="Unfold all calls").click()
    shown.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert shown.evaluate("typeof owned") == "undefined"
    assert shown.locator("main img, main svg, main script, main textarea").count() == 0
    for sign in ("⟨U+202E⟩gpj.exe⟨U+2066⟩ ⟨U+2028⟩ ␀ ␛[31m", "{{ 7 * 7 }}", "&lt;"):
        expect(shown.get_by_role("group", name="Prompt")).to_contain_text(sign)
    assert not set("\u202e\u2066\u2028\x00\x1b") & set(shown.content())


@pytest.mark.parametrize(
    "url", ["javascript:owned=1", "data:text/html,<script>1</script>", "file:///etc/passwd", "https://"]
)
def test_only_addresses_of_the_web_are_links(page: WatchedPage, staged: StagedSession, url: str) -> None:
    answer, changes = judge_brief(text="The sky is blue.", url=url, source="The sky is blue.")
    shown = open_run(page, staged, staged.add_run(answer=answer, changes=changes))
    assert shown.locator(".body a").count() == 0
    expect(shown.locator(".statements .address").first).to_have_text(url)


def test_the_policy_stops_scripts_where_escaping_failed(page: WatchedPage, staged: StagedSession) -> None:
    path = staged.write_pages(f"runs/{staged.add_full_run()}.html")
    injected = "<script>owned = 1</script><img src=x onerror='owned = 1'></main>"
    path.write_text(path.read_text().replace("</main>", injected))
    shown = page.open(path)
    assert shown.locator("main img").count() == 1
    assert shown.evaluate("typeof owned") == "undefined"
    assert page.problems
    assert all("Content Security Policy" in problem for problem in page.problems)
    page.problems.clear()


def test_a_text_of_five_megabytes_is_cut_and_shown_whole_on_demand(
    page: WatchedPage, staged: StagedSession
) -> None:
    text = "0123456789abcdef\n" * 300_000 + "the end"
    run_id = staged.add_run(reported=[report_call("find", text)], metering=meter(meter_call("find", text)))
    shown = open_run(page, staged, run_id)
    shown.locator(".steps summary").first.click()
    result = shown.get_by_role("group", name="Result on the wire")
    assert len(result.locator("pre").inner_text()) == 4000
    shown.get_by_role("button", name="Show all 5,100,007 characters").click()
    expect(result.locator("pre").last).to_contain_text("the end")
    assert shown.evaluate("e => e.textContent.length", result.element_handle()) == len(text)


def test_a_run_leads_to_its_neighbours(page: WatchedPage, staged: StagedSession) -> None:
    runs = [
        staged.add_run(repetition=1),
        staged.add_run(setup=NO_SEARCH, repetition=1, answer='{"colour": "red"}'),
        staged.add_run(repetition=2),
    ]
    staged.add_run(task="sea")
    staged.write_pages(*(f"runs/{run_id}.html" for run_id in runs))
    shown = open_run(page, staged, runs[1])
    cell = shown.get_by_role("navigation", name="The same under other setups")
    expect(cell.get_by_role("listitem")).to_have_text(["shop ✓ passed", "no-search ✗ failed"])
    expect(cell.locator("[aria-current=page]")).to_have_text("no-search")
    shown.get_by_role("link", name="Next of this task").click()
    expect(shown).to_have_url(re.compile(re.escape(runs[2])))
    assert shown.get_by_role("link", name="Next of this task").count() == 0
    shown.get_by_role("link", name="Previous of this task").click()
    cell.get_by_role("link", name="shop").click()
    expect(shown).to_have_url(re.compile(re.escape(runs[0])))


def test_an_earlier_attempt_has_a_page_of_its_own(page: WatchedPage, staged: StagedSession) -> None:
    run_id = staged.add_run()
    staged.add_run(attempt_of=run_id, status=RunStatus.RATE_LIMITED, answer=None)
    (staged.folder.attempts / f"{run_id}.77.partial.1234").mkdir()
    staged.write_pages(f"attempts/{run_id}.1.html")
    shown = open_run(page, staged, run_id)
    attempts = shown.locator("section", has=page.page.get_by_role("heading", name="Earlier attempts"))
    expect(attempts.get_by_role("listitem")).to_have_count(2)
    expect(attempts.get_by_role("listitem").first).to_contain_text("rate limited after 2.5 s")
    expect(attempts.get_by_role("listitem").last).to_contain_text("cut off or unreadable")
    attempts.get_by_role("link").first.click()
    expect(shown.locator("main")).to_contain_text("There is no answer.")
    shown.get_by_role("link", name="the run", exact=True).click()
    expect(shown.get_by_role("heading", name="Earlier attempts")).to_be_visible()


@pytest.mark.parametrize(
    ("status", "mark", "counts"),
    [
        (RunStatus.TIMEOUT, "✗ timeout", "as a failure"),
        (RunStatus.REFUSED, "✗ refused", "as a failure"),
        (RunStatus.PROVIDER_ERROR, f"{DASH} provider error", "in no rate"),
    ],
)
def test_a_run_says_whether_its_end_counts_as_a_failure_or_not_at_all(
    page: WatchedPage, staged: StagedSession, status: RunStatus, mark: str, counts: str
) -> None:
    run_id = staged.add_run(status=status, answer=None)
    staged.add_run(setup=NO_SEARCH)
    shown = open_run(page, staged, run_id)
    expect(shown.locator(".verdict .mark")).to_have_text(mark)
    expect(shown.locator("dl > div").filter(has_text="Counts").locator("dd")).to_have_text(counts)
    cell = shown.get_by_role("navigation", name="The same under other setups")
    expect(cell.get_by_role("listitem").first.locator(".mark")).to_have_text(mark)


def test_a_run_that_was_not_made_yet_says_so(page: WatchedPage, staged: StagedSession) -> None:
    staged.plan(make_record())
    shown = open_run(page, staged, make_record().run_id)
    expect(shown.locator(".verdict")).to_contain_text("not run")
    expect(shown.locator("main")).to_contain_text("This run was not made, so there is nothing")
    expect(shown.get_by_role("heading", level=2)).to_have_count(1)


@pytest.mark.parametrize("name", ["answer.txt", "verdicts.json", "run.json"])
@pytest.mark.parametrize("damage", ["altered", "missing"])
def test_evidence_that_cannot_be_trusted_is_not_shown(
    page: WatchedPage, staged: StagedSession, name: str, damage: str
) -> None:
    run_id = staged.add_full_run()
    file = staged.folder.runs / run_id / name
    if damage == "altered":
        file.write_text("{}")
    else:
        file.unlink()
    shown = open_run(page, staged, run_id)
    expect(shown.get_by_role("heading", name="This evidence cannot be trusted")).to_be_visible()
    expect(shown.get_by_role("note")).to_contain_text(run_id)
    expect(shown.locator(".verdict")).to_contain_text("unreadable")
    assert shown.get_by_text("Norrvik").count() == 0


def test_a_seal_that_names_files_elsewhere_reads_none_of_them(
    page: WatchedPage, staged: StagedSession
) -> None:
    staged.add_rows([make_record()])
    seal = staged.folder.runs / make_record().run_id / "run.json"
    seal.write_text(seal.read_text().replace('"files": {}', '"files": {"../../session.json": "00"}'))
    shown = open_run(page, staged, make_record().run_id)
    expect(shown.get_by_role("note")).to_contain_text("session.json: differs from its hash")


def test_costs_that_are_not_known_are_dashes(page: WatchedPage, staged: StagedSession) -> None:
    shown = open_run(page, staged, staged.add_run())
    costs = shown.locator("section", has=page.page.get_by_role("heading", name="Tokens and costs"))
    expect(costs.locator("dl > div", has_text="Agent")).to_contain_text("$0.500")
    for name in ("Input tokens", "Provider", "Both"):
        expect(costs.locator("dl > div").filter(has_text=name).last.locator("dd")).to_have_text(DASH)


def test_a_size_that_is_not_known_is_a_dash_without_a_unit(page: WatchedPage, staged: StagedSession) -> None:
    call = meter_call("find", None, request_bytes=1)
    run_id = staged.add_run(reported=[report_call("find", None)], metering=meter(call))
    shown = open_run(page, staged, run_id)
    shown.get_by_role("button", name="Unfold all calls").click()
    expect(shown.locator(".steps")).to_contain_text("Request1 byte")
    expect(shown.locator("main")).not_to_contain_text(re.compile(f"{DASH} (characters|bytes)|1 times|0 of 0"))


def test_each_part_of_a_run_is_one_link_away(page: WatchedPage, staged: StagedSession) -> None:
    shown = open_run(page, staged, staged.add_full_run())
    contents = shown.get_by_role("navigation", name="On this page").get_by_role("link")
    targets = [str(link.get_attribute("href")) for link in contents.all()]
    headings = [f"#{heading.get_attribute('id')}" for heading in shown.get_by_role("heading", level=2).all()]
    assert targets == headings


def test_an_audit_tells_what_contaminates_what_is_noted_and_which_rule_failed(
    page: WatchedPage, staged: StagedSession
) -> None:
    findings = (
        AuditFinding(rule="calls-in-contract", message="one", contaminates=True),
        AuditFinding(rule="wire-tools", message="two", contaminates=False),
        AuditFinding(rule="guests-rule", message="three", contaminates=False, broken=True),
    )
    shown = open_run(page, staged, staged.add_run(changes={"findings": findings}))
    audit = shown.locator("section", has=page.page.get_by_role("heading", name="Audit"))
    expect(audit.get_by_role("listitem")).to_have_text(
        [
            "✗ contaminates calls-in-contract: one",
            f"{DASH} noted wire-tools: two",
            f"{DASH} rule failed guests-rule: three",
        ]
    )


def test_refused_calls_and_own_tools_are_told(page: WatchedPage, staged: StagedSession) -> None:
    refused = report_call("find", None, executed=False, outcome=CallOutcome.REFUSED)
    run_id = staged.add_run(setup=NO_SEARCH, reported=[report_call("Read", server=None), refused])
    shown = open_run(page, staged, run_id)
    expect(shown.locator("main")).to_contain_text("Nothing was metered under this setup")
    shown.get_by_role("button", name="Unfold all calls").click()
    expect(shown.locator(".steps > li").first).to_contain_text("its own tool")
    expect(shown.locator(".steps > li").last).to_contain_text("no, refused")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_no_barriers(page: WatchedPage, staged: StagedSession, scheme: str) -> None:
    page.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    shown = open_run(page, staged, staged.add_full_run())
    shown.get_by_role("button", name="Unfold all calls").click()
    assert find_barriers(shown) == []
    page.keep_screenshot(f"run page {scheme}")


def test_the_page_fits_a_phone(page: WatchedPage, staged: StagedSession) -> None:
    page.page.set_viewport_size(PHONE)
    shown = open_run(page, staged, staged.add_full_run("word" * 100))
    shown.get_by_role("button", name="Unfold all calls").click()
    assert page.fits()
    page.keep_screenshot("run page phone")


def test_a_path_is_selected_to_be_copied(page: WatchedPage, staged: StagedSession) -> None:
    run_id = staged.add_run()
    shown = open_run(page, staged, run_id)
    shown.get_by_role("button", name="Copy").first.click()
    expect(shown.locator(".copy").first).to_have_text("Copied")
    assert shown.evaluate("getSelection().toString()") == f"staged/runs/{run_id}"


def test_a_theme_chosen_on_a_run_holds_on_the_list(page: WatchedPage, staged: StagedSession) -> None:
    def read_ground() -> str:
        return str(shown.evaluate("getComputedStyle(document.body).backgroundColor"))

    run_id = staged.add_full_run()
    index = staged.write_pages(f"runs/{run_id}.html", "index.html")
    shown = page.open(index.parent / f"runs/{run_id}.html")
    light = read_ground()
    shown.get_by_role("button", name="Dark theme").click()
    dark = read_ground()
    assert dark != light
    page.open(index)
    assert read_ground() == dark
    shown.get_by_role("button", name="Light theme").click()
    assert read_ground() == light
