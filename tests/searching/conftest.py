"""What the tests of search habits share."""

from __future__ import annotations

from pathlib import Path

import pytest
from searching.searched_sessions import SearchedSession, open_searched_session


@pytest.fixture
def session(tmp_path: Path) -> SearchedSession:
    return open_searched_session(tmp_path / "session")
