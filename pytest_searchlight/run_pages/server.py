"""The pages over HTTP, on this machine and for its user only."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from socketserver import TCPServer
from typing import Final
from urllib.parse import unquote, urlsplit

from pytest_searchlight.errors import EvidenceError, UserError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.run_pages.listing import RunList
from pytest_searchlight.run_pages.pages import INDEX, RunPages

ADDRESS: Final = "127.0.0.1"
_IDLE_S: Final = 30.0
_HEADERS: Final = {
    # Each page brings its own policy, which holds for files too; this one adds what only a header can say.
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class PageServer(ThreadingHTTPServer):
    """Serves the pages of one session; each answer tells how the session stands at that moment.

    The address holds a key, since every user of this machine can reach its ports, and evidence is one user's.
    """

    daemon_threads = True

    def __init__(self, session: SessionFolder, *, port: int) -> None:
        self._root = f"/{secrets.token_urlsafe(16)}/"
        self._session = session
        self._list = RunList(session)
        self._list.read()  # the first page then comes as quickly as the others
        super().__init__((ADDRESS, port), _PageRequest)

    def server_bind(self) -> None:
        """Take the port, and do not ask a name server who we are, as the base class would."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.server_address[1]

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Say nothing of a browser that went away before the page came."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        """Address of the first page."""
        return f"http://{ADDRESS}:{self.server_port}{self._root}"

    @property
    def host_names(self) -> frozenset[str]:
        """What a browser on this machine calls us; under another name, a stranger's page is asking."""
        return frozenset(f"{name}:{self.server_port}" for name in (ADDRESS, "localhost"))

    def render(self, path: str) -> bytes | None:
        """The page at `path`, None without the key. Raises EvidenceError when the session cannot be read."""
        if not secrets.compare_digest(path[: len(self._root)].encode(), self._root.encode()):
            return None
        pages = RunPages(
            session=self._session,
            runs=self._list.read(),
            shown_root=str(self._session.root.resolve()),
        )
        return pages.render(path[len(self._root) :] or INDEX)


def open_server(session: SessionFolder, *, port: int = 0) -> PageServer:
    """A server that listens; its caller has it serve and closes it.

    Args:
        session: whose runs are shown.
        port: where to listen; 0 takes a free one.

    Raises:
        EvidenceError: the session's plan cannot be read.
        UserError: the port cannot be taken.
    """
    try:
        return PageServer(session, port=port)
    except (OSError, OverflowError) as error:
        raise UserError(f"port {port}: cannot listen there ({error}); choose another with --port") from error


class _PageRequest(BaseHTTPRequestHandler):
    """One request. Everything but a GET under our own name is refused."""

    server: PageServer
    timeout = _IDLE_S
    server_version = "Searchlight"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with a page."""
        if self.headers.get("Host") not in self.server.host_names:
            self._answer_text(HTTPStatus.MISDIRECTED_REQUEST, "Ask for the address that sew view printed.")
            return
        try:
            page = self.server.render(unquote(urlsplit(self.path).path))
        except EvidenceError as error:
            self._answer_text(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
            return
        if page is None:
            self._answer_text(HTTPStatus.NOT_FOUND, "There is no such page.")
        else:
            self._answer(HTTPStatus.OK, page, media_type="text/html")

    def __getattr__(self, name: str) -> Callable[[], None]:
        """What answers a method other than GET, by which the base class asks for ``do_<METHOD>``."""
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing: the terminal belongs to the user."""

    def _refuse_method(self) -> None:
        self._answer_text(HTTPStatus.METHOD_NOT_ALLOWED, "These pages are only read.")

    def _answer_text(self, status: HTTPStatus, text: str) -> None:
        self._answer(status, f"{text}\n".encode("utf-8", "replace"), media_type="text/plain")

    def _answer(self, status: HTTPStatus, body: bytes, *, media_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{media_type}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
