"""An origin on loopback that answers as it is told, and a policy that may connect to it."""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from pytest_searchlight.sources import CapturePolicy, IpAddress, is_public

HTML: Final = "text/html; charset=utf-8"
PARAGRAPH: Final = "The harbour authority keeps the northern light burning from dusk to dawn. " * 5


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the origin answers; `drip` sends the body in pieces until the test is over."""

    body: bytes = b""
    status: int = 200
    content_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: bool = False


@dataclass(kw_only=True)
class Origin:
    """The origin's side that tests hold."""

    url: str
    replies: dict[str, Reply] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def serve(self, path: str, reply: Reply) -> str:
        """Answer `path` with `reply`; returns its address."""
        self.replies[path] = reply
        return f"{self.url}{path}"

    def serve_html(self, path: str, html: str) -> str:
        """Answer `path` with a page."""
        return self.serve(path, Reply(body=html.encode()))

    def redirect(self, path: str, target: str, *, status: int = 302) -> str:
        """Send whoever asks for `path` elsewhere."""
        return self.serve(path, Reply(status=status, headers={"Location": target}))


class _Server(ThreadingHTTPServer):
    origin: Origin
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        origin = self.server.origin
        origin.requests.append((self.path, dict(self.headers.items())))
        reply = origin.replies.get(self.path, Reply(status=404, body=b"nothing here"))
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(reply.body)
            while reply.drip and not origin.stopping.wait(0.01):
                self.wfile.write(b"<p>drip</p>")
        except (BrokenPipeError, ConnectionResetError):
            pass  # the capture has had enough, which is what such a test wants


@contextmanager
def serve_origin() -> Iterator[Origin]:
    """Serve until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    origin = Origin(url=f"http://127.0.0.1:{server.server_port}")
    server.origin = origin
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield origin
    finally:
        origin.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def admit_loopback(address: IpAddress) -> bool:
    return address.is_loopback or is_public(address)


async def resolve_to_loopback(host: str, port: int) -> list[IpAddress]:
    """Every host is this machine."""
    del host, port
    return [ipaddress.ip_address("127.0.0.1")]


LOOPBACK: Final = CapturePolicy(
    allow_http=True, admits=admit_loopback, resolve=resolve_to_loopback, wall_clock_s=20, decode_s=30
)
