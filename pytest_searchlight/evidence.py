"""The evidence bundle: the folder a run leaves behind, sealed in one step and never changed afterwards.

A session folder holds

    session.json, plan.jsonl          what was asked for, and the runs that were planned
    runs/<run id>/                    one sealed bundle a run
    attempts/<run id>.<n>/            earlier attempts, and what an interrupted run left
    runs.jsonl, summary.json          written from the bundles, at any time, identically

A bundle is built in a folder whose name starts with a dot and renamed when it is complete. Its
``run.json`` is written last and synced to disk; it holds the hash of every other file, so a torn or
altered bundle is recognised.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import glob
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from pytest_searchlight.errors import DiskError, EvidenceError

SEAL: Final = "run.json"
_SHORTEST_SECRET: Final = 8
_REDACTED: Final = b"[REDACTED]"


@dataclass(frozen=True)
class SessionFolder:
    """The paths of a session; nothing is created until `create`."""

    root: Path

    @cached_property
    def session_file(self) -> Path:
        """Facts of the session: versions, seed, options, catalog hashes."""
        return self.root / "session.json"

    @cached_property
    def plan_file(self) -> Path:
        """The runs that were selected, written at the end of collection."""
        return self.root / "plan.jsonl"

    @cached_property
    def ledger_file(self) -> Path:
        """What workers share while the session runs; not evidence."""
        return self.root / "ledger.sqlite"

    @cached_property
    def runs(self) -> Path:
        """Sealed bundles, a folder a run."""
        return self.root / "runs"

    @cached_property
    def attempts(self) -> Path:
        """Bundles of earlier attempts."""
        return self.root / "attempts"

    def create(self) -> None:
        """Make the folders. Raises DiskError when the disk refuses."""
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
            self.attempts.mkdir(exist_ok=True)
        except OSError as error:
            raise DiskError(
                f"{self.root}: cannot create the session folder ({error.strerror}); "
                "choose another with --searchlight-output"
            ) from error

    def list_names(self) -> list[str]:
        """Run ids of the settled runs, sorted, whether or not their bundles are whole."""
        if not self.runs.is_dir():
            return []
        with os.scandir(self.runs) as entries:
            return sorted(entry.name for entry in entries if not entry.name.startswith("."))

    def find_bundles(self) -> Iterator[Path]:
        """Sealed bundles in order of their run ids."""
        for name in self.list_names():
            if (self.runs / name / SEAL).is_file():
                yield self.runs / name

    def find_partial(self, run_id: str) -> Path | None:
        """The unsealed folder that an interrupted attempt at `run_id` left behind."""
        return next(self.runs.glob(f".{glob.escape(run_id)}.*.partial"), None)

    def set_aside_partials(self) -> None:
        """Move what interrupted attempts left to `attempts`, so that their runs can be made again."""
        for folder in sorted(self.runs.glob(".*.partial")):
            folder.rename(self.attempts / f"{folder.name.strip('.')}.{time.time_ns()}")

    def set_aside(self, run_id: str) -> None:
        """Move the bundle of a run that is planned no more to `attempts`; several processes may try."""
        with contextlib.suppress(FileNotFoundError):
            (self.runs / run_id).rename(self.attempts / f"{run_id}.{time.time_ns()}")


@dataclass(frozen=True)
class OpenBundle:
    """A bundle being filled. Agents and the metering proxy write straight into it."""

    folder: Path

    @cached_property
    def agent_folder(self) -> Path:
        """Raw output of the agent product."""
        return self.folder / "agent"

    @cached_property
    def wire_folder(self) -> Path:
        """What the metering proxy saved."""
        return self.folder / "wire"

    @cached_property
    def judge_folder(self) -> Path:
        """Raw output of a judge."""
        return self.folder / "judge"


@dataclass(frozen=True)
class SealedBundle:
    """A bundle read back: its folder and the content of its seal."""

    folder: Path
    head: dict[str, Any]

    def read_text(self, name: str) -> str:
        """Text of one file, or an empty string when the bundle has none of that name."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def read_json_lines(self, name: str) -> tuple[dict[str, Any], ...]:
        """Objects of a JSON-lines file, in order."""
        return tuple(json.loads(line) for line in self.read_text(name).split("\n") if line)

    def verify(self) -> None:
        """Raise EvidenceError when a file is missing or differs from its hash in the seal."""
        for name, expected in self.head["files"].items():
            path = self.folder / name
            if not path.is_file():
                raise EvidenceError(f"{path}: missing, although the seal lists it; run this one again")
            if _hash_file(path) != expected:
                raise EvidenceError(
                    f"{path}: differs from its hash in {SEAL}; the evidence was altered; "
                    "move this run's folder away, and --searchlight-resume makes the run again"
                )


def open_bundle(session: SessionFolder, run_id: str) -> OpenBundle:
    """Start a bundle for one attempt. Raises DiskError when the disk refuses."""
    folder = session.runs / f".{run_id}.{os.getpid()}.partial"
    try:
        _make_anew(folder)
    except OSError as error:
        raise _explain_refusal(folder, error) from error
    return OpenBundle(folder)


def _make_anew(folder: Path) -> None:
    try:
        folder.mkdir()
    except FileExistsError:
        shutil.rmtree(folder)
        folder.mkdir()


