"""A captured page reads as its reader sees it, and what is not the page is called what it is."""

from __future__ import annotations

import dataclasses
import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from origin_stage import LOOPBACK, PARAGRAPH, Origin, Reply
from pydantic import JsonValue
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from pytest_searchlight.closed_web.pages import ClosedWeb
from pytest_searchlight.domain import CallOutcome, ToolCall
from pytest_searchlight.sources import (
    CapturedSource,
    CaptureStatus,
    SourceStore,
    capture,
    capture_closed,
    gather_sources,
    read_received,
)


def write_pdf(path: Path, *, text: str, password: str | None = None) -> bytes:
    """A PDF of one page that says `text`."""
    writer = PdfWriter()
    page = writer.add_blank_page(width=300, height=200)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    content = DecodedStreamObject()
    content.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = content
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    with path.open("wb") as file:
        writer.write(file)
    return path.read_bytes()


def test_a_page_keeps_its_title_its_tables_and_the_footer_that_qualifies_it(origin: Origin) -> None:
    url = origin.serve_html(
        "/limits",
        f"<html><title>Limits of release 6.2</title><body><p>{PARAGRAPH}</p><script>var x = 1</script>"
        "<table><tr><td>Frame</td><td>24 MiB</td></tr></table><footer>Not valid in sealed mode.</footer>",
    )
    source = capture(url, policy=LOOPBACK)
    assert source.status is CaptureStatus.CAPTURED
    for part in ("Limits of release 6.2", "| Frame | 24 MiB |", "Not valid in sealed mode."):
        assert part in source.text
    assert "var x" not in source.text


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("Größe: 24 MiB".encode("utf-16"), "text/plain"),
        ("Größe: 24 MiB".encode("latin-1"), "text/plain; charset=iso-8859-1"),
        ("Größe: 24 MiB".encode(), "text/plain; charset=iso-8859-1"),
        ('<html><meta charset="windows-1252"><p>Größe: 24 MiB'.encode("cp1252"), "text/html"),
        ("Größe: 24 MiB".encode("cp1252"), "text/plain"),
        ('{"Größe": "24 MiB"}'.encode(), "application/json"),
        ('{"Größe": "24 MiB"}'.encode(), "application/ld+json; charset=utf-8"),
        ("<!DOCTYPE html><p>Größe: 24 MiB".encode(), "application/octet-stream"),
    ],
)
def test_charsets_and_types_are_read_by_mark_header_meta_and_detection(
    origin: Origin, body: bytes, content_type: str
) -> None:
    source = capture(origin.serve("/", Reply(body=body, content_type=content_type)), policy=LOOPBACK)
    assert source.status is CaptureStatus.CAPTURED, source.reason
    assert "Größe" in source.text


UNSTATED = {
    "shift_jis": ("港の北灯台は2026年5月14日に電化された。", "見学者はランプ室に入れない。"),
    "euc_jp": ("港の北灯台は2026年5月14日に電化された。", "見学者はランプ室に入れない。"),
    "gbk": ("港口北灯塔于2026年5月14日实现电气化。", "参观者不得进入灯室。"),
    "big5": ("港口北燈塔於2026年5月14日實現電氣化。", "參觀者不得進入燈室。"),
    "euc_kr": ("북쪽 등대는 2026년 5월 14일에 전기화되었다.", "방문객은 등실에 들어갈 수 없다."),
    "koi8-r": ("Северный маяк электрифицирован 14 мая 2026 года.", "Посетителей не пускают."),
    "cp1251": ("Северный маяк электрифицирован 14 мая 2026 года.", "Посетителей не пускают."),
    "iso8859-2": ("Północna latarnia świeci od 14 maja 2026 roku.", "Gości się tu nie wpuszcza, niestety."),
    "cp1250": ("Severní maják svítí od 14. května 2026.", "Návštěvníci sem nesmějí, škoda."),
    "cp1253": ("Βόρειος φάρος: ανάβει από τις 14 Μαΐου 2026.", "Δεν επιτρέπεται η είσοδος."),
    "cp1254": ("Kuzey feneri 14 Mart 2026'da elektriğe geçti.", "Ziyaretçiler giremez, üzgünüz."),
    "cp1252": ("Der nördliche Leuchtturm brennt seit dem 14. Mai 2026.", "Für Gäste ist geschlossen."),
}


@pytest.mark.parametrize("charset", UNSTATED)
def test_a_page_that_states_no_charset_is_read_by_what_its_bytes_look_like(
    origin: Origin, charset: str
) -> None:
    sentences = UNSTATED[charset]
    script = f"<script>{'count(function () { return 1 });' * 50}</script>"
    page = f"<html>{script}<p>Home, products, about us</p>{''.join(f'<p>{text}</p>' for text in sentences)}"
    reply = Reply(body=page.encode(charset), content_type="text/html")
    source = capture(origin.serve("/", reply), policy=LOOPBACK)
    assert source.status is CaptureStatus.CAPTURED, source.reason
    for text in sentences:
        assert text in source.text


