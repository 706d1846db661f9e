"""Small closed webs of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest


@pytest.fixture
def make_web(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Writes a closed web from a mapping of ``host/path`` (or ``site.yaml``) to content."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        web = tmp_path / "web"
        for name, content in files.items():
            path = web / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return web

    return make
