"""One life of the meter: which end closes first, and what follows."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time

from pytest_searchlight.meter.capped_log import CappedLog
from pytest_searchlight.meter.relay import (
    CallBudget,
    ClientFrames,
    ClientOutput,
    Requests,
    ServerFrames,
    answer_client,
    drain_log,
    pump_client,
    pump_server,
    widen_pipe,
)
from pytest_searchlight.meter.server_process import Guard, ServerProcess, describe_exit
from pytest_searchlight.meter.spec import Spec, SpecError, read_spec
from pytest_searchlight.meter.spool import Recorder, SessionFiles

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

FORMAT_VERSION = 1
EXIT_SERVER = 1
EXIT_SPEC = 2
USAGE = "usage: python -I -S <path of the meter> --spec <absolute path of a JSON file>"
FIRST_REQUEST_TIMEOUT_S = 10.0
KILL_TIMEOUT_S = 5.0
DRAIN_TIMEOUT_S = 1.0
ANSWER_TIMEOUT_S = 10.0
RECORDER_TIMEOUT_S = 2.0
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

CLIENT_CLOSED = b"c"
SERVER_CLOSED = b"s"
SERVER_ENDED = bytes([signal.SIGCHLD])
STOPPED = tuple(bytes([signum]) for signum in STOP_SIGNALS)


class Events:
    """What happens to the session, as bytes in a pipe: pumps and signal handlers write, one thread reads."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        for signum in (*STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(
                signum, lambda *_: None
            )  # even if inherited as ignored; the byte below is what counts
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)

    def post(self, event: bytes) -> None:
        """Says that `event` happened; may be called from any thread."""
        os.write(self._writer, event)

    def wait(self, timeout_s: float | None = None) -> bytes | None:
        """The next event, or None when there is none within `timeout_s`."""
        ready, _, _ = select.select([self._reader], [], [], timeout_s)
        return os.read(self._reader, 1) if ready else None


