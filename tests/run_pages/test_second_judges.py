"""What a second judge said of a brief stands on its run's page, beside the judge that decides."""

from __future__ import annotations

from browser_stage import WatchedPage, find_barriers
from playwright.sync_api import Page, expect
from run_pages.staged_session import StagedSession

from pytest_searchlight.agreements import AGREEMENT_FILE, SecondOpinion, SecondOpinions
from pytest_searchlight.domain import JudgeCost, Usage
from pytest_searchlight.judges.agreement import PairedLabel, TwiceJudged, compare_judges
from pytest_searchlight.run_pages.pages import INDEX
from pytest_searchlight.website.formats import DASH

DISAGREES = (PairedLabel(number=1, primary=False, second=True),)
AGREES = (PairedLabel(number=1, primary=True, second=True),)
OUTDATED = (PairedLabel(number=1, primary=True, second=False),)


def give_opinion(
    staged: StagedSession,
    run_id: str,
    *,
    primary: str = "lexical",
    passed: bool | None = True,
    claims: tuple[PairedLabel, ...] = DISAGREES,
    changed: bool = False,
) -> None:
    """Store what a second judge says of a run that `lexical` failed."""
    run = TwiceJudged(
        run_id=run_id,
        agent="agent",
        primary_passed=False,
        second_passed=passed,
        facts=() if passed is None else AGREES,
        claims=() if passed is None else claims,
    )
    opinion = SecondOpinion(
        second="codex",
        model_name="gpt-6.1-sol",
        cost=JudgeCost(judge="codex", model_name="gpt-6.1-sol", usage=Usage(), usd=None),
        agreements=() if changed else (compare_judges([run], primary=primary, second="codex"),),
        changed=(run_id,) if changed else (),
    )
    opinions = SecondOpinions(opinions=(opinion,))
    (staged.folder.root / AGREEMENT_FILE).write_text(opinions.model_dump_json(), encoding="utf-8")


def open_run(page: WatchedPage, staged: StagedSession, run_id: str) -> Page:
    return page.open(staged.write_pages(f"runs/{run_id}.html"))


def test_a_second_judges_labels_stand_beside_the_ones_that_count(
    page: WatchedPage, staged: StagedSession
) -> None:
    run_id = staged.add_full_run()
    give_opinion(staged, run_id)

    shown = open_run(page, staged, run_id)

    judged = shown.locator("section", has=page.page.get_by_role("heading", name="Judged by lexical"))
    expect(judged).to_contain_text("✓ pass codex with gpt-6.1-sol, a second judge, which decides nothing")
    fact, claim = judged.locator(".statements > li").all()
    expect(fact.locator(".other")).to_have_text("✓ stated codex with gpt-6.1-sol")
    expect(claim.locator(".other")).to_have_text("✓ supported codex with gpt-6.1-sol, which disagrees")
    assert find_barriers(shown) == []
    page.keep_screenshot("run page second judge")


def test_a_second_judge_without_a_verdict_is_told(page: WatchedPage, staged: StagedSession) -> None:
    run_id = staged.add_full_run()
    give_opinion(staged, run_id, passed=None)

    shown = open_run(page, staged, run_id)

    expect(shown.locator(".other")).to_have_text(f"{DASH} no verdict codex with gpt-6.1-sol, a second judge")


def test_a_run_that_a_second_judge_was_not_asked_about_says_why(
    page: WatchedPage, staged: StagedSession
) -> None:
    run_id = staged.add_full_run()
    give_opinion(staged, run_id, changed=True)

    shown = open_run(page, staged, run_id)

    expect(shown.locator(".other")).to_contain_text(f"{DASH} not asked codex with gpt-6.1-sol: the task")


def test_labels_held_against_another_judgement_are_not_shown(
    page: WatchedPage, staged: StagedSession
) -> None:
    run_id = staged.add_full_run()
    give_opinion(staged, run_id, primary="claude-code")
    expect(open_run(page, staged, run_id).locator(".other")).to_have_count(0)

    give_opinion(staged, run_id, claims=OUTDATED)
    claim = open_run(page, staged, run_id).locator(".statements > li").nth(1)
    expect(claim.locator(".other")).to_have_count(0)


def test_labels_that_cannot_be_read_cost_no_page(page: WatchedPage, staged: StagedSession) -> None:
    run_id = staged.add_full_run()
    (staged.folder.root / AGREEMENT_FILE).write_text("{", encoding="utf-8")

    shown = open_run(page, staged, run_id)
    expect(shown.get_by_role("heading", name="Judged by lexical")).to_be_visible()
    expect(shown.locator(".other")).to_have_count(0)

    shown = page.open(staged.write_pages(INDEX))
    expect(shown.get_by_role("note")).to_contain_text("What second judges said cannot be read.")
