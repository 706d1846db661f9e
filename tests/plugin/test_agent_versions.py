"""An agent product in another version than results are made with: it runs, and nobody overlooks it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugin.small_project import Finished, Project


def plan_with(project: Project, version: str) -> Finished:
    """Plan runs of a Claude Code that says it is `version`."""
    program = project.write("bin/claude", f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)
    project.write_catalog(["sky"])
    env = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "ANTHROPIC_API_KEY": "sk-scripted"}
    return project.run("--searchlight-plan", "--searchlight-agent=claude-code", **env)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("99.0.1", "claude 99.0.1 is installed; results are made with 2."),
        ("2.1.162", "claude 2.1.162 (headless runs start before MCP servers are ready) is installed"),
    ],
)
def test_another_version_runs_with_a_visible_warning(project: Project, version: str, words: str) -> None:
    done = plan_with(project, version)
    assert f"searchlight: warning: {words}" in done.out
    assert "1 runs planned" in done.out


def test_the_pinned_version_runs_without(project: Project) -> None:
    done = plan_with(project, "2.1.197")
    assert done.code == 0, done.err
    assert "warning" not in done.out
