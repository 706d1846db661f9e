"""What a capture refuses to do, and where it stops."""

from __future__ import annotations

import dataclasses
import gzip
import ipaddress
import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from origin_stage import LOOPBACK, PARAGRAPH, Origin, Reply, resolve_to_loopback
from provider_stage.loopback_certificates import LoopbackCertificates, write_certificates

from pytest_searchlight.sources import CapturePolicy, CaptureStatus, IpAddress, capture, is_public

STRICT = CapturePolicy(wall_clock_s=20)
LENIENT_SCHEME = CapturePolicy(wall_clock_s=20, allow_http=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://017700000001/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "http://127.0.0.1./",
        "http://[::127.0.0.1]/",
        "http://[fec0::1]/",
        "http://[3fff::1]/",
        "http://192.0.0.8/",
        "http://127\u30020\u30020\u30021/",
    ],
)
def test_an_address_that_is_not_public_leads_no_reader_anywhere_in_every_spelling(url: str) -> None:
    source = capture(url, policy=LENIENT_SCHEME)
    assert (source.status, source.text) == (CaptureStatus.ABSENT, "")
    assert "not public" in source.reason


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "docs.localhost",
        "router",
        "db.internal",
        "nas.local",
        "x.invalid",
    ],
)
def test_a_name_of_the_readers_own_machine_or_network_is_no_source(host: str) -> None:
    assert capture(f"http://{host}/", policy=LENIENT_SCHEME).status is CaptureStatus.ABSENT


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://public.example/", "http"),
        ("https://user:pw@public.example/", "credentials"),
        ("https://public.example:0/", "port 0"),
        ("https://public.example:99999/", "port 99999"),
        pytest.param(f"https://{'a' * 99}.example/", "host that cannot be asked for", id="long-label"),
    ],
)
def test_what_is_no_plain_https_address_of_a_host_is_refused(url: str, why: str) -> None:
    source = capture(url, policy=STRICT)
    assert source.status is CaptureStatus.REFUSED
    assert why in source.reason


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://public.example/", "http(s)"),
        ("file:///etc/passwd", "http(s)"),
        ("javascript:alert(1)", "http(s)"),
        ("/relative", "http(s)"),
        ("", "http(s)"),
        ("https://[::1", "address"),
        ("https://exa\x00mple.test/", "address"),
        ("https://\ud800.example/", "address"),
        ("https://xn--/", "address"),
        ("https://%31%32%37.0.0.1/", "no host"),
        ("https://the docs.example/", "no host"),
    ],
)
def test_what_is_no_address_of_a_page_is_no_fault_of_the_capture(url: str, why: str) -> None:
    source = capture(url, policy=STRICT)
    assert source.status is CaptureStatus.ABSENT
    assert why in source.reason


def test_a_host_with_one_private_address_among_public_ones_is_refused() -> None:
    async def resolve(host: str, port: int) -> list[IpAddress]:
        del host, port
        return [ipaddress.ip_address("93.184.215.14"), ipaddress.ip_address("192.168.0.1")]

    source = capture("https://two-faced.example/", policy=dataclasses.replace(STRICT, resolve=resolve))
    assert source.status is CaptureStatus.REFUSED


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_every_redirect_is_checked_like_the_first_address(origin: Origin) -> None:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[IpAddress]:
        asked.append(host)
        if host == "169.254.169.254":
            return [ipaddress.ip_address(host)]
        return await resolve_to_loopback(host, port)

    url = origin.redirect("/hop", "http://169.254.169.254/latest/meta-data/")
    source = capture(url, policy=dataclasses.replace(LOOPBACK, resolve=resolve))
    assert source.status is CaptureStatus.REFUSED
    assert asked == ["127.0.0.1", "169.254.169.254"]


def test_a_redirect_from_https_down_to_http_is_refused_unless_http_is_allowed(origin: Origin) -> None:
    strict = dataclasses.replace(LOOPBACK, allow_http=False)
    assert capture(origin.url, policy=strict).status is CaptureStatus.REFUSED


