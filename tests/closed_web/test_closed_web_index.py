"""The search index finds, ranks, repeats itself and cannot be steered by a query."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pytest_searchlight.closed_web.hashing import hash_web
from pytest_searchlight.closed_web.index import (
    PASSAGE_CHARS,
    WebIndex,
    compose_match,
    open_index,
    split_passages,
)

MakeWeb = Callable[[Mapping[str, str | bytes]], Path]

PAGES = {
    "a.test/capital.html": "<title>Capital</title><p>The harbour town of Veldmark is the capital.",
    "a.test/twin-b.html": "<title>Twin</title><p>Same words twice.",
    "a.test/twin-a.html": "<title>Twin</title><p>Same words twice.",
    "a.test/running.html": "<p>She was running through Größe.",
    "b.test/title.html": "<title>Lanterns</title><p>About lights.",
    "b.test/mention.html": "<title>Other</title><p>" + "Much is said here, and once it is lanterns. " * 4,
    "sub.b.test/ja.html": "<title>会社概要</title><p>代表取締役は紫藤まひろです。",
    "b.test/empty.html": "",
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    for name, content in PAGES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def index(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebIndex]:
    opened = open_index(web, cache_folder=tmp_path_factory.mktemp("cache"))
    yield opened
    opened.close()


def find_urls(index: WebIndex, query: str) -> list[str]:
    return [hit.url for hit in index.search(query, max_results=8)]


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("What is the capital town?", "https://a.test/capital.html"),
        ("VELDMARK harbours", "https://a.test/capital.html"),
        ("run", "https://a.test/running.html"),
        ("große", "https://a.test/running.html"),
        ("lanterns", "https://b.test/title.html"),
        ("代表取締役", "https://sub.b.test/ja.html"),
        ("会社", "https://sub.b.test/ja.html"),
        ("紫藤 まひろ", "https://sub.b.test/ja.html"),
    ],
)
def test_the_best_page_for_a_query_comes_first(index: WebIndex, query: str, url: str) -> None:
    assert find_urls(index, query)[0] == url


def test_equal_ranks_are_ordered_by_address(index: WebIndex) -> None:
    assert find_urls(index, "same words twice") == [
        "https://a.test/twin-a.html",
        "https://a.test/twin-b.html",
    ]


def test_a_hit_shows_the_passage_that_fits(index: WebIndex) -> None:
    hit = index.search("veldmark", max_results=1)[0]
    assert "Veldmark is the capital" in hit.snippet


def test_the_number_of_results_is_held(index: WebIndex) -> None:
    assert len(index.search("capital twice lanterns running", max_results=2)) == 2


@pytest.mark.parametrize(
    ("query", "hosts"),
    [
        ("site:b.test lanterns", {"b.test"}),
        ("lanterns site:a.test", set()),
        ("代表 SITE:b.test", {"sub.b.test"}),
        ("代表 site:ub.b.test", set()),
        ("lanterns site:%", set()),
    ],
)
def test_a_site_restricts_a_search_to_its_host_and_those_below_it(
    index: WebIndex, query: str, hosts: set[str]
) -> None:
    assert {url.split("/")[2] for url in find_urls(index, query)} == hosts


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "???",
        "nothingsuchhere",
        "site:a.test",
        "\x00",
        "\ud800",
        "🙂",
    ],
)
def test_a_search_that_finds_nothing_gives_nothing(index: WebIndex, query: str) -> None:
    assert index.search(query, max_results=8) == ()


@pytest.mark.parametrize(
    "query",
    [
        'veldmark" OR "x',
        "veldmark AND NOT capital",
        "NEAR(veldmark capital, 0)",
        "title:veldmark",
        "veldmark*",
        "^veldmark",
        "- veldmark",
        "{title text}: veldmark",
        "veldmark'; DROP TABLE documents; --",
        "(veldmark",
        "veldmark " * 2000,
    ],
)
def test_no_query_reaches_the_index_language(index: WebIndex, query: str) -> None:
    assert find_urls(index, query)[0] == "https://a.test/capital.html"


def test_a_query_of_function_words_alone_is_searched_as_it_stands() -> None:
    assert compose_match("what is the") == '"what" OR "is" OR "the"'
    assert compose_match("what is the capital") == '"capital"'


def test_passages_keep_every_word_and_their_size() -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "Words follow words. " * 30 for n in range(5)) + "x" * 3000
    passages = list(split_passages(text))
    assert "".join("".join(passages).split()) == "".join(text.split())
    assert max(map(len, passages)) <= PASSAGE_CHARS


def test_a_page_is_read_back_whole(index: WebIndex) -> None:
    document = index.read("https://a.test/running.html")
    assert document is not None
    assert document.text == "She was running through Größe."
    assert index.read("https://a.test/nowhere") is None


def test_an_index_is_built_once_for_equal_content(make_web: MakeWeb, tmp_path: Path) -> None:
    web = make_web(PAGES)
    cache = tmp_path / "cache"
    open_index(web, cache_folder=cache).close()
    (built,) = cache.iterdir()
    before = built.stat().st_mtime_ns
    open_index(web, cache_folder=cache).close()
    assert [path.stat().st_mtime_ns for path in cache.iterdir()] == [before]


@pytest.mark.parametrize("change", ["content", "name", "manifest"])
def test_a_changed_web_gets_an_index_of_its_own(make_web: MakeWeb, change: str) -> None:
    web = make_web(PAGES)
    before = hash_web(web)
    if change == "content":
        (web / "a.test" / "running.html").write_text("<p>changed")
    elif change == "name":
        (web / "a.test" / "running.html").rename(web / "a.test" / "walking.html")
    else:
        (web / "site.yaml").write_text("statuses: {}")
    assert hash_web(web) != before


def test_the_hash_of_a_web_does_not_depend_on_where_it_lies(make_web: MakeWeb, tmp_path: Path) -> None:
    web = make_web(PAGES)
    before = hash_web(web)
    assert hash_web(web.rename(tmp_path / "moved")) == before


def test_processes_that_build_at_once_agree_on_one_index(make_web: MakeWeb, tmp_path: Path) -> None:
    web, cache = make_web(PAGES), tmp_path / "cache"
    program = (
        "import sys; from pathlib import Path; from pytest_searchlight.closed_web.index import open_index;"
        "index = open_index(Path(sys.argv[1]), cache_folder=Path(sys.argv[2]));"
        "print([hit.url for hit in index.search('lanterns', max_results=8)])"
    )
    command = [sys.executable, "-c", program, str(web), str(cache)]
    builders = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = {builder.communicate(timeout=60)[0] for builder in builders}
    assert answers == {"['https://b.test/title.html', 'https://b.test/mention.html']\n"}
    assert len(list(cache.iterdir())) == 1


def test_the_hash_is_computed_without_heavy_imports() -> None:
    program = (
        "import sys; import pytest_searchlight.closed_web.hashing;"
        "print(sorted({'mcp', 'pydantic', 'yaml', 'sqlite3', 'selectolax', 'pypdf'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
