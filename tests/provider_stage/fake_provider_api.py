"""The HTTP APIs of all search providers, played on one TLS port of loopback."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue

from provider_stage.loopback_certificates import write_certificates
from provider_stage.provider_answers import ENDPOINTS, HOSTS, TELEMETRY_HOST

REDIRECT: Final = Path(__file__).with_name("redirect_sockets.cjs")


@dataclass(frozen=True, kw_only=True)
class ApiRequest:
    """A request as it reached the API. Header names are lower-case."""

    provider: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class CannedAnswer:
    """An answer that is not the good one. `reset` cuts the line; `hang` does so once the API is released."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    hang: bool = False
    reset: bool = False


class FakeProviderApi:
    """Answers well unless told otherwise, and remembers every request.

    Attributes:
        port: the TLS port on loopback.
        authority: PEM file of the authority that clients must trust.
        preload: file that node loads with ``--require`` to have its connections end here.
        strangers: hosts that somebody wanted to reach and that this API does not play; they got no answer.
    """

    def __init__(self, folder: Path, *, allowed_per_s: float | None = None) -> None:
        certificates = write_certificates(folder, hosts=HOSTS)
        self.authority = certificates.authority
        self.released = threading.Event()
        self.strangers: list[str] = []
        self._requests: list[ApiRequest] = []
        self._canned: dict[str, CannedAnswer] = {}
        self._lock = threading.Lock()
        self._pace = _Pace(allowed_per_s)
        self._server = _start_server(self, certificates.chain)
        self.port = int(self._server.server_address[1])
        self.preload = folder / "preload.cjs"
        self.preload.write_text(f"require({json.dumps(str(REDIRECT))})({self.port});\n")

    @property
    def node_environment(self) -> dict[str, str]:
        """What a node process needs in its environment to reach this API by the providers' own names."""
        return {"NODE_OPTIONS": f"--require={self.preload}", "NODE_EXTRA_CA_CERTS": str(self.authority)}

    def answer_with(self, provider: str, answer: CannedAnswer) -> None:
        """From now on, answer every request to `provider` (or to ``telemetry``) with `answer`."""
        self._canned[provider] = answer

    def reset(self) -> None:
        """Forget requests and canned answers, and let hanging ones go."""
        self.released.set()
        with self._lock:
            self._requests.clear()
            self.strangers.clear()
        self._canned.clear()
        self.released = threading.Event()

    def list_requests(self, provider: str) -> list[ApiRequest]:
        """Requests to `provider` so far, in the order they came."""
        with self._lock:
            return [request for request in self._requests if request.provider == provider]

    def choose_answer(self, request: ApiRequest, *, host: str) -> CannedAnswer:
        """Note `request` and decide on its answer."""
        with self._lock:
            self._requests.append(request)
        canned = self._canned.get(request.provider)
        if canned is not None:
            return canned
        if request.provider != "telemetry" and not self._pace.admits():
            return CannedAnswer(status=429, headers={"Retry-After": "1"}, body=b'{"error":"slow down"}')
        endpoint = ENDPOINTS.get((host, request.path))
        if endpoint is None:
            return CannedAnswer(status=404, body=b'{"error":"no such endpoint"}')
        return CannedAnswer(body=json.dumps(endpoint.answer()).encode())

    def note_host(self, _socket: object, host: str | None, _context: object) -> None:
        """Called by TLS with the name that a client asks for, before it decides to trust the answer."""
        if host not in HOSTS:
            self.strangers.append(str(host))

    def close(self) -> None:
        """Stop serving and free the port."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serve_provider_api(folder: Path, *, allowed_per_s: float | None = None) -> Iterator[FakeProviderApi]:
    """A running API; with `allowed_per_s`, requests above that rate are answered with 429."""
    api = FakeProviderApi(folder, allowed_per_s=allowed_per_s)
    try:
        yield api
    finally:
        api.close()


class _Pace:
    """Admits so many requests in any second."""

    def __init__(self, allowed_per_s: float | None) -> None:
        self._allowed = allowed_per_s
        self._admitted: deque[float] = deque()
        self._lock = threading.Lock()

    def admits(self) -> bool:
        if self._allowed is None:
            return True
        now = time.monotonic()
        with self._lock:
            while self._admitted and now - self._admitted[0] > 1.0:
                self._admitted.popleft()
            if len(self._admitted) >= self._allowed:
                return False
            self._admitted.append(now)
            return True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._context = context

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        # The handshake is left to the connection's own thread, so one silent client does not block the rest.
        connection, address = super().get_request()
        return self._context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request: object, client_address: object) -> None:
        """Broken and refused connections are what many tests are about."""


def _start_server(api: FakeProviderApi, chain: Path) -> _Server:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    context.sni_callback = api.note_host
    server = _Server(_make_handler(api), context)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


def _make_handler(api: FakeProviderApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0]
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = ApiRequest(
                provider=_find_provider(host),
                method=self.command,
                path=urlsplit(self.path).path,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=body,
            )
            released = api.released
            answer = api.choose_answer(request, host=host)
            if answer.hang:
                released.wait(timeout=60)
            if answer.reset or answer.hang:
                self.close_connection = True
                return
            self._send(answer)

        def _send(self, answer: CannedAnswer) -> None:
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: JsonValue) -> None:  # noqa: A002 - the signature of the base
            """Requests are remembered, not printed."""

    return Handler


def _find_provider(host: str) -> str:
    if host == TELEMETRY_HOST:
        return "telemetry"
    return next((end.provider for (known, _), end in ENDPOINTS.items() if known == host), "unknown")
