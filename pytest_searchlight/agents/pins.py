"""Reads ``config/agents.yaml``: the pinned agent products and what each may use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import Field, TypeAdapter

from pytest_searchlight.config_file import read_config
from pytest_searchlight.domain import Record, SetupKind, Text
from pytest_searchlight.errors import SettingsError

PINS_FILE: Final = "agents.yaml"


class AgentPin(Record):
    """An agent product at a pinned version.

    Attributes:
        package: where it comes from.
        version: the version that results are made with.
        command: name of its program.
        default_model: the model it runs with unless another is asked for.
        own_tools: its own tools, by kind of setup; exposed, approved and audited alike.
        inert_tools: own tools that cannot be taken away and reach no further than the setup's server.
        key_variables: variables by which it takes an API key or a token.
        base_url_variable: the variable that gives another address of its model's API.
        login_variable: the variable that names its configuration folder.
        login_home: that folder's name under HOME when the variable is not set.
        login_files: files in it that hold the user's login.
        login_clock: where in such a file, key by key, is told when it was renewed or expires.
        bad_versions: versions known not to work here, and why.
        disabled_features: features of the product that every run turns off.
        reviewed_features: features that are on and were found harmless to a measurement.
    """

    package: Text
    version: Text
    command: Text
    default_model: Text
    own_tools: dict[SetupKind, tuple[str, ...]] = Field(default_factory=dict)
    inert_tools: tuple[str, ...] = ()
    key_variables: tuple[str, ...]
    base_url_variable: str
    login_variable: str
    login_home: str
    login_files: tuple[str, ...]
    login_clock: tuple[str, ...] = ()
    bad_versions: dict[str, str] = Field(default_factory=dict)
    disabled_features: tuple[str, ...] = ()
    reviewed_features: tuple[str, ...] = ()

    def list_own_tools(self, kind: SetupKind) -> frozenset[str]:
        """The product's own tools that a contract of this kind allows."""
        return frozenset((*self.own_tools.get(kind, ()), *self.inert_tools))

    def warn_of_version(self, version: str | None) -> str | None:
        """A sentence about another version than the pinned one, or None."""
        if version is None or version == self.version:
            return None
        known = f" ({self.bad_versions[version]})" if version in self.bad_versions else ""
        return f"{self.command} {version}{known} is installed; results are made with {self.version}"

    def explain_version(self, version: str | None) -> tuple[str, ...]:
        """Flags for a run with `version`: none for the pinned one."""
        if version == self.version:
            return ()
        known_bad = version in self.bad_versions
        return ("unpinned_version", "known_bad_version") if known_bad else ("unpinned_version",)


_FILE_SHAPE: Final = TypeAdapter(dict[str, AgentPin])


def read_agent_pins(folders: Sequence[Path]) -> dict[str, AgentPin]:
    """Every agent of the `folders` that have an ``agents.yaml``, by name.

    Raises:
        SettingsError: a file breaks a rule, or two folders define the same name.
    """
    pins: dict[str, AgentPin] = {}
    for file in (folder / PINS_FILE for folder in folders):
        for name, pin in (read_config(file, _FILE_SHAPE) if file.is_file() else {}).items():
            if name in pins:
                raise SettingsError(f"{file}: agent {name!r} is already defined; choose another name")
            pins[name] = pin
    return pins
