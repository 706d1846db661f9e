"""A hosted server that does wrong over HTTP: it answers each tool call as the tool's name says."""

from __future__ import annotations

import base64
import gzip
import json
import ssl
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RETRY_AFTER = "7"


class FaultyHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultyServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = json.loads(body)
        self.server.heard.append((dict(self.headers), message))
        if self.headers.get("Mcp-Session-Id") in self.server.forgotten:
            self._answer(404, b"no such session")
            return
        if "id" not in message:
            self._answer(202, b"")
        elif message["method"] == "tools/call":
            getattr(self, "tool_" + message["params"]["name"])(message["id"], message["params"])
        elif not isinstance(message["params"], dict):
            self._answer_message(message["id"], {})
        elif message["params"].get("clientInfo") == "hang":
            self.server.closing.wait(60)
        elif "handshake" in message["params"]:
            self._answer(200, _decode(message["id"], message["params"]["handshake"]))
        else:
            self._answer_message(
                message["id"], {"protocolVersion": "2025-06-18", "serverInfo": {"name": "faulty"}}
            )

    def do_GET(self) -> None:
        """Go on with a stream, if it is one of those that `tool_stream` has left unfinished."""
        rest = self.server.unfinished.pop(self.headers.get("Last-Event-ID", ""), None)
        if rest is None:
            self._answer(405, b"")
        else:
            self._start_stream()
            self.wfile.write(rest)

    def do_DELETE(self) -> None:
        self.server.farewells += 1
        self._answer(204, b"")

    def tool_status(self, request_id: int, params: dict[str, Any]) -> None:
        """Answer with a status, and text that names the key."""
        del request_id
        key = self.headers.get("Authorization", "")
        wait = params["arguments"].get("retry_after", RETRY_AFTER)
        self._answer(params["arguments"]["status"], f"sorry,\n {key}".encode(), {"Retry-After": wait})

    def tool_redirect(self, request_id: int, params: dict[str, Any]) -> None:
        del request_id, params
        self._answer(307, b"", {"Location": "/elsewhere"})

    def tool_pretty(self, request_id: int, params: dict[str, Any]) -> None:
        """Answer with a document in several lines."""
        del params
        message = {"jsonrpc": "2.0", "id": request_id, "result": {"content": []}}
        self._answer(200, json.dumps(message, indent=2).replace("\n", "\r\n").encode())

    def tool_page(self, request_id: int, params: dict[str, Any]) -> None:
        """Answer with something that is no message, but names the key."""
        del request_id, params
        key = self.headers.get("Authorization", "")
        self._answer(200, f"<html>busy {key}</html>".encode(), {"Content-Type": "text/html"})

    def tool_cut(self, request_id: int, params: dict[str, Any]) -> None:
        """Break off in the middle of a stream."""
        del request_id, params
        self._start_stream()
        self.wfile.write(b'data: {"jsonrpc":"2.0","id":')

    def tool_empty(self, request_id: int, params: dict[str, Any]) -> None:
        """End a stream in which there was no answer."""
        del request_id, params
        self._start_stream()
        self.wfile.write(b": nothing to see\n\n")

    def tool_stream(self, request_id: int, params: dict[str, Any]) -> None:
        """Answer with these bytes as a stream; ``rest`` goes on after an event of that id."""
        rest = params["arguments"].get("rest", {})
        self.server.unfinished.update({name: _decode(request_id, data) for name, data in rest.items()})
        self._start_stream()
        self.wfile.write(_decode(request_id, params["arguments"]["data"]))

    def tool_body(self, request_id: int, params: dict[str, Any]) -> None:
        """Answer with these bytes as one document, compressed in a way or not."""
        arguments = params["arguments"]
        body, encoding = _decode(request_id, arguments["data"]), arguments.get("encoding", "identity")
        compressed = {"gzip": gzip.compress(body), "deflate": zlib.compress(body)}.get(encoding, body)
        self._answer(200, compressed, {"Content-Encoding": encoding})

    def tool_reset(self, request_id: int, params: dict[str, Any]) -> None:
        """Close the connection instead of answering."""
        del request_id, params
        self.close_connection = True

    def tool_hang(self, request_id: int, params: dict[str, Any]) -> None:
        del request_id, params
        self.server.closing.wait(60)

    def tool_fine(self, request_id: int, params: dict[str, Any]) -> None:
        del params
        self._answer_message(request_id, {"content": [{"type": "text", "text": "fine"}]})

    def _start_stream(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def _answer_message(self, request_id: int, result: dict[str, Any]) -> None:
        self._answer(200, json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode())

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        given = {"Content-Type": "application/json", "Mcp-Session-Id": self.server.session, **(headers or {})}
        for name, value in {**given, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
        del format, args


def _decode(request_id: int, data: str) -> bytes:
    return base64.b64decode(data).replace(b"%ID%", b"%d" % request_id)


class FaultyServer(ThreadingHTTPServer):
    """Remembers what it heard: headers and message of each POST."""

    daemon_threads = True

    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), FaultyHandler)
        self._scheme = "https" if tls else "http"
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.heard: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.farewells = 0
        self.session = "s-1"
        self.forgotten: set[str] = set()
        self.unfinished: dict[str, bytes] = {}
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.server_port}/mcp?team=1"


@contextmanager
def serve_faults(*, tls: ssl.SSLContext | None = None) -> Iterator[FaultyServer]:
    with FaultyServer(tls=tls) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()