class StdioSession:
    """A session with a server that runs as a child process.

    Args:
        spec: what was asked for.
        guard: ends the server if the meter is killed.
        recorder: takes note of everything.
        stderr: what the server writes there.
        noise: what the server writes to stdout that is no message.
        tickets_path: where tool calls are counted against the budget.
    """

    def __init__(
        self,
        spec: Spec,
        *,
        guard: Guard,
        recorder: Recorder,
        stderr: CappedLog,
        noise: CappedLog,
        tickets_path: str,
    ) -> None:
        self._spec = spec
        self._guard = guard
        self._recorder = recorder
        self._stderr = stderr
        self._events = Events()
        self._output = ClientOutput(1, recorder=recorder)
        self._requests = Requests(self._output)
        self._client_frames = ClientFrames(
            requests=self._requests,
            budget=CallBudget(spec.max_tool_calls, tickets_path=tickets_path),
            output=self._output,
            recorder=recorder,
        )
        self._server_frames = ServerFrames(requests=self._requests, recorder=recorder, noise=noise)

    def run(self) -> int:
        """Carries traffic until one end closes or a signal comes; returns the meter's exit code."""
        try:
            self._server = ServerProcess(self._spec)
        except OSError as error:
            return self._refuse_all(f"server not started: {error.filename}: {error.strerror}")
        self._guard.watch(self._server.pid)
        self._recorder.note_event("server_spawned", pid=self._server.pid)
        self._server_pump = start_thread(self._carry_server)
        start_thread(self._carry_client)
        start_thread(lambda: drain_log(self._server.stderr, self._stderr))
        event = self._wait_for_end()
        if event == SERVER_CLOSED:
            return self._mourn_server()
        self._end_server("asked")
        return 0 if event == CLIENT_CLOSED else 128 + event[0]

    def _carry_server(self) -> None:
        try:
            pump_server(self._server.stdout, self._output, frames=self._server_frames)
        except OSError:
            self._events.post(CLIENT_CLOSED)
        else:
            self._events.post(SERVER_CLOSED)

    def _carry_client(self) -> None:
        try:
            pump_client(0, self._server.stdin, frames=self._client_frames, recorder=self._recorder)
        except OSError:
            self._events.post(SERVER_CLOSED)
            answer_client(0, frames=self._client_frames, recorder=self._recorder)
        self._server.close_input()
        self._events.post(CLIENT_CLOSED)

    def _wait_for_end(self) -> bytes:
        while True:
            event = self._events.wait()
            if event == SERVER_ENDED and self._server.has_ended():
                self._server_pump.join(self._spec.stop_grace_s)
                return SERVER_CLOSED
            if event and event != SERVER_ENDED:
                return event

    def _mourn_server(self) -> int:
        """The server went first: whoever waits for it is told, and so is whoever reads the exit code."""
        code = self._end_server("unasked")
        reason = f"server closed: {describe_exit(code)}"
        self._answer_all(reason)
        return fail(reason)

    def _end_server(self, manner: str) -> int:
        steps: tuple[Callable[[], None], ...] = (
            self._server.close_input,
            lambda: self._server.signal(signal.SIGTERM),
            lambda: self._server.signal(signal.SIGKILL),
        )
        for step in steps:
            step()
            if self._wait_until_ended(self._spec.stop_grace_s):
                break
        code = self._server.reap()
        self._server_pump.join(DRAIN_TIMEOUT_S)
        self._recorder.note_event("server_exit", code=code, manner=manner)
        return code

    def _wait_until_ended(self, patience_s: float) -> bool:
        """Waits for the server's end; a signal to the meter means that patience is over."""
        deadline = time.monotonic() + patience_s
        while not self._server.has_ended():
            event = self._events.wait(max(deadline - time.monotonic(), 0.0))
            if event is None or event in STOPPED:
                return self._server.has_ended()
        return True

    def _refuse_all(self, reason: str) -> int:
        """There is no server: the client's first request is answered with the reason."""
        self._recorder.note_event("server_not_started", reason=reason)
        self._requests.close(reason)
        start_thread(self._answer_client)
        self._events.wait(FIRST_REQUEST_TIMEOUT_S)
        return fail(reason)

    def _answer_client(self) -> None:
        answer_client(0, frames=self._client_frames, recorder=self._recorder)
        self._events.post(CLIENT_CLOSED)

    def _answer_all(self, reason: str) -> None:
        self._output.end_frame()
        thread = start_thread(lambda: self._requests.close(reason))
        thread.join(ANSWER_TIMEOUT_S)


def start_thread(work: Callable[[], None]) -> threading.Thread:
    """Starts a thread that does not keep the process alive."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def fail(reason: str) -> int:
    """Says on stderr why the meter ends, and returns the exit code for it."""
    sys.stderr.write(f"searchlight meter: {reason}\n")
    return EXIT_SERVER


def main(arguments: list[str]) -> NoReturn:
    """Runs the meter and ends the process without waiting for threads that sit in a read."""
    try:
        code = run(read_arguments(arguments))
    except SpecError as error:
        sys.stderr.write(f"searchlight meter: {error}\n")
        code = EXIT_SPEC
    sys.stderr.flush()
    os._exit(code)


def read_arguments(arguments: list[str]) -> Spec:
    """The spec that the command line names.

    Raises:
        SpecError: the command line or the spec is wrong.
    """
    if len(arguments) != 2 or arguments[0] != "--spec":
        raise SpecError(USAGE)
    return read_spec(arguments[1])


def run(spec: Spec) -> int:
    """One session, from its first record to its last; returns the exit code."""
    guard = Guard(stop_grace_s=spec.stop_grace_s)
    files = SessionFiles(spec.spool)
    stderr = CappedLog(files.stderr, secrets=spec.secrets)
    noise = CappedLog(files.noise, secrets=spec.secrets)
    recorder = Recorder(files.descriptor, intact_path=files.intact, logs=(stderr, noise))
    recorder.note_event("started", format=FORMAT_VERSION, pid=os.getpid(), unix_s=time.time())
    recorder.start()
    session = StdioSession(
        spec, guard=guard, recorder=recorder, stderr=stderr, noise=noise, tickets_path=files.tickets
    )
    code = session.run()
    guard.dismiss()
    recorder.note_event("ended", code=code)
    recorder.close(timeout_s=RECORDER_TIMEOUT_S)
    return code
