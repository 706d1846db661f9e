"""What ships with Searchlight, registered through the same hook as everything that extensions add."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_searchlight.agents.baseline import BaselineAgent
from pytest_searchlight.agents.products import register_products
from pytest_searchlight.agents.utility import NOOP, ORACLE
from pytest_searchlight.extensions import Registry
from pytest_searchlight.grading.audit import register_audit_rules
from pytest_searchlight.judges.built_in import register_judges
from pytest_searchlight.providers import register_setups
from pytest_searchlight.settings import Settings
from pytest_searchlight.validators import register_validators
from pytest_searchlight.workspace import allowed_environment


@dataclass(frozen=True, eq=False)  # older releases of pytest hash plugins
class BuiltIns:
    """A plugin object; first in line, so that a guest who takes a built-in name is the one refused."""

    settings: Settings

    @pytest.hookimpl(tryfirst=True)
    def pytest_searchlight_register(self, registry: Registry) -> None:
        """Add the built-in agents, setups, judges, validators and audit rules."""
        for agent in (BaselineAgent(), ORACLE, NOOP):
            registry.agents.add(agent.name, agent)
        folders = self.settings.config_folders
        register_products(registry, folders=folders, environment=self.settings.environment)
        register_setups(registry, folders)
        environment = allowed_environment(self.settings.environment)
        register_judges(registry, environment=environment)
        register_validators(registry)
        register_audit_rules(registry)
