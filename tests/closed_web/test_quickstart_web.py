"""The quickstart's web and its tasks fit together: sources exist, values are there, traps are real."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from pydantic import JsonValue
from selectolax.lexbor import LexborHTMLParser

from pytest_searchlight.catalog import read_catalog
from pytest_searchlight.closed_web.pages import (
    ClosedWeb,
    UnreachableError,
    read_manifest,
)
from pytest_searchlight.closed_web.readable import decode_text, read_document
from pytest_searchlight.domain import Check, Reference, Task

FOLDER = Path(__file__).parents[2] / "catalogs" / "quickstart"
WEB_FOLDER = FOLDER / "web"
TASKS = {task.id: task for task in read_catalog(FOLDER / "tasks.yaml").tasks}
LONG_PAGE = "https://archive.longstack.test/broker-benchmark-log.html"
BROKEN_ON_PURPOSE = {
    "https://advisories.brackenwatch.test/bwa-2026-0333.html",
    "https://docs.quillmesh.example/4/limits.html",
    "https://ferrowick.example/docs/clustering.html",
}
CITING_FIELDS = frozenset({"sources", "claims", "brief", "decision"})
URL = re.compile(r"https?://[^\s\"'<>)\]]+")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@pytest.fixture(scope="module")
def web() -> ClosedWeb:
    return ClosedWeb(WEB_FOLDER)


@pytest.fixture(scope="module")
def texts(web: ClosedWeb) -> Mapping[str, str]:
    """The readable text of every page, by address, as `is_stated` compares it."""
    return {
        page.url: fold(read_document(page.body, content_type=page.content_type, url=page.url).text)
        for page in web.list_pages()
    }


def list_links(web: ClosedWeb) -> Iterator[tuple[str, str]]:
    for page in web.list_pages():
        if page.content_type.startswith("text/html"):
            for node in LexborHTMLParser(page.body).css("a[href]"):
                yield page.url, urljoin(page.url, node.attributes["href"] or "")
        elif "pdf" not in page.content_type:
            for url in URL.findall(decode_text(page.body, charset=None)):
                yield page.url, url


def list_values(answer: JsonValue, field: str = "") -> Iterator[str]:
    """The values that an answer asserts, as text; not its citations, prose and decisions."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            if name not in CITING_FIELDS:
                yield from list_values(value, name)
    elif isinstance(answer, list):
        for value in answer:
            yield from list_values(value, field)
    elif answer is not None:
        yield str(answer)


def spell(value: str) -> set[str]:
    """The ways in which a page may write a value."""
    spellings = {value, value.removesuffix(".0"), f"{value}.0"}
    if value.isdigit():
        spellings.add(f"{int(value):,}")
    if DATE.fullmatch(value):
        day = date.fromisoformat(value)
        spellings |= {f"{day.day} {day:%B %Y}", f"{day.year}年{day.month}月{day.day}日"}
    return {fold(each) for each in spellings}


def fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def is_stated(value: str, text: str) -> bool:
    """Whether a folded text has the value, and not merely as a part of a longer one."""
    return any(re.search(rf"(?<![\w.,]){re.escape(each)}(?!\w|[.,]\d)", text) for each in spell(value))


def reference_of(task: Task) -> Reference:
    assert task.reference is not None
    return task.reference


def list_rows(check: Check) -> list[str]:
    """The names of the rows that a table must have; the prompt asks for them by name."""
    rows = check.params.get("rows")
    return list(rows) if isinstance(rows, dict) else []


def list_cited(answer: JsonValue) -> set[str]:
    return set(URL.findall(str(answer)))


def test_the_web_is_large_and_lives_on_reserved_hosts_alone(texts: Mapping[str, str]) -> None:
    hosts = {urlsplit(url).hostname or "" for url in texts}
    assert len(texts) >= 80
    assert len(hosts) >= 20
    assert all(host.endswith((".example", ".test")) for host in hosts)


def test_no_page_names_an_address_outside_the_web(web: ClosedWeb, texts: Mapping[str, str]) -> None:
    hosts = {urlsplit(url).hostname for url in texts}
    outside = {
        (page.url, url)
        for page in web.list_pages()
        for url in URL.findall(page.body.decode("latin-1"))
        if "pdf" not in page.content_type and urlsplit(url).hostname not in hosts
    }
    assert not outside


def test_every_link_leads_somewhere_or_is_broken_on_purpose(web: ClosedWeb) -> None:
    broken = {url for _, url in list_links(web) if web.open_page(url).status != 200}
    assert broken == BROKEN_ON_PURPOSE


def test_the_manifest_speaks_of_addresses_that_exist(web: ClosedWeb, texts: Mapping[str, str]) -> None:
    manifest = read_manifest(WEB_FOLDER)
    assert set(manifest.dates) <= set(texts)
    assert set(manifest.content_types) <= set(texts)
    for url in manifest.redirects:
        try:
            assert web.open_page(url).status == 200
        except UnreachableError:
            assert "/press" in url


def test_the_catalog_has_every_family_and_its_controls() -> None:
    families = {task.family for task in TASKS.values()}
    assert families == {
        "typed-facts",
        "lists-with-decoys",
        "change-detection",
        "comparison-tables",
        "multi-hop",
        "decision-briefs",
        "unanswerable",
    }
    assert len(TASKS) >= 14
    assert {task.family for task in TASKS.values() if task.control} == {"unanswerable"}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_every_page_that_a_task_names_exists(task: Task, texts: Mapping[str, str]) -> None:
    reference = reference_of(task)
    named = {reference.source} | list_cited(reference.excerpt) | list_cited(task.reference_answer)
    named |= {url for wrong in task.wrong_answers for url in list_cited(wrong.answer)}
    assert {url.rstrip(":,.;") for url in named} <= set(texts)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_right_values_stand_on_the_pages_that_are_cited(task: Task, texts: Mapping[str, str]) -> None:
    cited = "\n".join(texts[url] for url in sorted(list_cited(task.reference_answer)))
    assert [value for value in list_values(task.reference_answer) if not is_stated(value, cited)] == []


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_excerpt_holds_every_right_value_and_a_source(task: Task) -> None:
    excerpt = reference_of(task).excerpt
    folded = fold(excerpt)
    assert [value for value in list_values(task.reference_answer) if not is_stated(value, folded)] == []
    assert list_cited(excerpt)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_wrong_values_tempt_from_some_page(task: Task, texts: Mapping[str, str]) -> None:
    stated = "\n".join(text for url, text in texts.items() if url != LONG_PAGE)
    for wrong in task.wrong_answers:
        assert [value for value in list_values(wrong.answer) if not is_stated(value, stated)] == []


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_prompt_gives_no_right_value_away(task: Task) -> None:
    prompt = fold(task.prompt)
    asked = {row for check in task.checks for row in list_rows(check)}
    values = set(list_values(task.reference_answer)) - asked
    assert [value for value in sorted(values) if is_stated(value, prompt)] == []
