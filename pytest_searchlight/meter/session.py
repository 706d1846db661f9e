"""One life of the meter: which end closes first, and what follows."""

from __future__ import annotations

import os
import select
import threading
import time

from pytest_searchlight.meter.capped_log import CappedLog
from pytest_searchlight.meter.pacing import Pace
from pytest_searchlight.meter.pending import CallBudget, PendingRequests
from pytest_searchlight.meter.recorder import Recorder
from pytest_searchlight.meter.relay import (
    ClientFrames,
    ClientOutput,
    ServerFrames,
    drain_log,
    pump_client,
    pump_server,
)
from pytest_searchlight.meter.server_process import ServerProcess, describe_exit, widen_pipe
from pytest_searchlight.meter.spec import complain

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable

    from pytest_searchlight.meter.spec import Spec
    from pytest_searchlight.meter.spool import SessionFiles
else:
    import _signal as signal  # the C module below `signal`: the enums that `signal` adds cost 2 ms

STDIN, STDOUT = 0, 1
EXIT_SERVER = 1
FIRST_REQUEST_TIMEOUT_S = 10.0
DRAIN_TIMEOUT_S = 1.0
ANSWER_TIMEOUT_S = 10.0
RECORDER_TIMEOUT_S = 2.0
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

CLIENT_CLOSED = b"c"
CLIENT_LEFT = b"l"
SERVER_CLOSED = b"s"
SERVER_ENDED = bytes([signal.SIGCHLD])
STOPPED = tuple(bytes([signum]) for signum in STOP_SIGNALS)


class Events:
    """What happens to the session, as bytes in a pipe: pumps and signals write, the main thread reads."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._poll = select.poll()
        self._poll.register(self._reader, select.POLLIN)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for signum in (*STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(signum, lambda *_: None)  # what counts is the byte that the line above has written

    def post(self, event: bytes) -> None:
        """Says that `event` has happened; may be called from any thread."""
        os.write(self._writer, event)

    def wait(self, timeout_s: float | None = None) -> bytes | None:
        """The next event; None when there is none within `timeout_s`."""
        ready = dict(self._poll.poll(None if timeout_s is None else timeout_s * 1000))
        if STDIN in ready:
            self._poll.unregister(STDIN)
            return CLIENT_LEFT
        return os.read(self._reader, 1) if ready else None

    def watch_client(self) -> None:
        """Makes `CLIENT_LEFT` an event: the client has closed its end, whoever still reads from it or not."""
        self._poll.register(STDIN, 0)  # a hang-up is told in any case


class ClientSide:
    """What every session has, whatever the server is: the client, the record, the requests.

    Args:
        spec: what was asked for.
        files: where the session is recorded.
    """

    def __init__(self, spec: Spec, *, files: SessionFiles) -> None:
        self.events = Events()
        self.stderr = CappedLog(files.stderr, secrets=spec.secrets)
        self.noise = CappedLog(files.noise, secrets=spec.secrets)
        self.recorder = Recorder(files, logs=(self.stderr, self.noise))
        self.output = ClientOutput(
            STDOUT, recorder=self.recorder, on_gone=lambda: self.events.post(CLIENT_CLOSED)
        )
        self.requests = PendingRequests(self.output)
        self.budget = CallBudget(spec.max_tool_calls, tickets_path=files.tickets)
        self.pace = Pace(spec.pace_file, calls_per_s=spec.calls_per_s)
        self.frames = ClientFrames(
            requests=self.requests,
            budget=self.budget,
            pace=self.pace,
            output=self.output,
            recorder=self.recorder,
        )
        for descriptor in (STDIN, STDOUT):
            os.set_blocking(descriptor, True)
            widen_pipe(descriptor)

    def listen(self, target: int | None) -> None:
        """Carries the client's frames to `target` until the client has closed.

        Raises:
            BrokenPipeError: the server reads no more.
        """
        pump_client(STDIN, target, frames=self.frames, recorder=self.recorder)

    def close(self, code: int) -> None:
        """Writes the end of the record."""
        self.recorder.note_event("ended", code=code)
        self.recorder.close(timeout_s=RECORDER_TIMEOUT_S)


def run_stdio_session(spec: Spec, *, files: SessionFiles, server: ServerProcess) -> int:
    """Carries traffic until one end closes or a signal comes; returns the meter's exit code."""
    client = ClientSide(spec, files=files)
    code = StdioSession(client, server=server, stop_grace_s=spec.stop_grace_s).run()
    client.close(code)
    return code


