"""Puts the installed agent products on the registry's shelf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pytest_searchlight.agents.claude_code import ClaudeCodeAgent
from pytest_searchlight.agents.codex import CodexAgent
from pytest_searchlight.agents.installation import find_installation
from pytest_searchlight.agents.pins import read_agent_pins
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import Registry

_PRODUCTS: Final = {agent.name: agent for agent in (ClaudeCodeAgent, CodexAgent)}


def register_products(registry: Registry, *, folders: Sequence[Path], environment: Mapping[str, str]) -> None:
    """Add an agent for each product in ``agents.yaml``, installed or not.

    Args:
        registry: gains the agents.
        folders: configuration folders.
        environment: the user's whole environment: where programs, logins and API keys are found.

    Raises:
        SettingsError: ``agents.yaml`` breaks a rule, or names a product that has no adapter.
    """
    for name, pin in read_agent_pins(folders).items():
        if name not in _PRODUCTS:
            raise SettingsError(
                f"agents.yaml: no adapter for {name!r}; known: {', '.join(_PRODUCTS)}. "
                "Other agents are added through the pytest_searchlight_register hook"
            )
        installation = find_installation(pin, environment=environment)
        registry.agents.add(name, _PRODUCTS[name](pin=pin, installation=installation))
