"""A loopback HTTP server that plays a model from a script and records every request."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scripted_model import messages, responses
from scripted_model.script import (
    CutStream,
    Fail,
    FailTurn,
    Hang,
    ModelRequest,
    Script,
    SearchResults,
    Step,
)
from scripted_model.sse import Event, StreamCut, StreamHang, encode_events


@dataclass
class ScriptedModel:
    """The server's side that tests hold: which scene plays which script, and what was asked in it.

    A scene is the first part of the URL's path, so that any number of runs share one server.
    """

    url: str
    stopping: threading.Event = field(default_factory=threading.Event)
    _scripts: dict[str, Script] = field(default_factory=dict)
    _requests: dict[str, list[ModelRequest]] = field(default_factory=lambda: defaultdict(list))

    def add_scene(self, name: str, script: Script) -> str:
        """Play `script` in scene `name`; returns the base URL that a run in it uses (without ``/v1``)."""
        self._scripts[name] = script
        return f"{self.url}/{name}"

    def list_requests(self, scene: str) -> tuple[ModelRequest, ...]:
        """Requests in `scene` so far, oldest first, token counts left out."""
        return tuple(request for request in self._requests[scene] if request.kind != "count-tokens")

    def answer(self, scene: str, request: ModelRequest) -> Step:
        """Record `request` and choose what to say."""
        self._requests[scene].append(request)
        script = self._scripts.get(scene)
        if script is None:
            return Fail(status=404, code="not_found_error", message=f"no scene {scene!r} is on")
        return script(request)


@contextmanager
def serve_model(*, port: int = 0) -> Iterator[ScriptedModel]:
    """Serve on loopback until the block ends; port 0 takes a free one."""
    server = _ModelServer(("127.0.0.1", port), _Handler)
    model = ScriptedModel(url=f"http://127.0.0.1:{server.server_port}")
    server.model = model
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


class _ModelServer(ThreadingHTTPServer):
    model: ScriptedModel
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _ModelServer

    def log_message(self, *_: object) -> None:
        """Keep quiet: what was asked is recorded, not printed."""

    def do_HEAD(self) -> None:
        """Answer a reachability probe."""
        self._send_json({}, status=200)

    def do_GET(self) -> None:
        """Say that there is nothing to read, and that WebSockets are not spoken here."""
        if self.headers.get("Upgrade"):
            self._send_json({"error": {"message": "plain HTTP only"}}, status=426)
            return
        self._send_json({"error": {"message": "not here"}}, status=404)

    def do_POST(self) -> None:
        """Play one turn."""
        scene, _, path = self.path.lstrip("/").partition("/")
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        match path.partition("?")[0]:
            case "v1/messages":
                self._play_messages(scene, body)
            case "v1/messages/count_tokens":
                self.server.model.answer(scene, messages.read_request(body, kind="count-tokens"))
                self._send_json({"input_tokens": 100}, status=200)
            case "v1/responses":
                self._play_responses(scene, body)
            case "v1/alpha/search":
                self._play_search(scene, body)
            case _:
                self._send_json({"error": {"message": "not here"}}, status=404)

    def _play_search(self, scene: str, body: dict[str, Any]) -> None:
        step = self._choose_step(scene, responses.read_search(body))
        if isinstance(step, Fail):
            self._send_failure(step)
        elif isinstance(step, SearchResults):
            self._send_json(responses.write_search(step), status=200)

    def _play_messages(self, scene: str, body: dict[str, Any]) -> None:
        request = messages.read_request(body, kind="turn")
        step = self._choose_step(scene, request)
        if isinstance(step, Fail):
            self._send_failure(step)
        elif body.get("stream"):
            self._send_stream(messages.write_stream(step, request=request))
        elif isinstance(step, Hang):
            self.server.model.stopping.wait()
        elif isinstance(step, CutStream | FailTurn):
            self.close_connection = True  # whoever asks again without a stream fares no better
        else:
            self._send_json(messages.write_message(step, request=request), status=200)

    def _play_responses(self, scene: str, body: dict[str, Any]) -> None:
        request = responses.read_request(body)
        step = self._choose_step(scene, request)
        if isinstance(step, Fail):
            self._send_failure(step)
        else:
            self._send_stream(responses.write_stream(step, request=request))

    def _choose_step(self, scene: str, request: ModelRequest) -> Step:
        step = self.server.model.answer(scene, request)
        time.sleep(getattr(step, "delay_s", 0.0))
        return step

    def _send_failure(self, step: Fail) -> None:
        error = {"type": step.code, "code": step.code, "message": step.message}
        headers = {} if step.retry_after_s is None else {"Retry-After": str(step.retry_after_s)}
        self._send_json({"type": "error", "error": error}, status=step.status, headers=headers)

    def _send_json(self, body: object, *, status: int, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _send_stream(self, events: Iterable[Event]) -> None:
        """Send events as chunks; a cut leaves the stream without its last chunk."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for data in encode_events(events):
                self._send_chunk(data)
            self._send_chunk(b"")
        except StreamCut:
            pass
        except StreamHang:
            self.server.model.stopping.wait()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the agent was stopped; that is what such a test wants

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()
