"""Bytes become readable text without losing a statement."""

from __future__ import annotations

import pytest

from pytest_searchlight.closed_web.readable import decode_text, read_document

URL = "https://a.test/dir/page.html"


def read(body: str | bytes, content_type: str = "text/html") -> str:
    raw = body.encode() if isinstance(body, str) else body
    return read_document(raw, content_type=content_type, url=URL).text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h2>Head</h2><p>One<p>Two", "## Head\n\nOne\n\nTwo"),
        ("<ul><li>a<li>b <b>c</b></ul>", "- a\n- b c"),
        ("<table><tr><th>A<th>B<tr><td>1<br>2<td> 3</table>", "| A | B |\n| 1 2 | 3 |"),
        ("<dl><dt>T<dd>D<dt>U<dd><p>E</dl>", "T\n  : D\nU\n  : E"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("<p>see <a href='../x'>this</a>", "see [this](https://a.test/x)"),
        ("<a href='#top'>top</a> <a href='javascript:x()'>js</a>", "top js"),
        ("<pre>a\n  b\n\tc</pre>", "a\n  b\n\tc"),
        ("<main>text</main><footer>except on Sundays</footer>", "text\n\nexcept on Sundays"),
        ("<nav>menu</nav><script>code()</script><style>p{}</style><p hidden>no<p>yes", "yes"),
        ("<p>unclosed <b>bold <i>both</p><p>next", "unclosed bold both\n\nnext"),
        ("a<br>b", "a\nb"),
        ("<table><tr><td><table><tr><td>in</table></table>", "| | in | |"),
        ("", ""),
        ("<html><head><title>t", ""),
    ],
)
def test_html_reads_as_its_structure_says(html: str, text: str) -> None:
    assert read(html) == text


def test_line_separators_of_the_page_survive_reading() -> None:
    assert read("<p>a\u2028b\u0085c\u00a0d") == "a\u2028b\u0085c\u00a0d"


def test_tags_nested_a_thousand_deep_are_read() -> None:
    assert read("<b>" * 1000 + "deep") == "deep"


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ('<meta name="last-modified" content="2026-03-04T10:00:00Z">', "2026-03-04"),
        ('<meta property="article:published_time" content="2026-03-04">', "2026-03-04"),
        ('<time datetime="2025-01-01"><meta name="last-modified" content="2026-03-04">', "2026-03-04"),
        ('<time datetime="2026-03-04">', "2026-03-04"),
        ('<meta name="date" content="yesterday">', None),
        ("", None),
    ],
)
def test_the_date_is_what_the_page_states(head: str, date: str | None) -> None:
    assert read_document(head.encode(), content_type="text/html", url=URL).date == date


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("Größe".encode(), None, "Größe"),
        ("Größe".encode("latin-1"), "ISO-8859-1", "Größe"),
        ("Größe".encode("latin-1"), None, "Größe"),
        ("会社".encode("shift_jis"), "Shift_JIS", "会社"),
        ("Größe".encode("utf-16"), "latin-1", "Größe"),
        ("\ufeffGröße".encode(), "latin-1", "Größe"),
        ("Größe".encode(), "no-such-charset", "Größe"),
        ("Größe".encode("latin-1"), "utf-8", "Größe"),
        (b"", None, ""),
    ],
)
def test_a_charset_is_found_by_mark_declaration_or_guess(body: bytes, charset: str | None, text: str) -> None:
    assert decode_text(body, charset=charset) == text


def test_a_charset_named_in_the_page_itself_is_believed() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><p>会社概要'
    assert read(page.encode("shift_jis")) == "会社概要"


def test_json_is_indented_and_keeps_its_letters() -> None:
    assert read('{"a":["ö"]}', "application/json") == '{\n  "a": [\n    "ö"\n  ]\n}'


@pytest.mark.parametrize("body", ["{not json", "[" * 100_000])
def test_json_that_cannot_be_read_stays_as_it_is(body: str) -> None:
    assert read(body, "application/json") == body


def test_markdown_is_titled_by_its_first_heading() -> None:
    document = read_document(b"# Notes\n\ntext\n", content_type="text/markdown", url=URL)
    assert (document.title, document.text) == ("Notes", "# Notes\n\ntext")


@pytest.mark.parametrize("body", [b"", b"%PDF-1.4 broken", b"not a pdf"])
def test_a_broken_pdf_says_so(body: bytes) -> None:
    assert "cannot be read" in read(body, "application/pdf")
