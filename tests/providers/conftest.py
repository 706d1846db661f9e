from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from provider_stage.fake_provider_api import FakeProviderApi, serve_provider_api
from provider_stage.provider_lab import Lab

from pytest_searchlight.domain import SearchSetup
from pytest_searchlight.providers import find_install, read_setups

ROOT = Path(__file__).parents[2]
collect_ignore = ["own_project"]  # a project of its own, which the tests copy
PACKAGES = ROOT / "tests" / "npm-providers"


@pytest.fixture(scope="session")
def setups() -> dict[str, SearchSetup]:
    """The setups that ship with Searchlight."""
    return read_setups([ROOT / "config"])


@pytest.fixture(scope="session")
def installs(tmp_path_factory: pytest.TempPathFactory, setups: dict[str, SearchSetup]) -> Path:
    """An installs folder in which every pinned npm package stands, as locked for the tests."""
    _install_packages(lock=tmp_path_factory.getbasetemp().parent / "npm-providers.lock")
    folder = tmp_path_factory.mktemp("installs")
    for setup in setups.values():
        if setup.server and setup.server.package:
            target = find_install(setup.server, folder)
            target.parent.mkdir(exist_ok=True)
            target.symlink_to(PACKAGES)
    return folder


@pytest.fixture(scope="session")
def running_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeProviderApi]:
    with serve_provider_api(tmp_path_factory.mktemp("api")) as api:
        yield api


@pytest.fixture
def api(running_api: FakeProviderApi) -> Iterator[FakeProviderApi]:
    """The fake provider API, without requests or canned answers of earlier tests."""
    running_api.reset()
    yield running_api
    running_api.reset()


@pytest.fixture
def lab(api: FakeProviderApi, setups: dict[str, SearchSetup], installs: Path, tmp_path: Path) -> Lab:
    return Lab(setups=setups, api=api, installs=installs, folder=tmp_path)


def _install_packages(*, lock: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("the providers' real servers need node and npm on PATH")
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if (PACKAGES / "node_modules" / ".package-lock.json").is_file():
            return
        done = subprocess.run(
            [npm, "ci"], cwd=PACKAGES, capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"npm cannot install the providers' real servers here: {done.stderr[-300:]}")
