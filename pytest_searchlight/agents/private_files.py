"""Files in a run's private home that hold keys or a login."""

from __future__ import annotations

import json
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only we may read, making its folder."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)


def write_private_json(path: Path, value: object) -> None:
    """Write JSON into a file that only we may read."""
    write_private(path, json.dumps(value, indent=1).encode())
