"""HTTP exchanges with a hosted server: connections, and what counts as a failure.

No exchange is repeated: a tool call that may have reached the provider may have been billed. Redirects
are not followed: they would carry the key to another place.
"""

from __future__ import annotations

import email.utils
import http.client
import math
import select
import ssl
import threading
import time
import zlib
from urllib.parse import SplitResult, urlsplit

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

    from pytest_searchlight.meter.spec import Spec

CONNECT_TIMEOUT_S = 30.0
SILENCE_TIMEOUT_S = 600.0
EXCERPT_BYTES = 400
CHUNK_BYTES = 256 * 1024
FIND_HEADER = 32
"""What tells zlib to find out by itself whether the header is gzip's or its own."""


class ExchangeError(Exception):
    """The server gave no answer that the client could use.

    Attributes:
        status: the HTTP status, None when there was none.
        retry_after_s: how long the server asked to wait, in seconds.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class Answer:
    """An answer of status 2xx that has begun to arrive; to be used in a ``with`` block.

    Attributes:
        session_id: the MCP session that the server assigned, if it did.
        is_event_stream: whether the body is a stream of events rather than one document.
    """

    def __init__(self, server: HostedServer, connection: http.client.HTTPConnection) -> None:
        self._server = server
        self._connection = connection
        self._response = connection.getresponse()
        self.status = self._response.status
        self.headers = self._response.headers
        self.session_id = self.headers.get("Mcp-Session-Id")
        self.is_event_stream = self.headers.get_content_type() == "text/event-stream"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._response.isclosed() and not self._response.will_close:
            self._server.keep(self._connection)
        else:
            self._connection.close()

    def read_chunks(self) -> Iterator[bytes]:
        """The body as it arrives, decompressed.

        Raises:
            ExchangeError: it breaks off, is encoded otherwise than it says or than can be read, or nothing
                arrives for `SILENCE_TIMEOUT_S`.
        """
        decode = find_decoder(self.headers.get("Content-Encoding", ""))
        try:
            while chunk := self._response.read1(CHUNK_BYTES):
                yield decode(chunk)
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise ExchangeError(f"the server's answer broke off: {describe_error(error)}") from error
        if self._response.length:
            raise ExchangeError(f"the server's answer broke off {self._response.length} bytes before its end")

    def read_redirect(self) -> bytes:
        """Where the server would send us, in words; empty when nowhere."""
        location = self.headers.get("Location")
        return f"redirects are not followed; this one is to {location}".encode() if location else b""

    def read_beginning(self) -> bytes:
        """The beginning of the body, as far as it comes."""
        try:
            return next(self.read_chunks(), b"")
        except ExchangeError:
            return b""


class HostedServer:
    """The server behind a URL. Threads may share it: each exchange has a connection of its own.

    Raises:
        ExchangeError: the URL or the certificates cannot be used.
    """

    def __init__(self, spec: Spec) -> None:
        parts = urlsplit(spec.url or "")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ExchangeError(f"'url' must be an http or https address, not {spec.url!r}")
        self._host, self._port = parts.hostname, _read_port(parts)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._headers = spec.headers
        self._secrets = spec.secrets
        self._tls = _load_certificates(spec.ca_file) if parts.scheme == "https" else None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def exchange(self, method: str, *, headers: dict[str, str], body: bytes | None = None) -> Answer:
        """Sends a request, once, and returns its answer as soon as that begins.

        Raises:
            ExchangeError: there is no answer, or its status is not 2xx.
        """
        connection = self._take_connection()
        try:
            connection.request(method, self._path, body=body, headers={**self._headers, **headers})
            if connection.sock is not None:
                connection.sock.settimeout(SILENCE_TIMEOUT_S)
            answer = Answer(self, connection)
        except (OSError, ValueError, http.client.HTTPException) as error:
            connection.close()
            raise ExchangeError(f"{self._host} gave no answer: {describe_error(error)}") from error
        if not 200 <= answer.status < 300:
            excerpt = self.excerpt(answer.read_redirect() or answer.read_beginning())
            connection.close()
            raise _make_status_error(answer, excerpt)
        return answer

    def keep(self, connection: http.client.HTTPConnection) -> None:
        """Keeps a connection whose answer has been read, for the next exchange."""
        with self._lock:
            self._idle.append(connection)

    def excerpt(self, body: bytes) -> str:
        """The beginning of `body` as text in one line, without the secrets that a server may repeat."""
        for secret in self._secrets:
            body = body.replace(secret, b"[REDACTED]")
        return " ".join(body[:EXCERPT_BYTES].decode("utf-8", "replace").split())

    def _take_connection(self) -> http.client.HTTPConnection:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if not select.select([connection.sock], [], [], 0)[0]:
                    return connection
                connection.close()  # the server has closed it meanwhile
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=CONNECT_TIMEOUT_S)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=CONNECT_TIMEOUT_S, context=self._tls
        )


def find_decoder(encoding: str) -> Callable[[bytes], bytes]:
    """What decompresses a body, piece by piece. None is asked to compress; some servers do all the same.

    Raises:
        ExchangeError: nothing here does.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return bytes
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | FIND_HEADER).decompress
    raise ExchangeError(f"the server's answer is encoded as {name!r}, which was not asked for")


def describe_error(error: Exception) -> str:
    """What went wrong, in words that do not depend on who reports it."""
    if isinstance(error, TimeoutError):
        return "no sign of life in time"
    if isinstance(error, ValueError) and not isinstance(error, OSError):  # its text may hold the key
        return "a header has a value that HTTP does not allow"
    return str(error) or type(error).__name__


def parse_retry_after(value: str | None) -> float | None:
    """Seconds to wait, from a header that holds seconds or a date; None when it holds neither."""
    if value is None:
        return None
    try:
        wait_s = float(value)
    except ValueError:
        wait_s = _count_seconds_until(value)
    return wait_s if 0 <= wait_s < math.inf else None


def _count_seconds_until(date: str) -> float:
    try:
        return max(email.utils.parsedate_to_datetime(date).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return math.nan


def _read_port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        raise ExchangeError(f"'url' has an impossible port: {parts.netloc!r}") from error


def _load_certificates(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise ExchangeError(f"'ca_file' {ca_file!r} cannot be used: {error}") from error


def _make_status_error(answer: Answer, excerpt: str) -> ExchangeError:
    retry_after_s = parse_retry_after(answer.headers.get("Retry-After"))
    wait = "" if retry_after_s is None else f" (retry after {retry_after_s:.0f} s)"
    reason = http.client.responses.get(answer.status, "")
    message = f"HTTP {answer.status} {reason}{wait}: {excerpt}".rstrip(": ")
    return ExchangeError(message, status=answer.status, retry_after_s=retry_after_s)
