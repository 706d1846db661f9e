"""The two directions of the wire, and the requests that await an answer.

What is recorded is noted in memory just before it is forwarded, so that a request always stands in the
record before its answer; the disk comes later and in another thread (`pytest_searchlight.meter.spool`).
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time

from pytest_searchlight.meter.frames import DOUBT_LIMIT_BYTES, FrameSorter, peek_message, read_messages

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from typing import Any

    from pytest_searchlight.meter.capped_log import CappedLog
    from pytest_searchlight.meter.frames import Message
    from pytest_searchlight.meter.spool import Recorder

READ_BYTES = 256 * 1024
PIPE_BYTES = 1024 * 1024
SERVER_CLOSED = -32000


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of `data`, however little the other side takes at a time."""
    written = os.write(descriptor, data) if data else 0
    while written < len(data):
        with memoryview(data) as view:
            written += os.write(descriptor, view[written:])


def widen_pipe(descriptor: int) -> None:
    """Asks for a larger pipe, which saves most of the cost of big frames; a refusal changes nothing."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:
        pass  # a socket, or the user's pipe allowance is used up


class ClientOutput:
    """The client's side of the wire, shared by what the server sends and what the meter has to say.

    Whoever is in the middle of a frame keeps the turn until the frame has ended.
    """

    def __init__(self, descriptor: int, *, recorder: Recorder) -> None:
        self._descriptor = descriptor
        self._recorder = recorder
        self._turn = threading.Lock()
        self._in_frame = False

    def stream(self, data: bytes, *, ends_frame: bool, at_ns: int) -> None:
        """Forwards bytes of the server."""
        if not self._in_frame:
            self._turn.acquire()
        self._in_frame = not ends_frame
        self._recorder.note(b"S", data, at_ns=at_ns)
        try:
            write_all(self._descriptor, data)
        finally:
            if ends_frame:
                self._turn.release()

    def end_frame(self) -> None:
        """Ends a frame that the server left unfinished, so that the next one can be read."""
        if self._in_frame:
            self.stream(b"\n", ends_frame=True, at_ns=time.monotonic_ns())

    def answer(self, request_id: Any, **outcome: Any) -> None:
        """Answers a request in the server's place with a ``result`` or an ``error``."""
        document = {"jsonrpc": "2.0", "id": request_id, **outcome}
        frame = json.dumps(document).encode() + b"\n"
        with self._turn:
            self._recorder.note(b"M", frame)
            write_all(self._descriptor, frame)


class Requests:
    """The client's requests that await an answer, by the comparable form of their ids."""

    def __init__(self, output: ClientOutput) -> None:
        self._output = output
        self._lock = threading.Lock()
        self._waiting: dict[str, Any] = {}
        self._closed_because: str | None = None

    def add(self, message: Message) -> bool:
        """Takes note of a request; False when the server is gone and the answer already given."""
        if message.key is None or message.method is None:
            return self._closed_because is None
        with self._lock:
            if self._closed_because is None:
                self._waiting[message.key] = message.id
                return True
        self._answer_closed(message.id)
        return False

    def remove(self, message: Message) -> None:
        """Takes note that a request has its answer."""
        if message.key is not None:
            self._waiting.pop(message.key, None)

    def close(self, reason: str) -> int:
        """Answers all that wait, and all that will come, with an error; returns how many waited."""
        with self._lock:
            self._closed_because = reason
            waiting, self._waiting = list(self._waiting.values()), {}
        for request_id in waiting:
            self._answer_closed(request_id)
        return len(waiting)

    def _answer_closed(self, request_id: Any) -> None:
        self._output.answer(request_id, error={"code": SERVER_CLOSED, "message": self._closed_because})


