"""One run's bundle: filled, sealed in one step, read back."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence.encoding import encode_json_line, encode_text
from pytest_searchlight.evidence.files import explain_refusal, write_file
from pytest_searchlight.evidence.scrubbing import Scrubber
from pytest_searchlight.evidence.session_folder import SEAL, SessionFolder


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
        raise explain_refusal(folder, error) from error
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
            write_file(f"{bundle.folder}/{name}", data, sync=False)
            hashes[name] = hashlib.sha256(data).hexdigest()
        seal = encode_text(encode_json_line({**head, "files": hashes}))
        write_file(f"{bundle.folder}/{SEAL}", scrub(seal), sync=sync)
        _move(bundle.folder, destination)
    except OSError as error:
        raise explain_refusal(bundle.folder, error) from error
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
    """Read a bundle's seal. Raises EvidenceError when it is missing, or no JSON of a seal."""
    try:
        head = json.loads((folder / SEAL).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise _explain_seal(folder, str(error)) from error
    if not isinstance(head, dict) or not isinstance(head.get("files"), dict):
        raise _explain_seal(folder, "no object that lists files")
    return SealedBundle(folder, head)


def _explain_seal(folder: Path, problem: str) -> EvidenceError:
    return EvidenceError(
        f"{folder / SEAL}: not a readable seal ({problem}); move this run's folder away, and "
        "--searchlight-resume makes the run again"
    )


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
