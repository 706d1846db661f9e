"""What this installation measures with: setups, agents, catalogs, limits, prices and checks.

The methodology page is made of it and so cannot say anything else than what is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_searchlight.agents.pins import AgentPin, read_agent_pins
from pytest_searchlight.catalog import find_catalogs, read_catalog
from pytest_searchlight.catalog.reading import Catalog
from pytest_searchlight.costs.token_prices import ModelPrice, read_prices
from pytest_searchlight.domain import SearchSetup
from pytest_searchlight.extensions import Registry
from pytest_searchlight.grading.audit import register_audit_rules
from pytest_searchlight.limits import Limits, read_limits
from pytest_searchlight.providers.setups import read_setups
from pytest_searchlight.validators import register_validators


@dataclass(frozen=True, kw_only=True)
class House:
    """Everything by name; `checks` and `audit_rules` map to what each of them says of itself."""

    setups: Mapping[str, SearchSetup]
    agents: Mapping[str, AgentPin]
    catalogs: tuple[Catalog, ...]
    limits: Mapping[str, Limits]
    prices: Mapping[str, tuple[ModelPrice, ...]]
    checks: Mapping[str, str]
    audit_rules: Mapping[str, str]


def read_house(config_folders: Sequence[Path], *, catalogs: Path) -> House:
    """The house as it is configured.

    Args:
        config_folders: the shipped folder, then the project's own.
        catalogs: the folder of task catalogs.

    Raises:
        UserError: a configuration file or a catalog breaks a rule.
    """
    registry = Registry()
    register_validators(registry)
    register_audit_rules(registry)
    return House(
        setups=read_setups(config_folders),
        agents=read_agent_pins(config_folders),
        catalogs=tuple(read_catalog(path) for path in find_catalogs(catalogs)),
        limits=read_limits(config_folders),
        prices=read_prices(config_folders).models,
        checks={check.kind: _read_first_line(type(check)) for check in registry.validators.values()},
        audit_rules={name: _read_first_line(registry.audit_rules.get(name)) for name in registry.audit_rules},
    )


def _read_first_line(thing: object) -> str:
    return (thing.__doc__ or "").strip().partition("\n")[0]
