"""Captures of a session, each made once and kept by content, whoever asks first.

A store is a folder: ``<hash of the address>.json`` is the record of an address, and
``texts/<hash of the text>.txt`` a text, once however many addresses have it. Several processes may share it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import encode_json, write_atomic
from pytest_searchlight.sources.addresses import canonical_source_url
from pytest_searchlight.sources.records import CapturedSource, hash_text

_AT_ONCE: Final = 8

Capture = Callable[[str], CapturedSource]
"""Captures one address; `capture` or `capture_closed` with everything but the address settled."""


@dataclass(frozen=True)
class SourceStore:
    """The captured sources in a folder of the session's."""

    folder: Path

    def read(self, url: str) -> CapturedSource | None:
        """What is kept of `url`, or None. Raises EvidenceError when it was altered."""
        path = self._locate(url)
        if not path.is_file():
            return None
        record = json.loads(path.read_bytes())
        text = self._read_text(record["text_sha256"])
        return CapturedSource.model_validate({**record, "url": url, "text": text})

    def obtain(self, url: str, *, capture: Capture) -> CapturedSource:
        """What is kept of `url`; captured now when nothing is. Others who want it wait for us."""
        with self._locking(self._locate(url).stem):
            known = self.read(url)
            return self._keep(capture(url)) if known is None else known

    def obtain_all(self, urls: Iterable[str], *, capture: Capture) -> dict[str, CapturedSource]:
        """Each of `urls` as `obtain` gives it, several at once; in order, by the address as cited."""
        from concurrent.futures import ThreadPoolExecutor  # every session's start would pay for it

        wanted = list(dict.fromkeys(urls))
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = pool.map(lambda url: self.obtain(url, capture=capture), wanted)
            return dict(zip(wanted, found, strict=True))

    def _keep(self, source: CapturedSource) -> CapturedSource:
        text_file = self._locate_text(source.text_sha256)
        with self._locking(source.text_sha256):
            if not text_file.exists():
                write_atomic(text_file, source.text.encode("utf-8", "surrogatepass"))
        # Written last: a record without its text would be a hole, a text without a record is only litter.
        write_atomic(self._locate(source.url), encode_json(source.model_dump(mode="json", exclude={"text"})))
        return source

    def _read_text(self, text_sha256: str) -> str:
        path = self._locate_text(text_sha256)
        text = path.read_bytes().decode("utf-8", "surrogatepass")
        if hash_text(text) != text_sha256:
            raise EvidenceError(f"{path}: differs from the hash that is its name; the source was altered")
        return text

    @contextmanager
    def _locking(self, name: str) -> Iterator[None]:
        for folder in ("locks", "texts"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        with (self.folder / "locks" / name).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _locate(self, url: str) -> Path:
        canonical = canonical_source_url(url).encode("utf-8", "backslashreplace")
        return self.folder / f"{hashlib.sha256(canonical).hexdigest()}.json"

    def _locate_text(self, text_sha256: str) -> Path:
        return self.folder / "texts" / f"{text_sha256}.txt"
