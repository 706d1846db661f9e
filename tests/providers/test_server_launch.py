from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_searchlight.domain import SearchSetup, ServerPin, SetupKind, ToolPin
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.providers import build_server_launch


def make_setup(**server: object) -> SearchSetup:
    pin = ServerPin.model_validate({"version": "1", **server})
    return SearchSetup(name="own", kind=SetupKind.PROVIDER, server=pin, tools=(ToolPin(name="find"),))


def test_placeholders_become_this_sessions_places_and_other_braces_stay(tmp_path: Path) -> None:
    setup = make_setup(
        command=["{python}", "{project}/server.py", "--web", "{closed_web}"],
        environment={"DEFAULTS": '{"depth": 1}', "TOKEN": "t-${MY_TOKEN}"},
    )
    launch = build_server_launch(
        setup,
        closed_web=tmp_path / "web",
        secrets={"MY_TOKEN": "s3cret"},
        installs=tmp_path / "installs",
        project=tmp_path,
    )
    assert launch["command"] == [sys.executable, f"{tmp_path}/server.py", "--web", f"{tmp_path}/web"]
    environment = launch["env"]
    assert isinstance(environment, dict)
    assert environment["DEFAULTS"] == '{"depth": 1}'
    assert environment["TOKEN"] == "t-s3cret"


def test_the_server_gets_its_own_key_and_no_other_and_works_outside_the_workspace(tmp_path: Path) -> None:
    setup = make_setup(command=["{python}", "-c", ""], key_variable="MY_KEY")
    launch = build_server_launch(
        setup,
        closed_web=None,
        secrets={"MY_KEY": "mine", "OTHER_KEY": "other"},
        installs=tmp_path / "installs",
        network={"HTTPS_PROXY": "http://proxy.test:1", "OTHER_KEY": "other", "PYTHONPATH": "/x"},
    )
    environment = launch["env"]
    assert isinstance(environment, dict)
    assert environment.keys() == {"HOME", "PATH", "HTTPS_PROXY", "MY_KEY"}
    assert environment["MY_KEY"] == "mine"
    assert launch["cwd"] == str(tmp_path / "installs" / "cwd" / "own")
    assert Path(str(launch["cwd"])).is_dir()


def test_a_hosted_server_gets_its_headers_with_the_key(tmp_path: Path) -> None:
    setup = make_setup(
        url="https://search.test/mcp", headers={"Authorization": "Bearer ${MY_KEY}"}, key_variable="MY_KEY"
    )
    launch = build_server_launch(setup, closed_web=None, secrets={"MY_KEY": "mine"}, installs=tmp_path)
    assert launch == {"url": "https://search.test/mcp", "headers": {"Authorization": "Bearer mine"}}


@pytest.mark.parametrize("name", ["exa", "tavily", "parallel", "firecrawl", "brave", "perplexity"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_no_shipped_provider_can_be_launched_without_its_key(
    name: str, value: str | None, setups: dict[str, SearchSetup], tmp_path: Path
) -> None:
    variable = f"{name.upper()}_API_KEY"
    secrets = {} if value is None else {variable: value}
    with pytest.raises(SettingsError, match=rf"'{name}' needs the key {variable}.*\.env"):
        build_server_launch(setups[name], closed_web=None, secrets=secrets, installs=tmp_path)


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ({"command": ["{python}", "{closed_web}"]}, r"uses \{closed_web\}, which has no value here"),
        ({"command": ["{python}", "{project}/x"]}, r"uses \{project\}"),
        ({"command": ["{python}", "{install}/x"]}, r"uses \{install\}"),
        ({"command": ["no-such-program-here"]}, "'no-such-program-here', which is not on PATH"),
        ({"command": ["{python}"], "environment": {"A": "${MISSING_KEY}"}}, "needs the key MISSING_KEY"),
    ],
)
def test_a_server_that_cannot_be_launched_here_is_refused_with_the_reason(
    server: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=f"'own'.*{message}"):
        build_server_launch(make_setup(**server), closed_web=None, secrets={}, installs=tmp_path)


def test_a_setup_without_a_server_has_nothing_to_launch(
    setups: dict[str, SearchSetup], tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match="no server to start"):
        build_server_launch(setups["floor"], closed_web=None, secrets={}, installs=tmp_path)
