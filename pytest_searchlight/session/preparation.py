"""Makes ready what a session needs before its first run: room in its folder, and providers' servers.

Servers are installed, started on trial and compared with their pins.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from pytest_searchlight.domain import SearchSetup, ToolPin
from pytest_searchlight.errors import RunError, SettingsError
from pytest_searchlight.judging import JUDGE_FOLDERS
from pytest_searchlight.matrix import Lane
from pytest_searchlight.providers import compare_pin, install_server
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.settings import check_new_session


def make_room(session: BenchmarkSession) -> None:
    """Let the session's folder take runs: a new one, one that is gone on with, or one to grade again into.

    Raises:
        SettingsError: a new session was to be written over an old one.
    """
    settings, folder = session.settings, session.folder
    if settings.resume:
        folder.set_aside_partials()
        session.ledger.forget_faults()
        return
    check_new_session(folder.root)
    if settings.regrade is not None:
        _take_over_judgements(settings.regrade, folder.root)


def _take_over_judgements(source: Path, folder: Path) -> None:
    for name in JUDGE_FOLDERS:
        if (source / name).is_dir():
            shutil.copytree(source / name, folder / name)


def prepare_setups(session: BenchmarkSession, lanes: Iterable[Lane], *, tell: Callable[[str], None]) -> None:
    """Prepare every provider that `lanes` will call; no tool is called, so nothing is spent.

    Raises:
        SettingsError: a server cannot be installed or started, or advertises other tools than are pinned.
    """
    setups = {lane.setup.name: lane.setup for lane in lanes if _calls_foreign_server(lane)}
    for setup in setups.values():
        tell(f"preparing {setup.name}")
        prepare_setup(setup, session)


def _calls_foreign_server(lane: Lane) -> bool:
    server = lane.setup.server
    # The closed web's server is part of this package: its version is pinned with it.
    foreign = server is not None and not server.uses_closed_web
    return foreign and lane.agent.calls_tools and lane.agent.explain_unsupported(lane.setup) is None


def prepare_setup(setup: SearchSetup, session: BenchmarkSession) -> None:
    """Compare what one provider's server advertises with the pin. Raises SettingsError on a difference."""
    drift = compare_pin(setup, read_advertised(setup, session))
    if drift is not None:
        raise SettingsError(drift.explain())


def read_advertised(setup: SearchSetup, session: BenchmarkSession) -> tuple[ToolPin, ...]:
    """The tools that the setup's server advertises, after installing and starting it.

    Raises:
        SettingsError: it cannot be installed, or does not start.
    """
    from pytest_searchlight.providers.probe import probe_server

    install_server(setup, session.installs)
    try:
        return probe_server(setup, launch=session.build_launch(setup, closed_web=None))
    except RunError as error:
        raise SettingsError(str(error)) from error