class CallBudget:
    """How many tool calls may still go to the server.

    Every call draws a ticket: a byte appended to a file that all sessions of a run share, so that an agent
    which restarts its server does not start with a fresh budget.
    """

    def __init__(self, limit: int | None, *, tickets_path: str) -> None:
        self.limit = limit
        self._drawn = 0
        if limit is not None:
            self._descriptor = os.open(tickets_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def draw(self) -> bool:
        """Takes a ticket; False when none is left."""
        if self.limit is None:
            return True
        self._drawn += 1
        try:
            os.write(self._descriptor, b".")
            drawn = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        except OSError:  # a full disk: this session's own count is what remains
            drawn = self._drawn
        return max(drawn, self._drawn) <= self.limit


class ClientFrames(FrameSorter):
    """Frames of the client: all pass, but for tool calls beyond the budget."""

    def __init__(
        self, *, requests: Requests, budget: CallBudget, output: ClientOutput, recorder: Recorder
    ) -> None:
        super().__init__()
        self._requests = requests
        self._budget = budget
        self._output = output
        self._recorder = recorder

    def judge(self, frame: bytes) -> bool:
        """Whether the frame goes to the server; if not, its requests have been answered here."""
        messages = read_messages(frame)
        if not all([self._requests.add(message) for message in messages]):
            return False
        calls = [message for message in messages if message.method == "tools/call"]
        if not calls or all([self._budget.draw() for _ in calls]):
            return True
        for message in messages:
            self._refuse(message)
        return False

    def judge_head(self, head: bytes, *, held_bytes: int) -> bool | None:
        """Long frames pass at once; under a budget a tool call is read whole first."""
        del held_bytes
        if self._budget.limit is None:
            return True
        message = peek_message(head)
        known = message is not None and (message.is_response or message.method not in (None, "tools/call"))
        return True if known else None

    def end_long_frame(self, head: bytes, tail: bytes) -> None:
        """Takes note of a long request."""
        if message := peek_message(head, tail):
            self._requests.add(message)

    def reject(self, piece: bytes) -> None:
        """Nothing to add: `judge` has answered."""

    def _refuse(self, message: Message) -> None:
        self._requests.remove(message)
        self._recorder.note_event("refused", id=message.id)
        text = f"This run's budget of {self._budget.limit} provider calls is used up; the call was not sent."
        result = {"content": [{"type": "text", "text": text}], "isError": True}
        self._output.answer(message.id, result=result)


class ServerFrames(FrameSorter):
    """Frames of the server: messages pass, anything else is noise."""

    def __init__(self, *, requests: Requests, recorder: Recorder, noise: CappedLog) -> None:
        super().__init__()
        self._requests = requests
        self._recorder = recorder
        self._noise = noise

    def judge(self, frame: bytes) -> bool:
        """Whether the frame is a message."""
        messages = read_messages(frame)
        for message in messages:
            self._note(message)
        return bool(messages)

    def judge_head(self, head: bytes, *, held_bytes: int) -> bool | None:
        """Messages pass at once; a line in doubt, which opens like JSON, is held for a while."""
        if peek_message(head):
            return True
        opens_like_json = head.lstrip()[:1] in (b"{", b"[", b"")
        return None if opens_like_json and held_bytes < DOUBT_LIMIT_BYTES else False

    def end_long_frame(self, head: bytes, tail: bytes) -> None:
        """Takes note of a long answer."""
        if message := peek_message(head, tail):
            self._note(message)

    def _note(self, message: Message) -> None:
        if message.is_response:
            self._requests.remove(message)

    def reject(self, piece: bytes) -> None:
        """Keeps noise apart; blank lines are nothing at all."""
        if not piece.isspace():
            self._noise.append(piece)
            self._recorder.note(b"N", b"%d %d" % (len(piece), piece.count(b"\n")))


def pump_client(source: int, target: int, *, frames: ClientFrames, recorder: Recorder) -> None:
    """Carries the client's bytes to the server until the client has no more.

    Raises:
        BrokenPipeError: the server reads no more.
    """
    while chunk := os.read(source, READ_BYTES):
        recorder.note(b"C", chunk)
        write_all(target, frames.feed(chunk))
    write_all(target, frames.finish())


def answer_client(source: int, *, frames: ClientFrames, recorder: Recorder) -> None:
    """Reads on without a server, so that every further request is answered with an error."""
    while chunk := os.read(source, READ_BYTES):
        recorder.note(b"C", chunk)
        frames.feed(chunk)
    frames.finish()


def pump_server(source: int, output: ClientOutput, *, frames: ServerFrames) -> None:
    """Carries the server's messages to the client until the server has no more.

    Raises:
        BrokenPipeError: the client reads no more.
    """
    while chunk := os.read(source, READ_BYTES):
        at_ns = time.monotonic_ns()
        if passing := frames.feed(chunk):
            output.stream(passing, ends_frame=frames.between_frames, at_ns=at_ns)
    if rest := frames.finish():
        output.stream(rest, ends_frame=False, at_ns=time.monotonic_ns())


def drain_log(source: int, log: CappedLog) -> None:
    """Reads the server's stderr for as long as there is any, so that the server never waits for it."""
    while chunk := os.read(source, READ_BYTES):
        log.append(chunk)
