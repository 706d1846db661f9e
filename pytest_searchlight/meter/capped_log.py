"""A log of bounded size that keeps its head and its tail, with secrets taken out on the way."""

from __future__ import annotations

import os
import threading

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 64 * 1024
REDACTED = b"[REDACTED]"


class CappedLog:
    """Collects bytes in memory and writes them out when asked.

    Collecting never touches the disk, so that whoever drains a pipe into the log is never held up by it.

    Args:
        path: file to write; it appears with the first bytes.
        secrets: byte strings to replace, longest first.
    """

    def __init__(self, path: str, *, secrets: list[bytes]) -> None:
        self._path = path
        self._secrets = secrets
        self._lock = threading.Lock()
        # A secret may be cut by two reads: this many bytes wait for the next one.
        self._overlap = max((len(secret) for secret in secrets), default=1) - 1
        self._waiting = b""
        self._head = b""
        self._tail = b""
        self._omitted_bytes = 0
        self._dirty = False

    def append(self, data: bytes) -> None:
        """Adds `data`; beyond the caps the middle of the log is forgotten and only counted."""
        with self._lock:
            text = self._redact(self._waiting + data)
            cut = len(text) - self._overlap
            self._waiting = text[max(cut, 0) :]
            self._keep(text[: max(cut, 0)])
            self._dirty = True

    def flush(self) -> None:
        """Writes the log to its file when something was added since the last time.

        Raises:
            OSError: the file cannot be written.
        """
        if not self._dirty:
            return
        with self._lock:
            self._dirty = False
            content = self._render()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.pwrite(descriptor, content, 0)
            os.ftruncate(descriptor, len(content))
        finally:
            os.close(descriptor)

    def _redact(self, text: bytes) -> bytes:
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        return text

    def _keep(self, text: bytes) -> None:
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += text[:room]
            text = text[room:]
        self._omitted_bytes += max(len(self._tail) + len(text) - TAIL_BYTES, 0)
        self._tail = (self._tail + text[-TAIL_BYTES:])[-TAIL_BYTES:]

    def _render(self) -> bytes:
        mark = b"\n[... %d bytes omitted ...]\n" % self._omitted_bytes if self._omitted_bytes else b""
        return self._head + mark + self._tail + self._waiting
