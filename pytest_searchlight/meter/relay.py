"""The two directions of the wire.

What has been forwarded is noted in memory with the time at which it arrived, so that the record can be put
in order later; parsing and the disk come later too (`recorder`, `pytest_searchlight.metering`).
"""

from __future__ import annotations

import json
import os
import threading
import time

from pytest_searchlight.meter.frames import FrameSorter, peek_message, read_messages
from pytest_searchlight.meter.staging import ChunkReader

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_searchlight.meter.capped_log import CappedLog
    from pytest_searchlight.meter.frames import Message
    from pytest_searchlight.meter.pacing import Pace
    from pytest_searchlight.meter.pending import CallBudget, PendingRequests
    from pytest_searchlight.meter.recorder import Recorder
    from pytest_searchlight.meter.staging import Chunk

DOUBT_LIMIT_BYTES = 1024 * 1024
LOG_CHUNK_BYTES = 64 * 1024


def write_all(descriptor: int, data: Chunk) -> None:
    """Writes all of `data`, however little the other side takes at a time."""
    written = os.write(descriptor, data) if data else 0
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])


class ClientOutput:
    """The client's side of the wire, shared by what the server sends and what the meter has to say.

    Whoever is in the middle of a frame keeps the turn until the frame has ended. A client that reads no
    more is reported once, by `on_gone`, and from then on spared.
    """

    def __init__(self, descriptor: int, *, recorder: Recorder, on_gone: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._recorder = recorder
        self._on_gone = on_gone
        self._gone = False
        self._turn = threading.Lock()
        self._in_frame = False

    def stream(self, data: Chunk, *, ends_frame: bool, at_ns: int) -> None:
        """Forwards bytes of the server, which arrived at `at_ns`."""
        if not self._in_frame:
            self._turn.acquire()
        self._in_frame = not ends_frame
        self._write(b"S", data, at_ns=at_ns)
        if ends_frame:
            self._turn.release()

    def end_frame(self) -> None:
        """Ends a frame that the server left unfinished, so that the next one can be read."""
        if self._in_frame:
            self.stream(b"\n", ends_frame=True, at_ns=time.monotonic_ns())

    def answer(self, request_id: object, **outcome: object) -> None:
        """Answers a request in the server's place, with a ``result`` or an ``error``."""
        self.send(json.dumps({"jsonrpc": "2.0", "id": request_id, **outcome}).encode() + b"\n")

    def send(self, frame: bytes) -> None:
        """Sends a frame of the meter's own."""
        at_ns = time.monotonic_ns()
        with self._turn:
            self._write(b"M", frame, at_ns=at_ns)

    def _write(self, kind: bytes, data: Chunk, *, at_ns: int) -> None:
        if self._gone:
            return
        try:
            write_all(self._descriptor, data)
        except OSError:
            self._gone = True
            self._on_gone()
        else:
            self._recorder.note(kind, data, at_ns=at_ns)


class ClientFrames(FrameSorter):
    """Frames of the client: all pass, tool calls in turn and within the budget."""

    def __init__(
        self,
        *,
        requests: PendingRequests,
        budget: CallBudget,
        pace: Pace,
        output: ClientOutput,
        recorder: Recorder,
    ) -> None:
        super().__init__()
        self._requests = requests
        self._budget = budget
        self._pace = pace
        self._output = output
        self._recorder = recorder

    def judge(self, frame: Chunk | bytearray) -> bool:
        """Whether the frame goes to the server; if not, its requests have been answered here."""
        messages = read_messages(frame)
        added = [self._requests.add(message) for message in messages]
        if not all(added):
            return False
        calls = [message for message in messages if message.method == "tools/call"]
        drawn = [self._budget.draw() for _ in calls]
        if all(drawn):
            for call in calls:
                self._wait_turn(call)
            return True
        for message in messages:
            self._refuse(message)
        return False

    def _wait_turn(self, call: Message) -> None:
        waited_s = self._pace.wait_turn()
        if waited_s > 0:
            self._recorder.note_event("paced", id=call.id, waited_s=waited_s)

    def judge_head(self, head: bytes, *, held_bytes: int) -> bool | None:
        """Long frames pass at once, but a tool call that may have to wait must be read whole first."""
        del held_bytes
        if self._budget.limit is None and not self._pace.is_set:
            return True
        message = peek_message(head)
        known = message is not None and (message.is_response or message.method not in (None, "tools/call"))
        return True if known else None

    def end_long_frame(self, head: bytes, tail: bytes) -> None:
        """Takes note of a long request."""
        if message := peek_message(head, tail):
            self._requests.add(message)

    def reject(self, piece: Chunk | bytearray) -> None:
        """Does nothing: `judge` has answered already."""

    def _refuse(self, message: Message) -> None:
        self._requests.remove(message)
        self._recorder.note_event("refused", id=message.id)
        text = f"This run's budget of {self._budget.limit} provider calls is used up; the call was not sent."
        self._output.answer(message.id, result={"content": [{"type": "text", "text": text}], "isError": True})


class ServerFrames(FrameSorter):
    """Frames of the server: messages pass, anything else is noise."""

    def __init__(self, *, requests: PendingRequests, recorder: Recorder, noise: CappedLog) -> None:
        super().__init__()
        self._requests = requests
        self._recorder = recorder
        self._noise = noise

    def judge(self, frame: Chunk | bytearray) -> bool:
        """Whether the frame is a message."""
        messages = read_messages(frame)
        for message in messages:
            self._note(message)
        return bool(messages)

    def judge_head(self, head: bytes, *, held_bytes: int) -> bool | None:
        """Messages pass at once; a line that merely opens like JSON is held for a while."""
        if peek_message(head):
            return True
        opens_like_json = head.lstrip()[:1] in (b"{", b"[", b"")
        return None if opens_like_json and held_bytes < DOUBT_LIMIT_BYTES else False

    def end_long_frame(self, head: bytes, tail: bytes) -> None:
        """Takes note of a long answer."""
        if message := peek_message(head, tail):
            self._note(message)

    def reject(self, piece: Chunk | bytearray) -> None:
        """Keeps noise apart; a blank line is not even noise."""
        text = bytes(piece)
        if not text.isspace():
            keep_noise(text, log=self._noise, recorder=self._recorder)

    def _note(self, message: Message) -> None:
        if message.is_response:
            self._requests.remove(message)


def keep_noise(text: bytes, *, log: CappedLog, recorder: Recorder) -> None:
    """Logs what a server says besides messages, and counts it."""
    log.append(text)
    recorder.note(b"N", b"%d %d" % (len(text), text.count(b"\n")), at_ns=time.monotonic_ns())


def pump_client(source: int, target: int | None, *, frames: ClientFrames, recorder: Recorder) -> None:
    """Carries the client's bytes to the server until the client has no more.

    Without a `target` nothing is carried, but what the client asks is still heard.

    Raises:
        BrokenPipeError: the server reads no more.
    """
    reader = ChunkReader(source)
    while chunk := reader.read():
        at_ns = time.monotonic_ns()
        passing = frames.feed(chunk)
        try:
            if target is not None:
                write_all(target, passing)
        finally:  # a call that a server does not take any more was made all the same
            recorder.note(b"C", chunk, at_ns=at_ns)
    rest = frames.finish()
    if target is not None:
        write_all(target, rest)


def pump_server(source: int, output: ClientOutput, *, frames: ServerFrames) -> None:
    """Carries the server's messages to the client until the server has no more."""
    reader = ChunkReader(source)
    while chunk := reader.read():
        at_ns = time.monotonic_ns()
        if passing := frames.feed(chunk):
            output.stream(passing, ends_frame=frames.between_frames, at_ns=at_ns)
    if rest := frames.finish():
        output.stream(rest, ends_frame=False, at_ns=time.monotonic_ns())


def drain_log(source: int, log: CappedLog) -> None:
    """Reads the server's stderr for as long as there is any, so that the server never waits for it."""
    while chunk := os.read(source, LOG_CHUNK_BYTES):
        log.append(chunk)
