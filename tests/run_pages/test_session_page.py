"""The list of runs in a real browser: found, ordered, linked to, and read by everybody."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_stage import PHONE, WatchedPage, find_barriers
from playwright.sync_api import Locator, Page, expect
from rooms.records_for_tests import make_record
from run_pages.staged_session import StagedSession, make_rows, open_staged_session

from pytest_searchlight.domain import Cost
from pytest_searchlight.run_pages.pages import INDEX
from pytest_searchlight.website.formats import DASH, show_seconds, show_usd

RUNS = 500


@pytest.fixture(scope="module")
def first_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first page of a session of 500 runs."""
    staged = open_staged_session(tmp_path_factory.mktemp("listed") / "session")
    staged.add_rows(make_rows(RUNS))
    (sought,) = (
        record for record in make_rows(RUNS) if record.run_id.startswith("small.task-33.agent.exa.r2")
    )
    return staged.write_pages(f"runs/{sought.run_id}.html", INDEX)


def rows(page: Page) -> Locator:
    return page.locator("#runs tbody tr")


def count(page: Page) -> Locator:
    return page.get_by_role("status")


def test_all_runs_are_counted_and_a_hundred_are_drawn(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(first_page)
    expect(count(shown)).to_have_text("500 of 500 runs: 326 passed, 164 failed, 10 not counted")
    expect(rows(shown)).to_have_count(100)
    expect(shown.locator("#range")).to_have_text("1 to 100 of 500")
    assert shown.title() == "Runs of staged"
    page.keep_screenshot("run list")


def test_filters_narrow_the_list_together(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(first_page)
    shown.get_by_label("Setup", exact=True).select_option("exa")
    expect(count(shown)).to_contain_text("100 of 500 runs")
    shown.get_by_label("Task", exact=True).select_option("small/task-7")
    expect(rows(shown)).to_have_count(2)
    shown.get_by_label("Text", exact=True).fill("R2 task-7")
    expect(rows(shown)).to_have_count(1)
    shown.get_by_label("Text", exact=True).fill("nothing like it")
    expect(shown.locator("#range")).to_have_text("no runs")
    expect(rows(shown)).to_have_text("No run is like that. “Show all runs” takes the filters away.")
    shown.get_by_role("button", name="Show all runs").click()
    expect(count(shown)).to_contain_text("500 of 500 runs")
    expect(shown.get_by_label("Setup", exact=True)).to_have_value("")


def test_outcome_status_and_reason_find_faults(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(first_page)
    shown.get_by_label("Outcome", exact=True).select_option(label="not counted (10)")
    expect(rows(shown)).to_have_count(10)
    shown.get_by_label("Outcome", exact=True).select_option("")
    shown.get_by_label("Status", exact=True).select_option("rate_limited")
    expect(rows(shown)).to_have_count(10)
    expect(rows(shown).first).to_contain_text("rate limited")
    shown.get_by_label("Status", exact=True).select_option("")
    shown.get_by_label("Text", exact=True).fill("429")
    expect(rows(shown)).to_have_count(10)


def test_a_view_can_be_linked_to(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(first_page)
    shown.get_by_label("Setup", exact=True).select_option("tavily")
    shown.get_by_role("button", name="Cost").click()
    shown.get_by_role("button", name="Cost").click()
    address = shown.url
    before = rows(shown).first.inner_text()
    page.open("about:blank")
    page.open(address)
    expect(shown.get_by_label("Setup", exact=True)).to_have_value("tavily")
    expect(shown.locator("th[aria-sort=descending]")).to_have_text("Cost")
    assert rows(shown).first.inner_text() == before


@pytest.mark.parametrize(("clicks", "order"), [(1, "ascending"), (2, "descending")])
def test_a_heading_sorts_and_what_is_unknown_comes_last(
    page: WatchedPage, first_page: Path, clicks: int, order: str
) -> None:
    shown = page.open(first_page)
    for _ in range(clicks):
        shown.get_by_role("button", name="Cost").click()
    expect(shown.locator(f"th[aria-sort={order}]")).to_have_text("Cost")
    for _ in range(4):
        shown.get_by_role("button", name="Next 100").click()
    costs = shown.locator("#runs tbody tr td:nth-child(8)").all_inner_texts()
    assert costs[-10:] == [DASH] * 10
    amounts = [float(cost.strip("$")) for cost in costs[:-10]]
    assert amounts == sorted(amounts, reverse=order == "descending")


def test_names_are_sorted_as_people_count(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(f"{first_page.as_uri()}#sort=task&setup=exa")
    names = shown.locator("#runs tbody th").all_inner_texts()
    assert names[:6:2] == ["small/task-0", "small/task-1", "small/task-2"]


def test_pages_of_the_list_end_at_both_ends(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(first_page)
    before, after = (shown.get_by_role("button", name=name) for name in ("Previous 100", "Next 100"))
    expect(before).to_be_disabled()
    for _ in range(4):
        after.click()
    expect(after).to_be_disabled()
    expect(shown.locator("#range")).to_have_text("401 to 500 of 500")
    before.click()
    expect(shown.locator("#range")).to_have_text("301 to 400 of 500")


def test_the_keyboard_alone_finds_a_run(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(first_page)
    shown.keyboard.press("Tab")
    expect(shown.get_by_role("link", name="Skip to the content")).to_be_focused()
    shown.keyboard.press("Enter")
    shown.keyboard.press("Tab")
    expect(shown.get_by_label("Task", exact=True)).to_be_focused()
    shown.get_by_label("Text", exact=True).focus()
    shown.keyboard.type("exa.r2 task-33.")
    expect(rows(shown)).to_have_count(1)
    link = rows(shown).get_by_role("link")
    link.focus()
    shown.keyboard.press("Enter")
    expect(shown.get_by_role("heading", level=1)).to_have_text("task-33 under exa")


def test_tasks_stand_by_setups_and_each_cell_leads_to_its_runs(page: WatchedPage, first_page: Path) -> None:
    shown = page.open(first_page)
    shown.get_by_text("Tasks by setups").click()
    expect(shown.locator("#matrix tbody tr").first).to_have_text("all tasks66/10067/10067/10066/10060/90 +10")
    row = shown.locator("#matrix tbody tr").nth(10)
    expect(row.locator("th")).to_have_text("small/task-9")
    expect(row.locator("td")).to_have_text(["1/2", "2/2", "1/2", "1/2", f"{DASH} +2"])
    row.get_by_role("link").nth(1).click()
    expect(rows(shown)).to_have_count(2)
    page.keep_screenshot("run matrix")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_has_no_barriers(page: WatchedPage, first_page: Path, scheme: str) -> None:
    page.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    shown = page.open(f"{first_page.as_uri()}#task=small/task-7")
    shown.get_by_text("Tasks by setups").click()
    assert find_barriers(shown) == []


def test_the_list_fits_a_phone_with_outcomes_in_sight(page: WatchedPage, first_page: Path) -> None:
    page.page.set_viewport_size(PHONE)
    shown = page.open(first_page)
    assert page.fits()
    expect(rows(shown).first.locator(".mark")).to_be_in_viewport()
    page.keep_screenshot("run list phone")


def test_five_thousand_runs_are_filtered_at_once(page: WatchedPage, staged: StagedSession) -> None:
    staged.plan(*make_rows(5000))
    shown = page.open(staged.write_pages(INDEX))
    shown.get_by_label("Setup", exact=True).select_option("exa")
    expect(count(shown)).to_contain_text("1,000 of 5,000 runs")
    assert rows(shown).count() == 100


def test_what_strangers_wrote_in_a_row_is_text(page: WatchedPage, staged: StagedSession) -> None:
    hostile = "</script><img src=x onerror=alert(1)>\u2028\u202e"
    staged.add_rows([make_record(reason=hostile, passed=False, model_name="<b>bold</b>")])
    shown = page.open(staged.write_pages(INDEX))
    expect(rows(shown)).to_have_count(1)
    expect(rows(shown)).to_contain_text("</script><img src=x onerror=alert(1)>")
    expect(rows(shown)).to_contain_text("⟨U+202E⟩")
    expect(shown.locator("option[value*=bold]")).to_have_text("agent with <b>bold</b> (1)")
    assert shown.locator("img, b").count() == 0


def test_a_reason_stands_in_sight_on_an_ordinary_screen(page: WatchedPage, staged: StagedSession) -> None:
    reason = (
        'null declines; expected number {"is": 24.0}; null declines; expected version 6.3.0; nothing is cited'
    )
    staged.add_rows(
        make_record(run_id=f"r{number}", task=task, repetition=number, passed=False, reason=reason)
        for number, task in enumerate(("quillmesh-frame-limit", "x" * 80), start=1)
    )
    shown = page.open(staged.write_pages(INDEX))
    region = shown.get_by_role("region", name="Runs")
    assert region.evaluate("region => region.scrollWidth <= region.clientWidth")
    assert rows(shown).first.evaluate("row => row.getBoundingClientRect().height") < 100


def test_money_and_time_are_written_as_on_the_page_of_a_run(page: WatchedPage, staged: StagedSession) -> None:
    amounts = ((0.0005, 0.0004), (0.25, 0.05), (1234.5, 2.75), (0.0, 1234.0))
    staged.add_rows(
        make_record(
            run_id=f"r{number}",
            repetition=number,
            cost=Cost(agent_usd=usd, provider_usd=0.0),
            duration_s=time_s,
        )
        for number, (usd, time_s) in enumerate(amounts)
    )
    shown = page.open(staged.write_pages(INDEX))
    costs, times = (rows(shown).locator(f"td:nth-child({place})").all_inner_texts() for place in (8, 10))
    assert costs == [show_usd(usd) for usd, _ in amounts]
    assert times == [show_seconds(time_s) for _, time_s in amounts]


def test_a_session_without_a_planned_run_says_so(page: WatchedPage, staged: StagedSession) -> None:
    staged.plan()
    shown = page.open(staged.write_pages(INDEX))
    expect(rows(shown)).to_contain_text("No run is planned yet.")
    assert find_barriers(shown) == []


def test_a_session_that_still_runs_says_so(page: WatchedPage, staged: StagedSession) -> None:
    staged.add_rows(make_rows(3))
    staged.plan(make_record())
    (staged.folder.runs / next(iter(make_rows(1))).run_id / "run.json").write_text("torn")
    shown = page.open(staged.write_pages(INDEX))
    header = shown.locator("main")
    expect(header).to_contain_text("4 planned runs, 3 made or given up so far")
    expect(header).to_contain_text("the session is running or was interrupted")
    expect(header).to_contain_text("1 run cannot be read.")
    shown.get_by_label("Status", exact=True).select_option("unreadable")
    expect(rows(shown)).to_have_count(1)
