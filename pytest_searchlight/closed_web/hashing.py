"""The identity of a closed web: one hash over everything in its folder. Imports nothing heavy."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def hash_web(folder: Path) -> str:
    """SHA-256 (hex) of a closed web: every file's path and content, in path order.

    Two folders with equal hashes serve the same pages, wherever they lie.
    """
    digest = hashlib.sha256()
    for path in list_files(folder):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def list_files(folder: Path) -> list[Path]:
    """Every file of a closed web, in an order that no file system decides; links are no part of it."""
    found = (Path(root, name) for root, _, names in os.walk(folder) for name in names)
    return sorted(
        (path for path in found if not path.is_symlink()),
        key=lambda path: path.relative_to(folder).as_posix(),
    )