def run_without_server(spec: Spec, *, files: SessionFiles, reason: str) -> int:
    """Tells the client, with its first request, why there is no server; returns the meter's exit code."""
    client = ClientSide(spec, files=files)
    code = refuse_all(client, reason=reason)
    client.close(code)
    return code


def refuse_all(client: ClientSide, *, reason: str) -> int:
    """There is no server: the client is told why with its first request, and the meter ends."""

    def listen() -> None:
        client.listen(None)
        client.events.post(CLIENT_CLOSED)

    client.recorder.note_event("server_not_started", reason=reason)
    client.requests.close(reason, then=lambda: client.events.post(SERVER_CLOSED))
    start_thread(listen)
    client.events.wait(FIRST_REQUEST_TIMEOUT_S)
    return fail(reason)


class StdioSession:
    """A session with a server that runs as a child process."""

    def __init__(self, client: ClientSide, *, server: ServerProcess, stop_grace_s: float) -> None:
        self._client = client
        self._server = server
        self._stop_grace_s = stop_grace_s
        self._frames = ServerFrames(requests=client.requests, recorder=client.recorder, noise=client.noise)

    def run(self) -> int:
        """Carries traffic until one end closes or a signal comes; returns the meter's exit code."""
        self._client.events.watch_client()
        self._server_pump = start_thread(self._carry_server)
        self._stderr_pump = start_thread(lambda: drain_log(self._server.stderr, self._client.stderr))
        start_thread(self._carry_client)
        event = self._wait_for_end()
        if event == SERVER_CLOSED:
            return self._mourn_server()
        self._client.recorder.note_event("stopping")
        self._end_server(unasked=False)
        return 0 if event == CLIENT_CLOSED else 128 + event[0]

    def _carry_server(self) -> None:
        client = self._client
        pump_server(self._server.stdout, client.output, frames=self._frames)
        client.events.post(SERVER_CLOSED)

    def _carry_client(self) -> None:
        try:
            self._client.listen(self._server.stdin)
        except OSError:
            self._client.events.post(SERVER_CLOSED)
            self._client.listen(None)
        self._client.events.post(CLIENT_CLOSED)  # first, or the server's end might seem to come unasked
        self._server.close_input()

    def _wait_for_end(self) -> bytes:
        patience_s = None
        if self._server.has_ended():  # before anybody listened to signals
            self._client.events.post(SERVER_ENDED)
        while True:
            event = self._client.events.wait(patience_s)
            if event is None:
                return CLIENT_CLOSED  # it has left, and the server does not take its last words
            if event == CLIENT_LEFT:
                patience_s = self._stop_grace_s
            elif event != SERVER_ENDED:
                return event
            elif self._server.has_ended():
                self._server_pump.join(self._stop_grace_s)  # something it started may still hold its stdout
                return SERVER_CLOSED

    def _mourn_server(self) -> int:
        """The server went first: whoever waits for it is told, and so is whoever reads the exit code."""
        reason = f"server closed: {describe_exit(self._end_server(unasked=True))}"
        start_thread(lambda: self._answer_all(reason)).join(ANSWER_TIMEOUT_S)
        return fail(reason)

    def _answer_all(self, reason: str) -> None:
        self._client.output.end_frame()
        self._client.requests.close(reason)

    def _end_server(self, *, unasked: bool) -> int:
        steps: tuple[Callable[[], None], ...] = (
            self._server.close_input,
            lambda: self._server.signal(signal.SIGTERM),
            lambda: self._server.signal(signal.SIGKILL),
        )
        for step in steps:
            step()
            if self._wait_until_ended(self._stop_grace_s):
                break
        code = self._server.reap()
        self._server_pump.join(DRAIN_TIMEOUT_S)
        self._stderr_pump.join(DRAIN_TIMEOUT_S)
        self._client.recorder.note_event("server_exit", code=code, unasked=unasked)
        return code

    def _wait_until_ended(self, patience_s: float) -> bool:
        """Waits for the server's end; a signal to the meter means that patience is over."""
        deadline = time.monotonic() + patience_s
        while not self._server.has_ended():
            event = self._client.events.wait(max(deadline - time.monotonic(), 0.0))
            if event is None or event in STOPPED:
                return self._server.has_ended()
        return True


def start_thread(work: Callable[[], None]) -> threading.Thread:
    """Starts a thread that does not keep the process alive."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def fail(reason: str) -> int:
    """Says on stderr why the meter ends, and returns the exit code for it."""
    complain(reason)
    return EXIT_SERVER