def test_too_few_telling_bytes_are_read_as_the_commonest_charset(origin: Origin) -> None:
    for text in ("naïve", "£5 a day", "24 €", "“quoted”", "25 °C"):
        reply = Reply(body=text.encode("cp1252"), content_type="text/plain")
        assert capture(origin.serve(f"/{len(text)}", reply), policy=LOOPBACK).text == text


def test_a_compressed_page_reads_like_a_plain_one(origin: Origin) -> None:
    body = gzip.compress(b"<p>first half, ") + gzip.compress(f"{PARAGRAPH}</p>".encode())
    source = capture(
        origin.serve("/", Reply(body=body, headers={"Content-Encoding": "gzip"})), policy=LOOPBACK
    )
    assert "first half, The harbour" in source.text


def test_a_pdf_is_known_by_its_first_bytes_and_read_in_a_process_of_its_own(
    origin: Origin, tmp_path: Path
) -> None:
    body = write_pdf(tmp_path / "a.pdf", text="The frame limit is 24 MiB since release 6.2 of the broker")
    source = capture(origin.serve("/a", Reply(body=body, content_type="text/html")), policy=LOOPBACK)
    assert (source.status, source.content_type) == (CaptureStatus.CAPTURED, "application/pdf"), source.reason
    assert "24 MiB since release 6.2" in source.text


def test_a_pdf_that_cannot_be_read_is_a_failed_capture(origin: Origin, tmp_path: Path) -> None:
    locked = write_pdf(tmp_path / "b.pdf", text="secret", password="hidden")
    source = capture(origin.serve("/b", Reply(body=locked)), policy=LOOPBACK)
    assert source.status is CaptureStatus.FAILED
    assert "cannot be read" in source.reason


def test_a_large_page_is_read_in_a_process_of_its_own_too(origin: Origin, tmp_path: Path) -> None:
    large = origin.serve_html(
        "/large", f"<title>Log</title>{f'<p>{PARAGRAPH}</p>' * 3000}<p>The last word.</p>"
    )
    pdf = write_pdf(tmp_path / "c.pdf", text="A page beside it")
    small = origin.serve("/c", Reply(body=pdf, content_type="application/octet-stream"))
    captures = SourceStore(tmp_path).obtain_all([large, small], capture=partial(capture, policy=LOOPBACK))
    assert captures[large].text.startswith("Log\n\nThe harbour")
    assert captures[large].text.endswith("The last word.")
    assert "A page beside it" in captures[small].text


def test_a_decoder_that_takes_too_long_is_ended(origin: Origin) -> None:
    url = origin.serve("/slow", Reply(body=b"%PDF-1.7 slow"))
    source = capture(url, policy=dataclasses.replace(LOOPBACK, decode_s=0.001))
    assert source.status is CaptureStatus.FAILED
    assert "still running after 0.001 s" in source.reason


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply(status=404, body=b"<h1>Oops</h1>"), CaptureStatus.ABSENT),
        (Reply(status=410), CaptureStatus.ABSENT),
        (Reply(status=403, body=b"<title>Just a moment...</title>"), CaptureStatus.BLOCKED),
        (Reply(body=b"<p>Please solve this CAPTCHA to go on.</p>"), CaptureStatus.BLOCKED),
        (Reply(status=503, body=b"<p>Checking your browser</p>"), CaptureStatus.BLOCKED),
        (Reply(status=500, body=b"<p>Sorry</p>"), CaptureStatus.FAILED),
        (Reply(body=b"\x89PNG", content_type="image/png"), CaptureStatus.FAILED),
        (Reply(body=b"<h1>Page not found</h1><p>Try the search.</p>"), CaptureStatus.SUSPECT),
        (
            Reply(body=b"<div id=root></div><script src=a></script><script src=b></script>"),
            CaptureStatus.SUSPECT,
        ),
        (Reply(body=b"<p>You need to enable JavaScript to run this app.</p>"), CaptureStatus.SUSPECT),
        (Reply(body=("\ue001\ue002\ufffd" * 90).encode(), content_type="text/plain"), CaptureStatus.SUSPECT),
        (Reply(body=b"   ", content_type="text/plain"), CaptureStatus.SUSPECT),
        (
            Reply(body="<p>Порт открыт".encode("cp1251"), content_type="text/html; charset=iso-8859-1"),
            CaptureStatus.SUSPECT,
        ),
        (Reply(body=b"<title>Shop</title><p>Loading...</p><script src=a></script>"), CaptureStatus.SUSPECT),
        (Reply(body=b"<script>location='/x'</script><p>Redirecting...</p>"), CaptureStatus.SUSPECT),
        (Reply(body=b"<h1>Sign in to go on</h1><input type=password>"), CaptureStatus.SUSPECT),
    ],
)
def test_what_is_not_the_page_is_called_what_it_is(
    origin: Origin, reply: Reply, status: CaptureStatus
) -> None:
    source = capture(origin.serve("/odd", reply), policy=LOOPBACK)
    assert source.status is status, source
    assert source.reason


