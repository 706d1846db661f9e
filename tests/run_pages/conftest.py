"""What the tests of run pages share."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_stage.fixtures import chromium, page  # noqa: F401 - fixtures
from run_pages.staged_session import StagedSession, open_staged_session


@pytest.fixture
def staged(tmp_path: Path) -> StagedSession:
    return open_staged_session(tmp_path / "session")
