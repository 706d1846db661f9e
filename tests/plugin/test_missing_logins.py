"""An agent product without a key or a login is told before runs fail one by one, tried three times each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugin.small_project import Finished, Project

NO_KEYS = {"CODEX_API_KEY": "", "OPENAI_API_KEY": "", "CODEX_HOME": "nowhere"}


@pytest.fixture
def equipped(project: Project) -> Project:
    """A project on whose PATH is a program that calls itself the pinned Codex."""
    project.write_catalog(["sky"])
    project.write("bin/codex", "#!/bin/sh\necho codex-cli 0.171.0\n").chmod(0o755)
    return project


def run(project: Project, **env: str) -> Finished:
    path = f"{project.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return project.run("--searchlight-agent=codex", "--searchlight-plan", PATH=path, **NO_KEYS | env)


def test_it_is_refused_with_what_to_do(equipped: Project) -> None:
    done = run(equipped)
    assert done.code == 4, done.out
    assert "agent 'codex' has no login here; log in with it, or set one of CODEX_API_KEY" in done.err


@pytest.mark.parametrize(
    "given", [{"OPENAI_API_KEY": "sk-scripted"}, {"OPENAI_BASE_URL": "http://127.0.0.1:9"}]
)
def test_a_key_or_a_gateway_will_do(equipped: Project, given: dict[str, str]) -> None:
    done = run(equipped, **given)
    assert done.code == 0, done.err
    assert "1 runs planned" in done.out


def test_the_doctor_finds_it_missing(equipped: Project) -> None:
    path = f"{equipped.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = equipped.sew("doctor", "--agent=codex", PATH=path, **NO_KEYS)
    assert done.code == 1
    assert "; no login and none of CODEX_API_KEY" in done.out
    assert "is set -> log in with it, or set one of them" in done.out
