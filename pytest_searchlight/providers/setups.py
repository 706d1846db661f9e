"""Reads search setups from ``provider-arm-tools.yaml`` and puts them on the registry's shelf."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from pytest_searchlight.domain import RESERVED_WORDS, FailureRule, SearchSetup, ServerPin, SetupKind
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import Registry

SETUPS_FILE: Final = "provider-arm-tools.yaml"


def read_setups(folders: Sequence[Path]) -> dict[str, SearchSetup]:
    """Every setup of the `folders` that have a ``provider-arm-tools.yaml``, by name, in file order.

    Raises:
        SettingsError: a file breaks a rule, or two folders define the same name.
    """
    setups: dict[str, SearchSetup] = {}
    origins: dict[str, Path] = {}
    for file in (folder / SETUPS_FILE for folder in folders):
        for name, setup in _read_file(file).items() if file.is_file() else ():
            if name in setups:
                raise SettingsError(
                    f"{file}: setup {name!r} is already defined in {origins[name]}; choose another name"
                )
            setups[name], origins[name] = setup, file
    return setups


def register_setups(registry: Registry, folders: Sequence[Path]) -> None:
    """Put every setup of `folders` on the registry's shelf."""
    for name, setup in read_setups(folders).items():
        registry.setups.add(name, setup)


def _read_file(file: Path) -> dict[str, SearchSetup]:
    try:
        document = yaml.load(file.read_text("utf-8"), Loader=_UniqueKeyLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: not readable as YAML in UTF-8: {error}") from error
    if not isinstance(document, dict):
        raise SettingsError(f"{file}: holds {type(document).__name__}; must map setup names to setups")
    return {str(name): _read_setup(str(name), value, file=file) for name, value in document.items()}


def _read_setup(name: str, value: object, *, file: Path) -> SearchSetup:
    if not isinstance(value, Mapping):
        raise SettingsError(f"{file}: {name}: {value!r} is not a setup; give at least `kind: provider`")
    if name in RESERVED_WORDS:
        raise SettingsError(
            f"{file}: {name}: pytest's -k reads this word as an operator; choose another name"
        )
    try:
        setup = SearchSetup.model_validate({**value, "name": name})
    except ValidationError as error:
        raise SettingsError("\n".join(_explain_errors(error, place=f"{file}: {name}"))) from error
    for problem in _find_problems(setup):
        raise SettingsError(f"{file}: {name}: {problem}")
    return setup


def _explain_errors(error: ValidationError, *, place: str) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        field = ".".join(str(part) for part in detail["loc"])
        yield f"{place}.{field}: value {detail['input']!r}: {detail['msg']}"


def _find_problems(setup: SearchSetup) -> Iterator[str]:
    if setup.kind is not SetupKind.PROVIDER:
        if setup.server or setup.tools:
            yield f"kind {setup.kind.value!r} brings no server; remove `server` and `tools`"
        return
    if setup.server is None:
        yield "kind 'provider' needs `server`: a command or a url"
    else:
        yield from _find_server_problems(setup.server)
    if not setup.tools:
        yield "`tools` is empty; list every tool the server advertises"
    if len(setup.tool_names) < len(setup.tools):
        yield "`tools` names a tool twice"
    for tool in setup.tariffs.keys() - setup.tool_names:
        yield f"tariffs.{tool}: no such tool in `tools`"
    yield from _find_pattern_problems(setup.failures)


def _find_server_problems(server: ServerPin) -> Iterator[str]:
    if bool(server.command) == bool(server.url):
        yield "server: give either `command` (a server over stdio) or `url` (a hosted one), not both"
    if server.url and not server.url.startswith(("https://", "http://")):
        yield f"server.url: {server.url!r} must start with https:// (http:// for loopback)"
    if server.headers and not server.url:
        yield "server.headers: only a server with a `url` takes headers"
    if server.environment and not server.command:
        yield "server.environment: only a server with a `command` has an environment"


def _find_pattern_problems(rules: Sequence[FailureRule]) -> Iterator[str]:
    for number, rule in enumerate(rules):
        try:
            re.compile(rule.pattern)
        except re.error as error:
            yield f"failures.{number}.pattern: {rule.pattern!r} is not a regular expression: {error}"


class _UniqueKeyLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses a key that occurs twice in a mapping, where YAML silently keeps the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the signature of PyYAML
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} occurs twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)  # type: ignore[no-any-return]
