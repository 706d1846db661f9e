"""A session with a hosted server: the client speaks stdio to the meter, the meter speaks streamable HTTP."""

from __future__ import annotations

import base64
import contextlib
import os
import threading
import time

from pytest_searchlight.meter.frames import read_messages, read_object
from pytest_searchlight.meter.http_exchange import ExchangeError, HostedServer
from pytest_searchlight.meter.relay import keep_noise
from pytest_searchlight.meter.session import CLIENT_CLOSED, STOPPED, ClientSide, refuse_all, start_thread
from pytest_searchlight.meter.sse import EventParser

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_searchlight.meter.frames import Message
    from pytest_searchlight.meter.http_exchange import Answer
    from pytest_searchlight.meter.spec import Spec
    from pytest_searchlight.meter.spool import SessionFiles

EXCHANGE_FAILED = -32010
FAREWELL_TIMEOUT_S = 2.0
SESSION_ID = "Mcp-Session-Id"
SESSION_UNKNOWN = 404
VERSION_IN_META = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def run_hosted_session(spec: Spec, *, files: SessionFiles) -> int:
    """Carries traffic until the client closes or a signal comes; returns the meter's exit code."""
    client = ClientSide(spec, files=files)
    try:
        server = HostedServer(spec)
    except ExchangeError as error:
        code = refuse_all(client, reason=f"server not reached: {error}")
    else:
        code = HostedSession(client, server=server, stop_grace_s=spec.stop_grace_s).run()
    client.close(code)
    return code


