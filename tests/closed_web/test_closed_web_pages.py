"""The closed web answers addresses as origin servers would."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_searchlight.closed_web.pages import ClosedWeb, UnreachableError, open_page
from pytest_searchlight.errors import UserError

MakeWeb = Callable[[Mapping[str, str | bytes]], Path]

SITE = """
redirects:
  https://a.test/old: /new.html
  https://a.test/far: https://b.test/
  https://a.test/loop: /pool
  https://a.test/pool: /loop
  https://a.test/1: /2
  https://a.test/2: /3
  https://a.test/3: /4
  https://a.test/4: /5
  https://a.test/5: /6
  https://a.test/6: /new.html
statuses:
  https://a.test/gone.html: 410
content_types:
  https://a.test/new.html: text/html; charset=latin-1
dates:
  https://a.test/new.html: 2026-05-06
"""


@pytest.fixture
def web(make_web: MakeWeb) -> Path:
    return make_web(
        {
            "site.yaml": SITE,
            "a.test/new.html": b"<p>new",
            "a.test/docs/index.html": b"<p>docs",
            "a.test/data.json": b"{}",
            "a.test/with space.txt": b"spaced",
            "b.test/index.html": b"<p>b",
        }
    )


def test_a_page_is_answered_with_what_the_manifest_states(web: Path) -> None:
    page = open_page(web, "https://a.test/new.html")
    assert (page.status, page.body, page.modified) == (200, b"<p>new", "2026-05-06")
    assert page.content_type == "text/html; charset=latin-1"


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/new.html",
        "https://A.TEST/new.html",
        "https://a.test:443/new.html",
        "https://a.test/new.html?utm_source=x#part",
        " https://a.test/new.html ",
        "https://a.test/old",
    ],
)
def test_spellings_of_one_address_give_one_page(web: Path, url: str) -> None:
    assert open_page(web, url).url == "https://a.test/new.html"


def test_a_folder_is_found_without_its_slash(web: Path) -> None:
    page = open_page(web, "https://a.test/docs")
    assert (page.url, page.body) == ("https://a.test/docs/", b"<p>docs")


def test_an_encoded_path_is_found(web: Path) -> None:
    assert open_page(web, "https://a.test/with%20space.txt").body == b"spaced"


def test_a_redirect_to_another_host_is_followed_and_told(web: Path) -> None:
    page = open_page(web, "https://a.test/far")
    assert (page.url, page.redirects) == ("https://b.test/", ("https://a.test/far",))


@pytest.mark.parametrize("path", ["loop", "1"])
def test_redirects_that_do_not_end_are_refused(web: Path, path: str) -> None:
    with pytest.raises(UnreachableError, match="redirects do not end"):
        open_page(web, f"https://a.test/{path}")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("gone.html", 410),
        ("nowhere", 404),
        ("docs/nowhere/", 404),
        ("new.html/", 404),
        ("%00", 404),
        ("x" * 5000, 404),
    ],
)
def test_what_is_not_there_has_a_status(web: Path, path: str, status: int) -> None:
    assert open_page(web, f"https://a.test/{path}").status == status


@pytest.mark.parametrize(
    "url", ["https://unknown.test/", "https://../a.test/", "https://site.yaml/", "https://a.test.test/"]
)
def test_an_unknown_host_is_unreachable(web: Path, url: str) -> None:
    with pytest.raises(UnreachableError, match="does not exist"):
        open_page(web, url)


@pytest.mark.parametrize(
    "url", ["", "a.test/new.html", "file:///etc/passwd", "https://", "https://[", "https://a.test/\ud800"]
)
def test_what_is_no_web_address_is_refused(web: Path, url: str) -> None:
    with pytest.raises(UnreachableError, match="is not an address"):
        open_page(web, url)


@pytest.mark.parametrize(
    "path", ["../site.yaml", "..%2fsite.yaml", "../b.test/index.html", "docs/../../site.yaml"]
)
def test_no_path_leaves_its_host(web: Path, path: str) -> None:
    assert open_page(web, f"https://a.test/{path}").status == 404


def test_a_link_in_the_folder_does_not_lead_out_of_it(web: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (web / "a.test" / "way-out.txt").symlink_to(tmp_path / "secret.txt")
    assert open_page(web, "https://a.test/way-out.txt").status == 404


def test_pages_are_listed_in_order_and_only_where_they_answer(web: Path) -> None:
    assert [page.url for page in ClosedWeb(web).list_pages()] == [
        "https://a.test/data.json",
        "https://a.test/docs/",
        "https://a.test/new.html",
        "https://a.test/with%20space.txt",
        "https://b.test/",
    ]


@pytest.mark.parametrize(
    ("site", "message"),
    [
        ("redirect: {}", "section 'redirect' is unknown"),
        ("statuses: {'https://A.test/x?y': 404}", "write it as https://a.test/x"),
    ],
)
def test_a_manifest_that_would_be_misread_is_refused(make_web: MakeWeb, site: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        open_page(make_web({"site.yaml": site, "a.test/x": b""}), "https://a.test/x")
