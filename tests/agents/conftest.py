"""The real agent products, ready to run against the scripted model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from agent_stage import PROGRAMS, Stage
from scripted_model import ScriptedModel, serve_model


@pytest.fixture(scope="session")
def scripted_model() -> Iterator[ScriptedModel]:
    with serve_model() as model:
        yield model


@pytest.fixture(scope="module")
def stage(scripted_model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    missing = [name for name in ("claude", "codex") if not (PROGRAMS / name).exists()]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed; run npm ci --prefix tests/npm-agents")
    return Stage(model=scripted_model, folder=tmp_path_factory.mktemp("stage"))
