"""The site in a real browser, opened from a disk: whole, reachable, sortable, and for everybody."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

import pytest
from browser_stage import NARROW, PHONE, WIDE, Viewport, WatchedPage, find_barriers
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from pytest_searchlight.website.building import Site

SECOND: Final = "results/2026-11-30-second.html"
PRINTED: Final = "results/2026-10-03-printed.html"
PAGES: Final = ("index.html", "results.html", "methodology.html", SECOND, PRINTED)


def find_place(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None, "not visible"
    return box


def read_column(table: Locator, place: int) -> list[str]:
    cells = table.locator(f"tbody tr > *:nth-child({place})")
    return [text.strip() for text in cells.all_inner_texts()]


@pytest.mark.parametrize(
    ("name", "scheme", "viewport"),
    [
        ("index.html", "light", WIDE),
        ("index.html", "dark", PHONE),
        (SECOND, "light", PHONE),
        (SECOND, "dark", WIDE),
        (PRINTED, "dark", PHONE),
        ("results.html", "dark", WIDE),
        ("methodology.html", "light", WIDE),
    ],
)
def test_a_page_has_no_barriers(
    page: WatchedPage, site: Path, name: str, scheme: Literal["light", "dark"], viewport: Viewport
) -> None:
    page.page.emulate_media(color_scheme=scheme)
    page.page.set_viewport_size(viewport)
    shown = page.open(site / name)

    page.keep_screenshot(f"site {Path(name).stem} {scheme} {viewport['width']}")
    assert find_barriers(shown) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_every_screen(page: WatchedPage, site: Path, name: str) -> None:
    shown = page.open(site / name)
    for viewport in (PHONE, NARROW, WIDE):
        shown.set_viewport_size(viewport)
        assert page.fits()


def test_every_link_leads_somewhere(page: WatchedPage, site: Path, built: Site) -> None:
    for name in (path for path in built if path.endswith(".html")):
        shown = page.open(site / name)
        for href in shown.eval_on_selector_all("a", "links => links.map(link => link.href)"):
            address = urlsplit(href)
            assert address.scheme == "file", href
            target = Path(unquote(address.path))
            assert target.is_file(), f"{name}: {href}"
            if address.fragment:
                assert f'id="{address.fragment}"' in target.read_text("utf-8"), f"{name}: {href}"


def test_a_reader_walks_from_the_overview_to_a_report_and_its_correction(
    page: WatchedPage, site: Path
) -> None:
    shown = page.open(site / "index.html")
    shown.get_by_role("link", name="Results", exact=True).click()
    shown.get_by_role("link", name="A battery").click()
    expect(shown.get_by_text("A later report corrects this one:")).to_be_visible()
    shown.get_by_role("link", name="2026-11-30-second").click()
    expect(shown.get_by_text("This report corrects an earlier one:")).to_be_visible()
    shown.get_by_role("link", name="Methodology").click()
    expect(shown.get_by_role("heading", name="Methodology", level=1)).to_be_visible()
    expect(shown.get_by_role("link", name="Methodology")).to_have_attribute("aria-current", "page")


def test_a_report_says_first_what_was_measured(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)
    facts = shown.locator("header .facts")
    expect(facts.locator("dt")).to_have_text(["Agents", "Catalogs", "Search setups", "Size"])
    expect(facts).to_contain_text(re.compile(r"\d+ of \d+ runs graded"))


def test_limitations_stand_above_every_number(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)

    headings = shown.locator("h2").all_inner_texts()
    assert headings[:2] == ["Limitations", "Results"]
    expect(shown.locator("#limitations")).to_contain_text("We make search ourselves.")


def test_the_overview_shows_the_newest_report_that_nothing_corrects(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / "index.html")

    expect(shown.locator("h2").first).to_contain_text("Latest measured report: Second")
    expect(shown.get_by_role("img", name="Pass rates on the catalog gap")).to_be_visible()
    facts = shown.locator("section[aria-labelledby=latest] .facts").first
    expect(facts.locator("dt")).to_have_text(["Agents", "Catalogs", "Search setups", "Size"])
    parts = (facts, shown.locator(".limits"), shown.locator("figure").first)
    heights = [find_place(part)["y"] for part in parts]
    assert heights == sorted(heights)


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        (
            SECOND,
            [
                "Pass rates on the catalog gap",
                "Gap closure on the catalog gap, claude-code claude-opus-5-5",
                "Gap closure on the catalog gap, codex",
                "US dollars per graded run (mean) against pass rate on the catalog gap",
                "How agents searched",
                "Agreement of judges",
            ],
        ),
        ("index.html", ["Pass rates on the catalog gap"]),
        (PRINTED, ["Pass rates as printed: Gap bench", "Gap closure as printed: Gap bench"]),
    ],
)
def test_charts_are_there_and_each_has_its_table(
    page: WatchedPage, site: Path, name: str, titles: list[str]
) -> None:
    shown = page.open(site / name)

    for title in titles:
        figure = shown.locator("figure", has=shown.get_by_role("img", name=title, exact=True))
        expect(figure).to_be_visible()
        table = figure.locator("xpath=following-sibling::*[1][self::details]").locator("table")
        expect(table).to_have_count(1)
    assert shown.locator("figure").count() == len(titles)


def test_a_phone_shows_the_rows_of_a_chart_whole_in_letters_that_can_be_read(
    page: WatchedPage, site: Path
) -> None:
    page.page.set_viewport_size(PHONE)
    shown = page.open(site / SECOND)
    chart = shown.get_by_role("img", name="Pass rates on the catalog gap")
    texts = chart.evaluate(
        """chart => [...chart.querySelectorAll("text")].map(text => {
          const box = text.getBoundingClientRect();
          return [box.left, box.right, box.height];
        })"""
    )
    assert texts
    assert all(left >= 0 and right <= PHONE["width"] for left, right, _ in texts)
    assert min(height for _, _, height in texts) >= 9


@pytest.mark.parametrize("width", [1280, 1440])
def test_a_laptop_shows_results_and_comparisons_to_their_last_column(
    page: WatchedPage, site: Path, width: int
) -> None:
    page.page.set_viewport_size(Viewport(width=width, height=900))
    shown = page.open(site / SECOND)
    for region in shown.locator("#results .scroll, #comparisons .scroll").all():
        assert region.evaluate("region => region.scrollWidth <= region.clientWidth")


def test_an_edge_fades_until_all_of_a_table_was_seen(page: WatchedPage, site: Path) -> None:
    page.page.set_viewport_size(PHONE)
    shown = page.open(site / SECOND)
    wide = shown.get_by_role("region", name="Results on the catalog gap")
    read_fade = "region => parseFloat(getComputedStyle(region).getPropertyValue('--fade'))"
    assert wide.evaluate(read_fade) > 0
    wide.evaluate("region => new Promise(done => { region.onscroll = done; region.scrollLeft = 9999; })")
    shown.wait_for_function(f"region => ({read_fade})(region) === 0", arg=wide.element_handle())
    caption = find_place(wide.locator("caption"))
    assert caption["x"] >= 0
    assert caption["x"] + caption["width"] <= PHONE["width"]


def test_a_chart_takes_a_readers_own_colours(page: WatchedPage, site: Path) -> None:
    page.page.emulate_media(forced_colors="active", color_scheme="dark")
    shown = page.open(site / SECOND)
    fills = shown.locator("figure use, figure text").evaluate_all(
        "marks => [...new Set(marks.map(mark => getComputedStyle(mark).fill))]"
    )
    assert fills == [shown.evaluate("getComputedStyle(document.body).color")]
    expect(shown.locator("#theme")).to_be_hidden()
    page.keep_screenshot("report forced colours")


def test_a_chart_takes_the_colours_of_the_theme(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)
    mark = shown.locator("figure use").first
    light = mark.evaluate("mark => getComputedStyle(mark).fill")
    shown.get_by_role("button", name="Dark theme").click()

    assert mark.evaluate("mark => getComputedStyle(mark).fill") != light


def test_a_theme_is_chosen_remembered_and_given_back(page: WatchedPage, site: Path) -> None:
    def read_ground() -> str:
        return str(shown.evaluate("getComputedStyle(document.body).backgroundColor"))

    shown = page.open(site / "index.html")
    light = read_ground()
    shown.get_by_role("button", name="Dark theme").click()
    dark = read_ground()
    assert dark != light
    page.open(site / "methodology.html")
    assert read_ground() == dark
    shown.get_by_role("button", name="Light theme").click()
    assert read_ground() == light


def test_without_a_choice_the_theme_is_the_systems(page: WatchedPage, site: Path) -> None:
    page.page.emulate_media(color_scheme="dark")
    shown = page.open(site / "index.html")

    expect(shown.get_by_role("button", name="Light theme")).to_be_visible()
    page.page.emulate_media(color_scheme="light")
    expect(shown.get_by_role("button", name="Dark theme")).to_be_visible()


def test_a_table_is_sorted_on_request_with_a_word_of_warning(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)
    table = shown.get_by_role("table", name="Results on the catalog gap")
    heading = table.get_by_role("columnheader", name="Pass rate")
    original = read_column(table, 4)

    heading.get_by_role("button").click()
    rates = [int(text.removesuffix(" %")) for text in read_column(table, 4)]
    assert rates == sorted(rates, reverse=True)
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(shown.locator("#results-1-sorted")).to_have_text(
        "Sorted by “Pass rate”, descending. Where intervals overlap, this order may be chance."
    )
    heading.get_by_role("button").press("Enter")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    heading.get_by_role("button").press("Enter")
    assert read_column(table, 4) == original
    expect(shown.locator("#results-1-sorted")).to_be_empty()


def test_what_is_not_known_comes_last_in_either_order(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)
    table = shown.get_by_role("table", name="Results on the catalog gap")
    for _ in range(2):
        table.get_by_role("button", name="$ per success").click()
        assert read_column(table, 9)[-6:] == ["\N{EN DASH}"] * 6


def test_words_are_sorted_as_words(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)
    table = shown.get_by_role("table", name="Results on the catalog gap")
    table.get_by_role("button", name="Setup").click()

    assert read_column(table, 1)[::2] == ["built-in", "ceiling", "exa", "floor", "no-search", "tavily"]


@pytest.mark.parametrize("name", ["index.html", "results.html", SECOND])
def test_markup_in_titles_notes_and_remarks_is_shown_as_text(
    page: WatchedPage, site: Path, name: str
) -> None:
    shown = page.open(site / name)

    assert shown.locator("main img:not([role])").count() == 0
    assert shown.locator("[onerror], [onclick], a[href^='javascript']").count() == 0
    assert shown.title() != "1"
    assert "<img src=x onerror=" in shown.locator("main").inner_text()


def test_the_policy_lets_no_script_of_a_page_run(page: WatchedPage, site: Path, tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt.html"
    text = (site / "results.html").read_text("utf-8")
    spoilt.write_text(text.replace("<h1>", "<script>document.title = 'run'</script><h1>"), "utf-8")

    assert page.open(spoilt).title() != "run"
    assert [problem for problem in page.problems if "Content Security Policy" in problem]
    page.problems.clear()


def test_the_keyboard_reaches_the_content_first(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)
    shown.keyboard.press("Tab")
    skip = shown.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    assert find_place(skip)["x"] >= 0
    shown.keyboard.press("Enter")
    assert shown.url.endswith("#main")


def test_the_keyboard_stops_where_there_is_something_to_scroll_to_or_to_sort(
    page: WatchedPage, site: Path
) -> None:
    shown = page.open(site / SECOND)
    results = shown.get_by_role("region", name="Results on the catalog gap")
    judges = shown.get_by_role("table", name="Judges of this session")
    expect(results).to_have_attribute("tabindex", "-1")
    expect(results.get_by_role("button", name="Pass rate")).to_be_visible()
    assert judges.locator("tbody tr").count() == 1
    expect(judges.get_by_role("button")).to_have_count(0)
    shown.set_viewport_size(PHONE)
    expect(results).to_have_attribute("tabindex", "0")


def test_print_shows_the_content_and_opens_what_is_folded(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / SECOND)
    assert shown.locator("details:not([open])").count() > 0
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown.emulate_media(media="print", color_scheme="dark")

    expect(shown.get_by_role("navigation", name="Pages")).to_be_hidden()
    assert shown.locator("details:not([open])").count() == 0
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.keep_screenshot("site report print")


@pytest.mark.parametrize("name", ["index.html", "methodology.html"])
def test_what_is_printed_is_no_wider_than_a_sheet_of_paper(page: WatchedPage, site: Path, name: str) -> None:
    page.page.set_viewport_size(Viewport(width=718, height=1047))  # A4 within chromium's margins
    shown = page.open(site / name)
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown.emulate_media(media="print")

    assert page.fits()


def test_the_methodology_tells_what_the_configuration_says(page: WatchedPage, site: Path) -> None:
    shown = page.open(site / "methodology.html")

    expect(shown.get_by_role("img", name="From task to report")).to_be_visible()
    servers = shown.get_by_role("table", name="Servers", exact=True)
    expect(servers.get_by_role("row", name="exa stdio exa-mcp-server")).to_contain_text("EXA_API_KEY")
    touch = shown.get_by_role("table", name="What an agent may use under each setup")
    expect(touch.get_by_role("row", name="no-search nothing")).to_contain_text("\N{EN DASH}")
    expect(shown.get_by_role("table", name="How runs end")).to_contain_text("setup unavailable")


def test_a_page_is_whole_without_its_script(chromium: Browser, site: Path) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport=Viewport(width=800, height=600))
    shown: Page = context.new_page()
    shown.goto((site / SECOND).as_uri())

    expect(shown.get_by_role("table", name="Results on the catalog gap")).to_be_visible()
    expect(shown.get_by_role("button")).to_have_count(0)
    context.close()