class HostedSession:
    """The session. Every message of the client is a POST, and every request has a thread of its own."""

    def __init__(self, client: ClientSide, *, server: HostedServer, stop_grace_s: float) -> None:
        self._client = client
        self._server = server
        self._stop_grace_s = stop_grace_s
        self._session_headers: dict[str, str] = {}
        self._handshake: list[bytes] = []
        self._renewing = threading.Lock()
        self._posts: list[threading.Thread] = []

    def run(self) -> int:
        """Carries traffic until the client closes or a signal comes; returns the meter's exit code."""
        start_thread(self._carry_client)
        event = self._client.events.wait() or CLIENT_CLOSED
        self._client.recorder.note_event("stopping")
        self._finish_posts(patience_s=0.0 if event in STOPPED else self._stop_grace_s)
        start_thread(self._say_farewell).join(FAREWELL_TIMEOUT_S)
        return 0 if event == CLIENT_CLOSED else 128 + event[0]

    # --- from the client to the server ---------------------------------------------------------------------

    def _carry_client(self) -> None:
        """The client's frames come through a pipe, so that they are sorted as those for any other server."""
        reader, writer = os.pipe()
        self._posts.append(start_thread(lambda: self._post_frames(reader)))
        self._client.listen(writer)
        os.close(writer)
        self._client.events.post(CLIENT_CLOSED)

    def _post_frames(self, reader: int) -> None:
        with os.fdopen(reader, "rb") as frames:
            for frame in frames:
                if not frame.isspace():
                    self._post(frame)

    def _post(self, frame: bytes) -> None:
        """Sends a message; the handshake is waited for, since everything after it depends on it."""
        messages = read_messages(frame)
        methods = {message.method for message in messages}
        thread = start_thread(lambda: self._exchange(frame, messages))
        self._posts[1:] = [post for post in self._posts[1:] if post.is_alive()] + [thread]
        if methods & {"initialize", "notifications/initialized"}:
            self._handshake.append(frame)
            thread.join()
        if "notifications/initialized" in methods:
            start_thread(self._listen)

    def _exchange(self, frame: bytes, messages: list[Message]) -> None:
        open_requests = {message.key: message for message in messages if message.is_request}
        session_id = self._session_headers.get(SESSION_ID)
        try:
            with self._send(frame) as answer:
                events = self._receive(answer, open_requests)
            while open_requests and events.last_id:  # the server has asked us to fetch the rest later
                events = self._resume(events, open_requests)
        except ExchangeError as error:
            failure = error
            if session_id is not None and error.status == SESSION_UNKNOWN:
                self._renew_session(session_id)
        else:
            failure = ExchangeError("the server's answer ended without a response")
        self._report(failure, list(open_requests.values()))

    def _send(self, frame: bytes) -> Answer:
        answer = self._server.exchange("POST", headers=self._build_headers(frame), body=frame)
        if answer.session_id:
            self._session_headers[SESSION_ID] = answer.session_id
        return answer

    def _renew_session(self, lost_id: str) -> None:
        """Begins another session with the client's own handshake, since the server knows the old one no more.

        What was sent in the old one stays unanswered: whoever made the call decides whether to make it again.
        """
        with self._renewing, contextlib.suppress(ExchangeError):
            if self._session_headers.get(SESSION_ID) != lost_id:
                return  # another thread was quicker
            self._client.recorder.note_event("session_renewed")
            del self._session_headers[SESSION_ID]
            for frame in self._handshake:
                with self._send(frame) as answer:
                    for _ in read_documents(answer, EventParser()):
                        pass  # the client has had its answer to the first handshake

    def _build_headers(self, frame: bytes) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        return {**headers, **self._session_headers, **describe_request(frame)}

    # --- from the server to the client ---------------------------------------------------------------------

    def _receive(self, answer: Answer, open_requests: dict[str, Message]) -> EventParser:
        """Passes on what an answer holds; what the returned parser has seen tells how to go on.

        Raises:
            ExchangeError: it broke off where the server cannot go on, or is no message at all.
        """
        events = EventParser()
        try:
            for document in read_documents(answer, events):
                if not self._forward(document, open_requests):
                    self._set_aside(document, answer)
        except ExchangeError:
            if not events.last_id:
                raise
        return events

    def _resume(self, events: EventParser, open_requests: dict[str, Message]) -> EventParser:
        """Has the server go on where a stream has ended; nothing is asked of it a second time."""
        time.sleep(events.retry_s)
        with self._open_stream(events.last_id) as answer:
            return self._receive(answer, open_requests)

    def _forward(self, document: bytes, open_requests: dict[str, Message]) -> bool:
        """Passes messages on as a frame, and says whether there are any in the document."""
        # Line breaks between its tokens would end the frame too early.
        frame = document.replace(b"\r", b" ").replace(b"\n", b" ").strip() + b"\n"
        at_ns = time.monotonic_ns()
        messages = read_messages(frame)
        for message in messages:
            if message.is_response:
                request = open_requests.pop(message.key, message)
                self._client.requests.remove(message)
                if request.method == "initialize":
                    self._settle_version(frame)
        if messages:
            self._client.output.stream(frame, ends_frame=True, at_ns=at_ns)
        return bool(messages)

    def _set_aside(self, document: bytes, answer: Answer) -> None:
        """Keeps noise between events apart, as that of any server; a whole answer of it is an error."""
        if not answer.is_event_stream:
            excerpt = self._server.excerpt(document)
            raise ExchangeError(f"the server's answer is no MCP message: {excerpt}")
        keep_noise(document + b"\n", log=self._client.noise, recorder=self._client.recorder)

    def _settle_version(self, frame: bytes) -> None:
        result = read_object(frame).get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if version:
            self._session_headers["MCP-Protocol-Version"] = str(version)

    def _report(self, error: ExchangeError, requests: list[Message]) -> None:
        """Answers the requests that the server left open, and records why."""
        if error.retry_after_s is not None:
            self._client.pace.postpone(error.retry_after_s)
        data = {"httpStatus": error.status, "retryAfterSeconds": error.retry_after_s}
        for request in requests:
            self._client.requests.remove(request)
            self._client.recorder.note_event(
                "http_failure", id=request.id, status=error.status, retry_after_s=error.retry_after_s
            )
            body = {"code": EXCHANGE_FAILED, "message": str(error), "data": data}
            self._client.output.answer(request.id, error=body)

    def _listen(self) -> None:
        """Keeps a stream open for what the server sends unasked, unless the server has none to offer."""
        events = EventParser()
        while True:
            try:
                with self._open_stream(events.last_id) as answer:
                    if not answer.is_event_stream:
                        return
                    events = self._receive(answer, {})
            except ExchangeError as error:
                if error.status is not None:
                    return
            time.sleep(events.retry_s)

    def _open_stream(self, last_id: bytes) -> Answer:
        """A stream of events, after that with the id `last_id` if there is one."""
        headers = {"Accept": "text/event-stream", **self._session_headers}
        if last_id:
            headers["Last-Event-ID"] = last_id.decode("latin-1")
        return self._server.exchange("GET", headers=headers)

    # --- the end -------------------------------------------------------------------------------------------

    def _finish_posts(self, *, patience_s: float) -> None:
        """Waits for answers that are under way, as a stdio server would be given the time to send them."""
        deadline = time.monotonic() + patience_s
        for post in self._posts:  # grows meanwhile: the first of them makes the others
            post.join(max(deadline - time.monotonic(), 0.0))

    def _say_farewell(self) -> None:
        if SESSION_ID in self._session_headers:
            with contextlib.suppress(ExchangeError):
                self._server.exchange("DELETE", headers=self._session_headers)


def read_documents(answer: Answer, events: EventParser) -> Iterator[bytes]:
    """The messages in an answer: one body, or the data of each event of a stream, which `events` parses."""
    if not answer.is_event_stream:
        if body := b"".join(answer.read_chunks()).strip():
            yield body
        return
    for chunk in answer.read_chunks():
        yield from events.feed(chunk)
    yield from events.finish()


def describe_request(frame: bytes) -> dict[str, str]:
    """Headers that newer versions of the protocol want to be told by a message that names its version."""
    if VERSION_IN_META.encode() not in frame:
        return {}
    message = read_object(frame)
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(VERSION_IN_META) if isinstance(meta, dict) else None
    if not isinstance(params, dict) or not isinstance(version, str):
        return {}
    method = str(message.get("method"))
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    name = params.get(NAMED_BY.get(method, ""))
    return {**headers, "Mcp-Name": encode_header(name)} if isinstance(name, str) else headers


def encode_header(value: str) -> str:
    """A header's value, in base64 when it holds more than visible ASCII."""
    if value.isascii() and value.isprintable():
        return value
    return f"=?base64?{base64.b64encode(value.encode(errors='replace')).decode()}?="
