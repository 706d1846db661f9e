"""The loopback origin, fresh for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from origin_stage import Origin, serve_origin


@pytest.fixture
def origin() -> Iterator[Origin]:
    with serve_origin() as served:
        yield served
