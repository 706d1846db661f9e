"""Turns a pinned server into the ``server`` part of the metering proxy's spec file."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.domain import SearchSetup, ServerPin
from pytest_searchlight.errors import SettingsError

NETWORK_VARIABLES: Final = frozenset(
    {
        "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "NODE_USE_ENV_PROXY",
    }
)  # fmt: skip
"""What a server may need from the user's environment to reach its API at all; nothing else is passed on."""

SECRET_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""How `environment` and `headers` name a secret."""


def find_install(server: ServerPin, installs: Path) -> Path:
    """Folder in which the pinned package of `server` is, or would be, installed."""
    return installs / f"{server.package}@{server.version}"


def build_server_launch(  # noqa: PLR0913 - each is a fact of its own about the session
    setup: SearchSetup,
    *,
    closed_web: Path | None,
    secrets: Mapping[str, str],
    installs: Path,
    project: Path | None = None,
    network: Mapping[str, str] | None = None,
) -> dict[str, JsonValue]:
    """How the metering proxy starts, or reaches, the setup's server.

    Args:
        setup: a setup of kind ``provider``.
        closed_web: the ``web/`` folder of the task's catalog, None when it has none.
        secrets: names and values of all keys known to this session.
        installs: folder that holds installed packages and the servers' working folders.
        project: the user's own project, for ``{project}``.
        network: the user's environment; only its `NETWORK_VARIABLES` reach the server.

    Returns:
        ``{"command", "env", "cwd"}`` or ``{"url", "headers"}``. It carries the key: keep it private.

    Raises:
        SettingsError: a key is missing, or a placeholder has no value here.
    """
    server = setup.server
    if server is None:
        raise SettingsError(f"setup {setup.name!r} has no server to start (kind {setup.kind.value!r})")
    key = {server.key_variable: require_key(setup, secrets)} if server.key_variable else {}
    if server.url:
        return {"url": server.url, "headers": _fill_values(setup, server.headers, secrets=secrets)}
    places = {
        "{python}": sys.executable,
        "{install}": str(find_install(server, installs)) if server.package else None,
        "{closed_web}": str(closed_web) if closed_web else None,
        "{project}": str(project) if project else None,
    }
    command = [_fill_places(part, places, setup) for part in server.command]
    command[0] = _find_program(command[0], setup)
    pinned = _fill_values(setup, server.environment, secrets=secrets, places=places)
    cwd = _make_working_folder(setup, installs)
    base = _build_base_environment(program=command[0], cwd=cwd, network=network or {})
    return {"command": [*command], "env": {**base, **pinned, **key}, "cwd": cwd}


def _build_base_environment(*, program: str, cwd: str, network: Mapping[str, str]) -> dict[str, str]:
    path = os.pathsep.join((str(Path(program).parent), os.defpath))
    passed_on = {name: value for name, value in network.items() if name in NETWORK_VARIABLES}
    return {"HOME": cwd, "PATH": path, **passed_on}


def require_key(setup: SearchSetup, secrets: Mapping[str, str]) -> str:
    """The value of the setup's key. Raises SettingsError that says which variable to set and where."""
    variable = setup.server.key_variable if setup.server else None
    if variable is None:
        raise SettingsError(f"setup {setup.name!r} needs no key")
    return _require_secret(variable, secrets, setup)


def _require_secret(variable: str, secrets: Mapping[str, str], setup: SearchSetup) -> str:
    value = secrets.get(variable, "").strip()
    if not value:
        raise SettingsError(
            f"setup {setup.name!r} needs the key {variable}, which is not set; export {variable} or put "
            f"{variable}=... into the .env file of your project. Nothing was started or spent."
        )
    return value


def _fill_values(
    setup: SearchSetup,
    values: Mapping[str, str],
    *,
    secrets: Mapping[str, str],
    places: Mapping[str, str | None] = MappingProxyType({}),
) -> dict[str, JsonValue]:
    def fill(text: str) -> str:
        return SECRET_REFERENCE.sub(lambda match: _require_secret(match[1], secrets, setup), text)

    return {name: fill(_fill_places(value, places, setup)) for name, value in values.items()}


def _fill_places(text: str, places: Mapping[str, str | None], setup: SearchSetup) -> str:
    """Only known placeholders are replaced: JSON in an environment value keeps its braces."""
    for place, value in places.items():
        if place not in text:
            continue
        if value is None:
            raise SettingsError(f"setup {setup.name!r}: {text!r} uses {place}, which has no value here")
        text = text.replace(place, value)
    return text


def _find_program(program: str, setup: SearchSetup) -> str:
    found = shutil.which(program)
    if found is None:
        raise SettingsError(
            f"setup {setup.name!r}: its server is started by {program!r}, which is not on PATH; install it"
        )
    return found


def _make_working_folder(setup: SearchSetup, installs: Path) -> str:
    """A folder of our own, since several servers read a ``.env`` from where they are started."""
    folder = installs / "cwd" / setup.name
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)