@pytest.mark.parametrize("target", ["https://xn--/", "http://[::1", "https://a.example:99999/"])
def test_a_redirect_to_what_is_no_address_is_a_fault_of_the_capture(origin: Origin, target: str) -> None:
    source = capture(origin.redirect("/hop", target), policy=LOOPBACK)
    assert source.status.is_fault, source.reason


def test_five_redirects_are_followed_and_six_are_not(origin: Origin) -> None:
    origin.serve_html("/page-0", f"<p>{PARAGRAPH}</p>")
    for number in range(1, 7):
        origin.redirect(f"/page-{number}", f"/page-{number - 1}", status=307)
    five = capture(f"{origin.url}/page-5", policy=LOOPBACK)
    six = capture(f"{origin.url}/page-6", policy=LOOPBACK)
    assert (five.status, five.final_url) == (CaptureStatus.CAPTURED, f"{origin.url}/page-0")
    assert (six.status, six.reason) == (CaptureStatus.FAILED, "redirects more than 5 times")


def test_nothing_of_the_user_is_sent(origin: Origin, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret-0000\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    origin.serve("/", Reply(status=302, headers={"Location": "/page", "Set-Cookie": "id=1"}))
    origin.serve_html("/page", f"<p>{PARAGRAPH}</p>")
    assert capture(f"{origin.url}/", policy=LOOPBACK).status is CaptureStatus.CAPTURED
    sent = {name.lower() for _, headers in origin.requests for name in headers}
    assert sent.isdisjoint({"authorization", "cookie", "referer", "proxy-authorization"})


def test_a_body_that_never_ends_is_ended_by_its_size(origin: Origin) -> None:
    policy = dataclasses.replace(LOOPBACK, max_wire_bytes=1000)
    source = capture(origin.serve("/drip", Reply(drip=True)), policy=policy)
    assert (source.status, source.reason) == (CaptureStatus.FAILED, "is larger than 1000 bytes")


def test_a_slow_origin_is_ended_by_the_clock_however_often_it_sends_something(origin: Origin) -> None:
    policy = dataclasses.replace(LOOPBACK, wall_clock_s=0.2)
    source = capture(origin.serve("/drip", Reply(drip=True)), policy=policy)
    assert (source.status, source.reason) == (CaptureStatus.FAILED, "took longer than 0.2 s")


def test_a_bomb_is_stopped_while_it_unpacks(origin: Origin) -> None:
    bomb = Reply(body=gzip.compress(b"0" * 5_000_000), headers={"Content-Encoding": "gzip"})
    source = capture(origin.serve("/bomb", bomb), policy=dataclasses.replace(LOOPBACK, max_body_bytes=10_000))
    assert (source.status, source.reason) == (
        CaptureStatus.FAILED,
        "is larger than 10000 bytes once decompressed",
    )


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(b"no gzip", "gzip"), (gzip.compress(b"x" * 9000)[:-20], "gzip"), (b"abc", "br")],
    ids=["not-compressed", "cut-off", "not-asked-for"],
)
def test_a_body_that_is_not_encoded_as_it_says_is_a_failed_capture(
    origin: Origin, body: bytes, encoding: str
) -> None:
    url = origin.serve("/", Reply(body=body, headers={"Content-Encoding": encoding}))
    assert capture(url, policy=LOOPBACK).status is CaptureStatus.FAILED


def test_a_dead_origin_is_a_failed_capture() -> None:
    assert capture("http://127.0.0.1:9/", policy=LOOPBACK).status is CaptureStatus.FAILED


