from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_searchlight.domain import SearchSetup, ServerPin, SetupKind, ToolPin
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.providers import find_install, install_server

ROOT = Path(__file__).parents[2]
PIN = ServerPin(package="@press/mcp-server", version="2.0.1", command=("node", "{install}/x"))
SETUP = SearchSetup(name="press", kind=SetupKind.PROVIDER, server=PIN, tools=(ToolPin(name="find"),))

WORKER = """
import pathlib, sys
from pytest_searchlight.domain import SearchSetup
from pytest_searchlight.providers import install_server
install_server(SearchSetup.model_validate_json(sys.argv[2]), pathlib.Path(sys.argv[1]))
"""
NPM = """#!{python}
import json, os, pathlib, sys, time
with open(os.environ["NPM_LOG"], "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
time.sleep(float(os.environ.get("NPM_TAKES_S", "0")))
if os.environ.get("NPM_SAYS"):
    sys.exit(os.environ["NPM_SAYS"])
folder = pathlib.Path("node_modules/@press/mcp-server")
folder.mkdir(parents=True)
version = os.environ.get("NPM_VERSION", "2.0.1")
(folder / "package.json").write_text(json.dumps({{"version": version}}))
"""


@pytest.fixture
def npm_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for npm, alone on PATH; the file gets a line for each time it is run."""
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(NPM.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("NPM_LOG", str(tmp_path / "npm.log"))
    return tmp_path / "npm.log"


def test_the_pinned_version_is_installed_once_without_running_scripts(npm_log: Path, tmp_path: Path) -> None:
    installs = tmp_path / "installs"
    folder = install_server(SETUP, installs)
    assert folder == find_install(PIN, installs)
    assert (folder / "node_modules" / "@press" / "mcp-server" / "package.json").is_file()
    assert install_server(SETUP, installs) == folder
    (command,) = npm_log.read_text().splitlines()
    assert command.endswith("@press/mcp-server@2.0.1")
    assert "--ignore-scripts" in command


def test_workers_that_ask_at_the_same_time_share_one_installation(
    npm_log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPM_TAKES_S", "0.3")
    command = [sys.executable, "-c", WORKER, str(tmp_path / "installs"), SETUP.model_dump_json()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    workers = [subprocess.Popen(command, env=environment) for _ in range(2)]
    assert [process.wait(timeout=60) for process in workers] == [0, 0]
    assert len(npm_log.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"NPM_SAYS": "npm error code E404"},
            r"could not install @press/mcp-server@2\.0\.1 \(code E404\); correct",
        ),
        ({"NPM_SAYS": "npm error getaddrinfo ENOTFOUND r.test"}, "cannot reach its registry.*copy it to"),
        ({"NPM_VERSION": "2.0.2"}, r"installed @press/mcp-server@2\.0\.2, but 2\.0\.1 is pinned"),
    ],
)
def test_a_failed_installation_says_why_and_leaves_nothing_that_looks_installed(
    npm_log: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    message: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    installs = tmp_path / "installs"
    with pytest.raises(SettingsError, match=f"'press'.*{message}"):
        install_server(SETUP, installs)
    assert npm_log.is_file()
    assert list((installs / "@press").iterdir()) == []


def test_without_npm_the_message_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingsError, match="needs npm, which is not on PATH"):
        install_server(SETUP, tmp_path / "installs")


def test_a_server_that_is_no_npm_package_needs_no_installation(
    setups: dict[str, SearchSetup], tmp_path: Path
) -> None:
    assert install_server(setups["parallel"], tmp_path) is None
    assert install_server(setups["closed-web"], tmp_path) is None
    assert install_server(setups["floor"], tmp_path) is None
    assert list(tmp_path.iterdir()) == []
