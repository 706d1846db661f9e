"""Which requests of the client await an answer, and how many tool calls may still be made."""

from __future__ import annotations

import os
import threading

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_searchlight.meter.frames import Message
    from pytest_searchlight.meter.relay import ClientOutput

SERVER_CLOSED = -32000


class PendingRequests:
    """The client's requests that await an answer."""

    def __init__(self, output: ClientOutput) -> None:
        self._output = output
        self._lock = threading.Lock()
        self._waiting: dict[str, object] = {}
        self._closed_because: str | None = None
        self._then: Callable[[], None] = lambda: None

    def add(self, message: Message) -> bool:
        """Takes note of a request; False when the server is gone, and the answer has been given."""
        with self._lock:
            if self._closed_because is None:
                if message.is_request:
                    self._waiting[message.key] = message.id
                return True
        if message.is_request:
            self._answer(message.id)
        return False

    def remove(self, message: Message) -> None:
        """Takes note that a request has its answer."""
        self._waiting.pop(message.key, None)

    def close(self, reason: str, *, then: Callable[[], None] = lambda: None) -> None:
        """Answers all that wait with an error, and all that are still to come; after each calls `then`."""
        with self._lock:
            self._then = then
            self._closed_because = reason
            waiting, self._waiting = tuple(self._waiting.values()), {}
        for request_id in waiting:
            self._answer(request_id)

    def _answer(self, request_id: object) -> None:
        self._output.answer(request_id, error={"code": SERVER_CLOSED, "message": self._closed_because})
        self._then()


class CallBudget:
    """How many tool calls may still go to the server.

    Every call draws a ticket: a byte appended to a file that all sessions of a run share, so that an agent
    which restarts its server does not get a fresh budget with it.

    Args:
        limit: number of calls, None for no limit.
        tickets_path: the shared file.
    """

    def __init__(self, limit: int | None, *, tickets_path: str) -> None:
        self.limit = limit
        self._drawn = 0
        if limit is not None:
            self._tickets = os.open(tickets_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def draw(self) -> bool:
        """Takes a ticket; False when none is left."""
        if self.limit is None:
            return True
        self._drawn += 1
        try:
            os.write(self._tickets, b".")
            drawn = os.lseek(self._tickets, 0, os.SEEK_CUR)
        except OSError:  # a full disk; this session's own count is what remains
            drawn = 0
        return max(drawn, self._drawn) <= self.limit
