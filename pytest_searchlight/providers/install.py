"""Installs a provider's pinned npm package once, however many workers ask for it at the same time."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pytest_searchlight.domain import SearchSetup, ServerPin
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.providers.launch import find_install

INSTALL_TIMEOUT_S: Final = 600.0
_NPM_OPTIONS: Final = ("--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--save-exact")
_SHOWN_LINES: Final = 3
_OFFLINE_SIGNS: Final = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH", "ENOTCACHED")


def install_server(setup: SearchSetup, installs: Path) -> Path | None:
    """Make sure that the setup's pinned package is installed; a package that is there is left alone.

    Returns:
        The package's folder under `installs`, or None when the setup's server is no npm package.

    Raises:
        SettingsError: npm is missing or failed, or delivered another version than the pinned one.
    """
    server = setup.server
    if server is None or server.package is None:
        return None
    target = find_install(server, installs)
    if target.is_dir():
        return target
    with _hold_lock(installs, name=str(target.relative_to(installs))):
        # Another process may have finished the work while this one waited for the lock.
        if not target.is_dir():
            _install_package(server, target, setup_name=setup.name)
    return target


@contextmanager
def _hold_lock(installs: Path, *, name: str) -> Iterator[None]:
    installs.mkdir(parents=True, exist_ok=True)
    with (installs / f".{name.replace('/', '+')}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install_package(server: ServerPin, target: Path, *, setup_name: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".staging-", dir=target.parent))
    try:
        _run_npm(server, staging, target=target, setup_name=setup_name)
        _check_version(server, staging, setup_name=setup_name)
        staging.rename(target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _run_npm(server: ServerPin, staging: Path, *, target: Path, setup_name: str) -> None:
    wanted = f"{server.package}@{server.version}"
    npm = shutil.which("npm")
    if npm is None:
        raise SettingsError(
            f"setup {setup_name!r}: {wanted} needs npm, which is not on PATH; install Node.js"
        )
    (staging / "package.json").write_text('{"private": true}\n')
    try:
        done = subprocess.run(
            [npm, "install", *_NPM_OPTIONS, wanted],
            cwd=staging,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=INSTALL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SettingsError(
            f"setup {setup_name!r}: npm did not install {wanted} in {INSTALL_TIMEOUT_S:.0f} s"
        ) from error
    if done.returncode != 0:
        raise SettingsError(f"setup {setup_name!r}: {_explain_npm(wanted, done.stderr, target=target)}")


def _explain_npm(wanted: str, stderr: str, *, target: Path) -> str:
    lines = [line.removeprefix("npm error ").strip() for line in stderr.splitlines() if line.strip()]
    said = "; ".join(lines[:_SHOWN_LINES])
    if any(sign in stderr for sign in _OFFLINE_SIGNS):
        advice = f"npm cannot reach its registry; install it on a machine that can, and copy it to {target}"
    else:
        advice = "correct `package` or `version` in the setup's `server`"
    return f"npm could not install {wanted} ({said}); {advice}"


def _check_version(server: ServerPin, folder: Path, *, setup_name: str) -> None:
    manifest = folder / "node_modules" / str(server.package) / "package.json"
    found = json.loads(manifest.read_text("utf-8")).get("version")
    if found != server.version:
        raise SettingsError(
            f"setup {setup_name!r}: npm installed {server.package}@{found}, but {server.version} is pinned; "
            "pin an exact version"
        )
