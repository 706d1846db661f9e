"""`sew doctor`: what can run here, what is missing, and what to do about it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.agents.codex import CodexAgent
from pytest_searchlight.agents.installation import InstalledAgent
from pytest_searchlight.catalog import find_catalogs, read_catalog
from pytest_searchlight.domain import SearchSetup
from pytest_searchlight.errors import CatalogError
from pytest_searchlight.extensions import Agent
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.session.facts import list_requirements
from pytest_searchlight.session.preflight import check_configuration
from pytest_searchlight.settings import STATE_FOLDER

_OLDEST_PYTHON: Final = (3, 11)
_PROGRAMS: Final = (
    ("node", ("node",), "--version", "provider servers and agents from npm need Node.js 20 or newer"),
    ("npm", ("npm",), "--version", "pinned provider servers are installed with npm"),
    ("sandbox", ("bwrap",), "--version", "install bubblewrap to keep agents inside their workspace"),
    (
        "browser",
        ("chromium", "chromium-browser", "google-chrome"),
        "--version",
        "install chromium to test pages",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of the doctor's report; `advice` says what to do when `ok` is False."""

    subject: str
    ok: bool
    detail: str
    advice: str = ""
    asked: bool = False

    def describe(self) -> str:
        """The finding as a line for people."""
        mark = "ok     " if self.ok else "missing"
        advice = "" if self.ok or not self.advice else f" -> {self.advice}"
        return f"{mark}  {self.subject}: {self.detail}{advice}"

    def as_json(self) -> dict[str, object]:
        """The finding for programs."""
        return asdict(self)


def examine(session: BenchmarkSession) -> Iterator[Finding]:
    """Examine everything, in the order a run needs it. Starts programs only to ask their version.

    Raises:
        SettingsError: an agent or setup that was asked for is unknown, or a configuration file breaks a rule.
    """
    check_configuration(session)
    for name in session.settings.agents:
        session.registry.agents.get(name)
    for name in session.settings.setups:
        session.registry.setups.get(name)
    yield _examine_python()
    yield from (_examine_package(name) for name in list_requirements())
    for agent in session.registry.agents.values():
        yield _examine_agent(agent, session)
    for setup in session.registry.setups.values():
        yield from _examine_setup(setup, session)
    for subject, programs, flag, advice in _PROGRAMS:
        yield _examine_program(subject, programs, flag, advice)
    yield _examine_folder("state folder", session.settings.root / STATE_FOLDER)
    yield _examine_folder("scratch folder", Path(tempfile.gettempdir()))
    yield from _examine_catalogs(session.settings.catalogs)


def _examine_python() -> Finding:
    return Finding(
        subject="python",
        ok=sys.version_info >= _OLDEST_PYTHON,
        detail=platform.python_version(),
        advice="use Python 3.11 or newer",
    )


def _examine_package(name: str) -> Finding:
    try:
        return Finding(subject=name, ok=True, detail=importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(subject=name, ok=False, detail="not installed", advice=f"pip install {name}")


def _examine_agent(agent: Agent, session: BenchmarkSession) -> Finding:
    version = session.find_version(agent)
    unreviewed = _list_unreviewed(agent) if version is not None else ()
    if unreviewed:
        return Finding(
            subject=f"agent {agent.name}",
            ok=False,
            detail=f"{version} turns on features that nobody has reviewed: {', '.join(unreviewed)}",
            advice="see what they let the agent do, then name them in config/agents.yaml",
        )
    product = agent if isinstance(agent, InstalledAgent) else None
    warning = None if product is None else product.pin.warn_of_version(version)
    may_log_in = product is None or product.may_log_in
    return Finding(
        subject=f"agent {agent.name}",
        ok=version is not None and may_log_in,
        detail=(warning or version or "not installed") + _describe_login(agent),
        advice=_advise_install(agent) if version is None else "log in with it, or set one of them",
        asked=agent.name in session.settings.agents,
    )


def _describe_login(agent: Agent) -> str:
    """A remark on whose account pays, where there is one to make."""
    if not isinstance(agent, InstalledAgent) or agent.installation.program is None:
        return ""
    keys = ", ".join(agent.pin.key_variables)
    if agent.installation.login_folder is not None:
        return (
            f"; uses the login in {agent.installation.login_folder}, which only one run at a time can renew: "
            f"for several workers set one of {keys}"
        )
    return "" if agent.installation.credentials else f"; no login and none of {keys} is set"


def _advise_install(agent: Agent) -> str:
    if isinstance(agent, InstalledAgent):
        return f"npm install -g {agent.pin.package}@{agent.pin.version}"
    return "install it and see that it is on PATH"


def _list_unreviewed(agent: Agent) -> tuple[str, ...]:
    if not isinstance(agent, CodexAgent):
        return ()
    with tempfile.TemporaryDirectory(prefix="searchlight-doctor-") as home:
        return agent.list_unreviewed_features(Path(home))


def _examine_setup(setup: SearchSetup, session: BenchmarkSession) -> Iterator[Finding]:
    subject, asked = f"setup {setup.name}", setup.name in session.settings.setups
    variable = None if setup.server is None else setup.server.key_variable
    if variable is None:
        if asked:
            yield Finding(subject=subject, ok=True, detail="needs no key", asked=True)
    elif variable in session.settings.secrets:
        yield Finding(subject=subject, ok=True, detail=f"{variable} is set", asked=asked)
    else:
        yield Finding(
            subject=subject,
            ok=False,
            detail=f"{variable} is not set",
            advice="export it, or put it into the .env file of your project",
            asked=asked,
        )


def _examine_program(subject: str, programs: tuple[str, ...], flag: str, advice: str) -> Finding:
    found = next((path for name in programs if (path := shutil.which(name))), None)
    if found is None:
        return Finding(subject=subject, ok=False, detail=f"no {programs[0]} on PATH", advice=advice)
    try:
        asked = subprocess.run([found, flag], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(subject=subject, ok=False, detail=f"{found} does not answer ({error})", advice=advice)
    return Finding(
        subject=subject, ok=asked.returncode == 0, detail=asked.stdout.strip() or found, advice=advice
    )


def _examine_folder(subject: str, folder: Path) -> Finding:
    place = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return Finding(
        subject=subject,
        ok=os.access(place, os.W_OK),
        detail=f"{folder} can be written" if os.access(place, os.W_OK) else f"{place} cannot be written",
        advice="choose another with --searchlight-output",
    )


def _examine_catalogs(folder: Path) -> Iterator[Finding]:
    paths = find_catalogs(folder) if folder.is_dir() else ()
    if not paths:
        advice = "sew init writes a starter catalog"
        yield Finding(subject="catalogs", ok=False, detail=f"none under {folder}", advice=advice)
    for path in paths:
        try:
            catalog = read_catalog(path)
        except CatalogError as error:
            yield Finding(
                subject=f"catalog {path}", ok=False, detail=str(error).split("\n")[0], advice="sew validate"
            )
        else:
            yield Finding(subject=f"catalog {catalog.name}", ok=True, detail=f"{len(catalog.tasks)} tasks")