class _Lighthouse(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        """Tell which host was asked for; some paths are missing, or lead to plain http."""
        self.send_response({"/gone": 404, "/down": 301}.get(self.path, 200))
        self.send_header("Content-Type", "text/plain")
        self.send_header("Location", "http://lighthouse.example/page")
        self.end_headers()
        self.wfile.write(f"asked as {self.headers['Host']}. {PARAGRAPH}".encode())


@pytest.fixture
def certificates(tmp_path: Path) -> LoopbackCertificates:
    return write_certificates(tmp_path, hosts=["lighthouse.example"])


@contextmanager
def keep_lighthouse(
    certificates: LoopbackCertificates, *, address: tuple[str, int] = ("127.0.0.1", 0)
) -> Iterator[tuple[int, CapturePolicy]]:
    """The port of a lighthouse over TLS, and a policy without plain http to which every host is there."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificates.chain)
    trust = ssl.create_default_context(cafile=str(certificates.authority))

    async def resolve(host: str, port: int) -> list[IpAddress]:
        del host, port
        return [ipaddress.ip_address(address[0])]

    with HTTPServer(address, _Lighthouse) as server:
        server.socket = serving.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield (
            server.server_port,
            dataclasses.replace(LOOPBACK, allow_http=False, trust=lambda: trust, resolve=resolve),
        )
        server.shutdown()
        thread.join(timeout=5)


@pytest.mark.parametrize(
    ("host", "status"),
    [("lighthouse.example", CaptureStatus.CAPTURED), ("impostor.example", CaptureStatus.FAILED)],
)
def test_the_certificate_must_be_the_hosts_although_the_connection_goes_to_an_address(
    certificates: LoopbackCertificates, host: str, status: CaptureStatus
) -> None:
    with keep_lighthouse(certificates) as (port, policy):
        source = capture(f"https://{host}:{port}/", policy=policy)
    assert source.status is status, source.reason
    assert (f"asked as {host}" in source.text) is (status is CaptureStatus.CAPTURED)


@pytest.fixture
def secure_policy(certificates: LoopbackCertificates) -> Iterator[CapturePolicy]:
    """A lighthouse at the usual port, on an address of this machine that no other process takes."""
    own = f"127.{1 + os.getpid() // 65536 % 254}.{os.getpid() // 256 % 256}.{os.getpid() % 256 or 1}"
    try:
        with keep_lighthouse(certificates, address=(own, 443)) as (_, policy):
            yield policy
    except PermissionError:
        pytest.skip("this user may not serve port 443")


@pytest.mark.parametrize(
    "url",
    [
        "http://lighthouse.example/page?a=1#b",
        "http://lighthouse.example:80/",
        "https://lighthouse.example/down",
    ],
)
def test_what_is_cited_over_http_is_read_in_its_https_form_and_says_so(
    secure_policy: CapturePolicy, url: str
) -> None:
    source = capture(url, policy=secure_policy)
    assert (source.status, source.secured) == (CaptureStatus.CAPTURED, True)
    assert source.reason == "is http and was read in its https form"
    assert source.final_url is not None
    assert source.final_url.startswith("https://lighthouse.example/")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://lighthouse.example/gone", "the origin answers 404"),
        ("http://impostor.example/", "certificate verify failed"),
        ("http://lighthouse.example:8080/", "on port 8080 it has no https form"),
    ],
)
def test_what_has_no_https_form_is_refused_and_never_called_absent(
    secure_policy: CapturePolicy, url: str, why: str
) -> None:
    source = capture(url, policy=secure_policy)
    assert source.status is CaptureStatus.REFUSED
    assert source.reason.startswith("is http, which only a catalog may allow")
    assert why in source.reason


def test_a_page_whose_tags_nest_without_end_takes_no_longer_than_a_decoder_may(origin: Origin) -> None:
    deep = origin.serve_html("/deep", "<table><tr><td>" * 20_000)
    source = capture(deep, policy=dataclasses.replace(LOOPBACK, decode_s=0.5))
    assert source.status is CaptureStatus.FAILED
    assert "still running after 0.5 s" in source.reason
