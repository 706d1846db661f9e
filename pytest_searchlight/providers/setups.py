"""Reads search setups from ``provider-arm-tools.yaml`` and puts them on the registry's shelf."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from pytest_searchlight.config_file import explain_fault
from pytest_searchlight.domain import RESERVED_WORDS, FailureRule, SearchSetup, ServerPin, SetupKind
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import Registry
from pytest_searchlight.providers.launch import SECRET_REFERENCE
from pytest_searchlight.settings import looks_secret
from pytest_searchlight.yaml_source import YamlSource, read_yaml

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


def find_setup_file(name: str, folders: Sequence[Path]) -> Path:
    """The configuration file that defines a setup. Raises SettingsError when none does."""
    for file in (folder / SETUPS_FILE for folder in folders):
        if file.is_file() and name in _read_file(file):
            return file
    raise SettingsError(
        f"setup {name!r} is in no {SETUPS_FILE}; an extension's setup is pinned in its own code"
    )


def register_setups(registry: Registry, folders: Sequence[Path]) -> None:
    """Put every setup of `folders` on the registry's shelf."""
    for name, setup in read_setups(folders).items():
        registry.setups.add(name, setup)


def parse_setups(text: str, *, file: Path) -> dict[str, SearchSetup]:
    """The setups that `text`, the content of `file`, describes. Raises SettingsError with file and line."""
    source = read_yaml(text)
    for problem in source.problems:
        raise SettingsError(f"{file}:{problem.line}: {problem.message}")
    if source.value is None:
        return {}  # a file of comments only, as `sew init` writes it
    if not isinstance(source.value, dict):
        raise SettingsError(f"{file}: must map names of setups to setups")
    return {name: _read_setup(name, source, file=file) for name in source.value}


def _read_file(file: Path) -> dict[str, SearchSetup]:
    try:
        return parse_setups(file.read_text("utf-8"), file=file)
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file}: not UTF-8 ({error}); save it as UTF-8") from error


def _read_setup(name: str, source: YamlSource, *, file: Path) -> SearchSetup:
    place = f"{file}:{source.find_line((name,))}: {name}"
    value = source.value[name] if isinstance(source.value, dict) else None
    if not isinstance(value, dict):
        raise SettingsError(f"{place}: {value!r} is not a setup; give at least `kind: provider`")
    if name in RESERVED_WORDS:
        raise SettingsError(f"{place}: pytest's -k reads this word as an operator; choose another name")
    try:
        setup = SearchSetup.model_validate({**value, "name": name})
    except ValidationError as error:
        lines = _explain_errors(error, name=name, source=source, file=file)
        raise SettingsError("\n".join(lines)) from error
    for problem in _find_problems(setup):
        raise SettingsError(f"{place}: {problem}")
    return setup


def _explain_errors(error: ValidationError, *, name: str, source: YamlSource, file: Path) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        field = ".".join(str(step) for step in (name, *detail["loc"]))
        line = source.find_line((name, *detail["loc"]))
        yield f"{file}:{line}: {field}: {explain_fault(detail)}"


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
    for tool in sorted(setup.tariffs.keys() - setup.tool_names):
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
    named = "".join((*server.headers.values(), *server.environment.values()))
    for variable in (server.key_variable, *SECRET_REFERENCE.findall(named)):
        if variable is not None and not looks_secret(variable):
            yield f"server: {variable!r} must be named as a secret, such as {variable}_KEY"


def _find_pattern_problems(rules: Sequence[FailureRule]) -> Iterator[str]:
    for number, rule in enumerate(rules):
        try:
            re.compile(rule.pattern)
        except re.error as error:
            yield f"failures.{number}.pattern: {rule.pattern!r} is not a regular expression: {error}"