def test_a_long_page_about_captchas_and_missing_pages_is_a_page(origin: Origin) -> None:
    url = origin.serve_html("/", f"<h1>How captchas work</h1><p>{PARAGRAPH * 5} 404: page not found.</p>")
    assert capture(url, policy=LOOPBACK).status is CaptureStatus.CAPTURED


def test_the_closed_web_is_captured_through_its_own_origin(tmp_path: Path) -> None:
    page = tmp_path / "web" / "docs.lights.example" / "north.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"<title>North</title><p>{PARAGRAPH}</p>")
    web = ClosedWeb(tmp_path / "web")
    found = capture_closed("https://docs.lights.example/north.html", web=web, policy=LOOPBACK)
    invented = capture_closed("https://docs.lights.example/south.html", web=web, policy=LOOPBACK)
    elsewhere = capture_closed("https://no-such-host.example/", web=web, policy=LOOPBACK)
    assert (found.status, "dusk to dawn" in found.text) == (CaptureStatus.CAPTURED, True)
    assert {invented.status, elsewhere.status} == {CaptureStatus.ABSENT}


def make_fetch(url: JsonValue, *, text: str, outcome: CallOutcome = CallOutcome.OK) -> ToolCall:
    return ToolCall(tool="fetch", server="s", arguments={"target": url}, outcome=outcome, result_text=text)


def test_a_page_that_cannot_be_captured_is_read_as_the_agent_received_it_and_marked(origin: Origin) -> None:
    url = origin.serve("/blocked", Reply(status=403))
    fault = capture(url, policy=LOOPBACK)
    calls = [
        make_fetch(f"{url}?utm_source=x#top", text="The light is white."),
        make_fetch([url, "https://other.example/"], text="two pages in one"),
        make_fetch(url, text="gone", outcome=CallOutcome.ERROR),
    ]
    received = read_received(fault, calls=calls)
    assert (received.status, received.text, received.received_by_agent) == (
        CaptureStatus.CAPTURED,
        "The light is white.",
        True,
    )
    assert read_received(fault, calls=calls[1:]) == fault


@pytest.mark.parametrize(
    "arguments",
    [{"prompt": "Which colour is it?"}, {"formats": ["json"], "jsonOptions": {"prompt": "colour"}}],
)
def test_a_models_word_on_a_page_never_stands_in_for_the_page(
    arguments: dict[str, JsonValue], origin: Origin
) -> None:
    fault = capture(origin.serve("/blocked", Reply(status=403)), policy=LOOPBACK)
    asked = make_fetch(fault.url, text="The light is green, as you thought.")
    asked = asked.model_copy(update={"arguments": {"url": fault.url, **arguments}})
    assert read_received(fault, calls=[asked]) == fault
    page = make_fetch(fault.url, text="The light is white.")
    assert read_received(fault, calls=[page, asked]).text == "The light is white."


def test_an_absent_page_is_not_replaced_by_what_an_agent_says_it_received(origin: Origin) -> None:
    absent = capture(f"{origin.url}/never", policy=LOOPBACK)
    assert read_received(absent, calls=[make_fetch(absent.url, text="made up")]) == absent


# --- signposts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "signpost",
    [
        '<meta http-equiv="refresh" content="0; url=/page?a=1&amp;b=2">',
        "<META CONTENT='5;URL=page?a=1&b=2' HTTP-EQUIV=Refresh><title>Redirecting</title>",
        '<meta charset="utf-8"><meta http-equiv=refresh content="0,url=\'page?a=1&b=2\'"><p>Click here',
    ],
)
def test_a_page_that_only_sends_its_readers_on_is_followed(origin: Origin, signpost: str) -> None:
    origin.serve_html("/page?a=1&b=2", f"<p>{PARAGRAPH}</p>")
    source = capture(origin.serve_html("/old", signpost), policy=LOOPBACK)
    assert (source.status, source.final_url) == (CaptureStatus.CAPTURED, f"{origin.url}/page?a=1&b=2")


@pytest.mark.parametrize(
    "page",
    [
        f'<meta http-equiv="refresh" content="30; url=/page"><p>{PARAGRAPH}</p>',
        f'<meta http-equiv="refresh" content="30"><p>{PARAGRAPH}</p>',
        f'<meta http-equiv="refresh" content="0; url=/other"><p>{PARAGRAPH * 12}</p>',
        f'<meta name="refresh" content="0; url=/other"><p>{PARAGRAPH}</p>',
    ],
)
def test_a_page_that_is_more_than_a_signpost_is_read(origin: Origin, page: str) -> None:
    assert PARAGRAPH.strip() in capture(origin.serve_html("/page", page), policy=LOOPBACK).text


