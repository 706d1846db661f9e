"""Opens the benchmark session of a pytest session: settings, registry, folder, selection, signals."""

from __future__ import annotations

import json
import signal
import threading
from types import FrameType
from typing import Any

import pytest
from pydantic import JsonValue

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.extensions import Registry
from pytest_searchlight.hooks.built_ins import BuiltIns
from pytest_searchlight.options import OPTIONS
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.settings import (
    STATE_FOLDER,
    Settings,
    check_session_folder,
    find_session,
    read_process_environment,
    read_settings,
    recall_options,
)


def open_session(config: pytest.Config, *, place: tuple[str, float]) -> BenchmarkSession:
    """The session that `config` asks for.

    Args:
        config: pytest's configuration.
        place: name of a new session, and its start in seconds since the epoch.

    Raises:
        UserError: an option, an ini value, a configuration file or an extension is wrong.
    """
    _refuse_empty_values(config)
    settings = _read_settings(config)
    name, started_at_s = place
    folder = find_session(settings) or settings.output or config.rootpath / STATE_FOLDER / name
    registry = Registry()
    config.pluginmanager.register(BuiltIns(settings), "searchlight-built-ins")
    config.hook.pytest_searchlight_register(registry=registry)
    return BenchmarkSession(
        settings=settings, registry=registry, folder=SessionFolder(folder), started_at_s=started_at_s
    )


def _refuse_empty_values(config: pytest.Config) -> None:
    """Refuse what is mostly a variable that was not set: it would lift a budget, a limit or a selection."""
    for option in OPTIONS:
        given = config.getoption(option.dest)
        if given == "" or (isinstance(given, list) and "" in given):
            raise SettingsError(f"{option.flag}: has an empty value; give one, or leave the option out")


def _read_settings(config: pytest.Config) -> Settings:
    root = config.rootpath
    recalled: dict[str, str] = {}

    def read_option(dest: str) -> object:
        given = config.getoption(dest)
        return given if given is not None else recalled.get(dest) or config.getini(dest) or None

    def read() -> Settings:
        return read_settings(
            read_option,
            root=root,
            catalogs=root / str(config.getini("searchlight_catalogs")),
            config=root / str(config.getini("searchlight_config")),
            environ=read_process_environment(),
        )

    settings = read()
    source = settings.regrade and check_session_folder(settings.regrade, option="--searchlight-regrade")
    source = source or find_session(settings)
    if source is None:
        return settings
    recalled |= recall_options(source)
    return read()


def describe_selection(config: pytest.Config) -> dict[str, JsonValue]:
    """What selected the runs, to resume by: paths (relative to the root folder below it) and expressions."""
    root = config.rootpath
    paths = [config.invocation_params.dir / argument for argument in config.args]
    return {
        "paths": [str(path.relative_to(root) if path.is_relative_to(root) else path) for path in paths],
        "keyword": config.option.keyword,
        "markers": config.option.markexpr,
    }


def recall_selection(session: BenchmarkSession) -> dict[str, Any]:
    """The selection of the session that is resumed or graded again; empty for a new session."""
    source = session.settings.regrade or (session.settings.resume and session.folder.root)
    if not source:
        return {}
    selection: dict[str, Any] = json.loads((source / "session.json").read_bytes())["selection"]
    return {**selection, "paths": [str(session.settings.root / path) for path in selection["paths"]]}


def refuse_repeaters(config: pytest.Config) -> None:
    """Raise SettingsError when another plugin is to make runs more often than they are planned."""
    if getattr(config.option, "reruns", None):
        raise SettingsError(
            "--reruns repeats wrong answers until one is right; Searchlight repeats faults of infrastructure "
            "by itself, so leave --reruns out"
        )
    if getattr(config.option, "dist", None) == "each":
        raise SettingsError(
            "--dist=each makes, and pays for, every run once in each worker; leave it out to share the runs "
            "among the workers, and repeat them with --searchlight-repetitions"
        )


def end_on_signals(*, is_worker: bool) -> None:
    """Make SIGTERM end the session as Ctrl-C does, so that no process and no scratch folder is left.

    A worker whose SIGINT was inherited as ignored takes it again: xdist uses it to end a worker.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)
    if is_worker and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signature of a handler
    raise KeyboardInterrupt(f"signal {number}")
