"""Puts the built-in judges on the registry's shelf."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_searchlight.agents.claude_code import ClaudeCodeAgent
from pytest_searchlight.agents.codex import CodexAgent
from pytest_searchlight.extensions import Registry
from pytest_searchlight.judges.lexical import LexicalJudge
from pytest_searchlight.judges.product import ProductJudge


def register_judges(registry: Registry, *, environment: Mapping[str, str]) -> None:
    """Add the lexical judge, and a judge for each agent product that `registry` knows.

    Args:
        registry: its agents are registered already.
        environment: allow-listed environment for the products' processes.
    """
    registry.judges.add(LexicalJudge.name, LexicalJudge())
    for agent in registry.agents.values():
        if isinstance(agent, ClaudeCodeAgent | CodexAgent):
            registry.judges.add(agent.name, ProductJudge(agent=agent, environment=environment))