def test_signposts_count_as_redirects(origin: Origin) -> None:
    for here, there in (("/a", "/b"), ("/b", "/a")):
        origin.serve_html(here, f'<meta http-equiv="refresh" content="0; url={there}">')
    assert capture(f"{origin.url}/a", policy=LOOPBACK).reason == "redirects more than 5 times"


@pytest.mark.parametrize("padding", [b"\0" * 512, b"\r\n"])
def test_what_pads_the_end_of_a_compressed_body_is_no_part_of_it(origin: Origin, padding: bytes) -> None:
    body = gzip.compress(PARAGRAPH.encode()) + padding
    reply = Reply(body=body, content_type="text/plain", headers={"Content-Encoding": "gzip"})
    assert capture(origin.serve("/", reply), policy=LOOPBACK).text == PARAGRAPH.strip()


@pytest.mark.parametrize("content_type", ["text/html, text/html", "text/html; charset=undefined"])
def test_a_type_that_is_stated_oddly_is_read_as_what_it_states(origin: Origin, content_type: str) -> None:
    reply = Reply(body=f"<p>{PARAGRAPH}</p>".encode(), content_type=content_type)
    source = capture(origin.serve("/", reply), policy=LOOPBACK)
    assert (source.status, source.text) == (CaptureStatus.CAPTURED, PARAGRAPH.strip())


# --- the store -------------------------------------------------------------------------------------------


@pytest.fixture
def count_captures() -> tuple[Callable[[str], CapturedSource], list[str]]:
    asked: list[str] = []

    def count(url: str) -> CapturedSource:
        asked.append(url)
        return capture(url, policy=LOOPBACK)

    return count, asked


def test_an_address_is_captured_once_whatever_its_tracking_and_read_back_without_network(
    origin: Origin, tmp_path: Path, count_captures: tuple[Callable[[str], CapturedSource], list[str]]
) -> None:
    count, asked = count_captures
    url = origin.serve_html("/page", f"<p>{PARAGRAPH}</p>")
    store = SourceStore(tmp_path)
    tracked = f"{url}?utm_source=somebody#part"
    first = store.obtain(url, capture=count)
    again = SourceStore(tmp_path).obtain(tracked, capture=count)
    assert (len(asked), again.text, again.url) == (1, first.text, tracked)
    assert store.read(f"{origin.url}/other") is None


def test_a_fault_is_kept_too_so_that_every_run_is_judged_by_the_same_capture(
    origin: Origin, tmp_path: Path, count_captures: tuple[Callable[[str], CapturedSource], list[str]]
) -> None:
    count, asked = count_captures
    url = origin.serve("/blocked", Reply(status=403))
    store = SourceStore(tmp_path)
    store.obtain(url, capture=count)
    origin.serve_html("/blocked", f"<p>{PARAGRAPH}</p>")
    assert store.obtain(url, capture=count).status is CaptureStatus.BLOCKED
    assert len(asked) == 1


def test_two_hundred_pages_of_one_text_are_captured_at_once_and_the_text_is_kept_once(
    origin: Origin, tmp_path: Path, count_captures: tuple[Callable[[str], CapturedSource], list[str]]
) -> None:
    count, _ = count_captures
    urls = [origin.serve_html(f"/page-{number}", f"<p>{PARAGRAPH}</p>") for number in range(200)]
    found = SourceStore(tmp_path).obtain_all([*urls, urls[0]], capture=count)
    assert list(found) == urls
    assert {source.status for source in found.values()} == {CaptureStatus.CAPTURED}
    assert len(list((tmp_path / "texts").iterdir())) == 1


def test_grading_again_fetches_nothing_and_names_what_was_never_captured(
    origin: Origin, tmp_path: Path, count_captures: tuple[Callable[[str], CapturedSource], list[str]]
) -> None:
    count, asked = count_captures
    page, blocked = origin.serve_html("/page", f"<p>{PARAGRAPH}</p>"), origin.serve("/no", Reply(status=403))
    calls = [make_fetch(blocked, text="as the tool had it")]
    store = SourceStore(tmp_path)
    first = gather_sources([page, blocked], store=store, capture=count, calls=calls)
    again = gather_sources([page, blocked, "https://new.example/"], store=store, capture=None, calls=calls)
    assert len(asked) == 2
    assert [again[url].text for url in (page, blocked)] == [first[page].text, "as the tool had it"]
    assert again["https://new.example/"].status is CaptureStatus.FAILED
