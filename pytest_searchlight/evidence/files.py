"""Files that are written whole, and what is said when the disk refuses."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from pytest_searchlight.errors import DiskError


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
        write_file(str(temporary), *chunks, more=more, sync=True)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise explain_refusal(path, error) from error


def write_file(path: str, *chunks: bytes, more: Iterable[bytes] = (), sync: bool) -> None:
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


def explain_refusal(path: Path, error: OSError) -> DiskError:
    """The error of a disk that refused to take `path`, and what to do about it."""
    return DiskError(
        f"{path}: cannot write evidence ({error.strerror or error}); free some space or choose another "
        "folder with --searchlight-output, then go on with --searchlight-resume"
    )