def seal_bundle(  # noqa: PLR0913 - each says another thing about the bundle
    bundle: OpenBundle,
    *,
    destination: Path,
    head: Mapping[str, object],
    files: Mapping[str, str],
    scrub: Scrubber,
    sync: bool = True,
) -> Path:
    """Write `files` and the seal into the bundle and move it to `destination` in one step.

    Args:
        bundle: the open bundle; raw files already in it are scrubbed and hashed too.
        destination: final folder; an older bundle there is replaced.
        head: content of the seal; a ``files`` entry with every file's SHA-256 is added.
        files: text by file name.
        scrub: removes secrets from everything that is written.
        sync: whether to wait until the seal is on the disk.

    Raises:
        DiskError: the disk refused; the open bundle is left as it is.
    """
    try:
        hashes = dict(_scrub_raw_files(bundle.folder, scrub))
        for name, text in files.items():
            data = scrub(encode_text(text))
            _write_file(f"{bundle.folder}/{name}", data, sync=False)
            hashes[name] = hashlib.sha256(data).hexdigest()
        seal = encode_text(encode_json_line({**head, "files": hashes}))
        _write_file(f"{bundle.folder}/{SEAL}", scrub(seal), sync=sync)
        _move(bundle.folder, destination)
    except OSError as error:
        raise _explain_refusal(bundle.folder, error) from error
    return destination


def _move(folder: Path, destination: Path) -> None:
    try:
        folder.rename(destination)
    except OSError as error:
        if error.errno not in {errno.EEXIST, errno.ENOTEMPTY}:
            raise
        shutil.rmtree(destination)
        folder.rename(destination)


def read_bundle(folder: Path) -> SealedBundle:
    """Read a bundle's seal. Raises EvidenceError when it is missing or not JSON."""
    try:
        return SealedBundle(folder, json.loads((folder / SEAL).read_bytes()))
    except (OSError, ValueError) as error:
        raise EvidenceError(
            f"{folder / SEAL}: not a readable seal ({error}); move this run's folder "
            "away, and --searchlight-resume makes the run again"
        ) from error


def write_atomic(path: Path, *chunks: bytes, more: Iterable[bytes] = ()) -> None:
    """Replace a file in one step: a temporary name in the same folder, synced, renamed.

    Args:
        path: the file.
        chunks: its content.
        more: further content that need not be in memory all at once.

    Raises:
        DiskError: the disk refused; the old file is untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _write_file(str(temporary), *chunks, more=more, sync=True)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _explain_refusal(path, error) from error


def encode_text(text: str) -> bytes:
    """UTF-8; what UTF-8 cannot hold (lone surrogates) stays visible as a backslash escape."""
    return text.encode("utf-8", "backslashreplace")


def encode_json(value: object) -> bytes:
    """JSON in UTF-8, indented for people, with a final newline; as strict as `encode_json_line`."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


_LINES: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def encode_json_line(value: object) -> str:
    """JSON on one line, with its newline, which every strict reader takes.

    NaN and infinities are refused; lone surrogates, which agents' tools do emit, turn into ``?``.
    """
    text = _LINES.encode(value)
    return (text if text.isascii() else text.encode("utf-8", "replace").decode()) + "\n"


def encode_json_lines(values: Iterable[object]) -> str:
    """JSON lines, one value a line."""
    return "".join(map(encode_json_line, values))


class Scrubber:
    """Replaces secrets, also where they stand percent-encoded, base64-encoded or escaped for JSON."""

    def __init__(self, secrets: Iterable[str]) -> None:
        variants = {
            form.encode()
            for secret in secrets
            if len(secret) >= _SHORTEST_SECRET
            for form in _spell_variants(secret)
        }
        longest_first = sorted(variants, key=lambda form: (-len(form), form))
        self._pattern = re.compile(b"|".join(map(re.escape, longest_first))) if longest_first else None

    def __call__(self, data: bytes) -> bytes:
        """`data` without the secrets."""
        return data if self._pattern is None else self._pattern.sub(_REDACTED, data)

    def scrub_value(self, value: Any) -> Any:  # noqa: ANN401 - whatever a record dumps
        """`value` with every string in it scrubbed."""
        if isinstance(value, str):
            return self(value.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        if isinstance(value, Mapping):
            return {self.scrub_value(key): self.scrub_value(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.scrub_value(each) for each in value]
        return value

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to look for."""
        return self._pattern is None


def _spell_variants(secret: str) -> set[str]:
    basic = base64.b64encode(secret.encode()).decode().rstrip("=")
    return {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], basic}


def _scrub_raw_files(folder: Path, scrub: Scrubber) -> Iterator[tuple[str, str]]:
    for path in map(Path, sorted(_list_files(str(folder)))):
        if not scrub.is_idle:
            data = path.read_bytes()
            clean = scrub(data)
            if clean != data:
                path.write_bytes(clean)
        yield path.relative_to(folder).as_posix(), _hash_file(path)


def _list_files(folder: str) -> Iterator[str]:
    """Regular files below `folder` that we may read; links are left alone, wherever they lead."""
    with contextlib.suppress(PermissionError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                yield entry.path
            elif entry.is_dir(follow_symlinks=False):
                yield from _list_files(entry.path)


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_file(path: str, *chunks: bytes, more: Iterable[bytes] = (), sync: bool) -> None:
    """Write a whole file. Nine times a run, so without the cost of pathlib and buffers."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        for chunk in chain(chunks, more):
            view = memoryview(chunk)
            while view:
                view = view[os.write(descriptor, view) :]
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _explain_refusal(path: Path, error: OSError) -> DiskError:
    return DiskError(
        f"{path}: cannot write evidence ({error.strerror or error}); free some space or choose another "
        "folder with --searchlight-output, then go on with --searchlight-resume"
    )
