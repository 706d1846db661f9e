"""The pytest plugin: options and hooks, wired to the rooms that do the work.

This module is imported by every pytest run of everyone who has Searchlight installed. It imports nothing
heavy, adds no output and registers the session's hooks only when Searchlight was asked for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_searchlight.items.fixtures import agent_run, metering_proxy, searchlight_run, verdict, workspace
from pytest_searchlight.options import INI_ONLY, OPTIONS

if TYPE_CHECKING:
    from pytest_searchlight.hooks import SessionHooks

__all__ = ["agent_run", "metering_proxy", "searchlight_run", "verdict", "workspace"]

MARKER: Final = (
    "searchlight(prompt, deliverable, ...): a test run of a search benchmark; on a Python test it holds the "
    "task's fields and, as defaults of the options, agents, setups and repetitions"
)
_CATALOG_SUFFIXES: Final = frozenset({".yaml", ".yml"})
_HOOKS: Final = "searchlight-session"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register each option with its ini twin."""
    group = parser.getgroup("searchlight", "Searchlight: what web search does for coding agents")
    for option in OPTIONS:
        text = option.help.replace("%", "%%")  # argparse fills in what stands behind a per cent sign
        if option.takes == "flag":
            group.addoption(option.flag, dest=option.dest, action="store_true", default=None, help=text)
        elif option.takes == "optional":
            group.addoption(
                option.flag, dest=option.dest, nargs="?", const=True, metavar=option.metavar, help=text
            )
        else:
            action = "append" if option.takes == "values" else "store"
            group.addoption(option.flag, dest=option.dest, action=action, metavar=option.metavar, help=text)
        parser.addini(option.dest, f"default of {option.flag}: {option.help}")
    for name, text, default in INI_ONLY:
        parser.addini(name, text, default=default)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make the extension points known."""
    from pytest_searchlight import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Wake up when an option or a catalog was given; before xdist decides whether to distribute."""
    config.addinivalue_line("markers", MARKER)
    if any(config.getoption(option.dest) is not None for option in OPTIONS) or _names_catalog(config):
        wake(config).choose_arguments()


def _names_catalog(config: pytest.Config) -> bool:
    """Whether a path on the command line is a catalog, or a folder that holds one.

    Only below the catalogs folder is a folder searched all the way down: nobody else's run pays for that.
    """
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return False
    catalogs = (config.rootpath / str(config.getini("searchlight_catalogs"))).resolve()
    paths = ((config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args)
    return any(_is_catalog(file) for path in paths for file in _list_candidates(path, catalogs=catalogs))


def _list_candidates(path: Path, *, catalogs: Path) -> Iterable[Path]:
    if not path.is_dir():
        return [path]
    return path.rglob("*") if path.is_relative_to(catalogs) else path.iterdir()


def _is_catalog(path: Path) -> bool:
    if path.suffix not in _CATALOG_SUFFIXES:
        return False
    from pytest_searchlight.catalog import looks_like_catalog

    return looks_like_catalog(path)


def wake(config: pytest.Config) -> SessionHooks:
    """The session's hooks, registered on first use."""
    hooks: SessionHooks | None = config.pluginmanager.get_plugin(_HOOKS)
    if hooks is None:
        from pytest_searchlight.hooks import SessionHooks

        hooks = SessionHooks.create(config, place=_choose_place(config))
        config.pluginmanager.register(hooks, _HOOKS)
    return hooks


_PLACE: Final = pytest.StashKey[tuple[str, float]]()


def _choose_place(config: pytest.Config) -> tuple[str, float]:
    """Name and start of the session; workers are told the controller's."""
    if hasattr(config, "workerinput"):
        name, started_at_s = config.workerinput["searchlight_place"]
        return str(name), float(started_at_s)
    if _PLACE not in config.stash:
        now = time.time()
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
        config.stash[_PLACE] = (f"{stamp}-{os.urandom(2).hex()}", now)
    return config.stash[_PLACE]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tell an xdist worker which session it works for."""
    node.workerinput["searchlight_place"] = _choose_place(node.config)  # type: ignore[attr-defined]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Turn a Python test that asks for a run into one item for each agent, setup and repetition."""
    if "searchlight_run" in metafunc.fixturenames:
        from pytest_searchlight.items.collection import parametrize_python_task

        parametrize_python_task(metafunc, session=wake(metafunc.config).session)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a controller that never woke, see whether its workers left something to sum up."""
    config = session.config
    if _PLACE not in config.stash or config.pluginmanager.get_plugin(_HOOKS) is not None:
        return
    name, _ = config.stash[_PLACE]
    folder = config.getini("searchlight_output") or f".searchlight/{name}"
    if (config.rootpath / str(folder) / "session.json").exists():
        wake(config).pytest_sessionfinish(session)
