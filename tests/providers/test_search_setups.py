from __future__ import annotations

from pathlib import Path

import pytest

from pytest_searchlight.domain import FailureKind, SearchSetup, SetupKind
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import Registry
from pytest_searchlight.providers import SETUPS_FILE, read_setups, register_setups

PROVIDERS = {"exa", "tavily", "parallel", "firecrawl", "brave", "perplexity"}
OWN_SETUP = """
own:
  kind: provider
  server: {version: "1", command: ["{python}", "{project}/server.py"]}
  tools: [{name: find}]
"""

HOSTED = """
own:
  kind: provider
  tools: [{name: x}]
  server: {version: "1", url: http://x}
"""
TARIFF = "{usd_per_call: 1, source: a page, checked: 2026-01-01}"
RULE = "{shape: error-result, pattern: '(', kind: auth}"


def write_config(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SETUPS_FILE).write_text(text)
    return folder


def test_the_shipped_setups_are_the_six_providers_the_closed_web_and_four_without_a_server(
    setups: dict[str, SearchSetup],
) -> None:
    assert setups.keys() == PROVIDERS | {"closed-web", "built-in", "no-search", "floor", "ceiling"}
    with_server = {name for name, setup in setups.items() if setup.server}
    assert with_server == PROVIDERS | {"closed-web"}


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_a_shipped_provider_is_pinned_has_a_key_and_prices_or_explains_every_tool_it_lists(
    name: str, setups: dict[str, SearchSetup]
) -> None:
    setup = setups[name]
    assert setup.server is not None
    assert setup.server.key_variable == f"{name.upper()}_API_KEY"
    assert setup.failures
    priced_by_report = bool(setup.unit_prices)
    assert priced_by_report or setup.tariffs.keys() == setup.tool_names


def test_prices_prose_and_failure_texts_leave_the_pin_hash_alone(setups: dict[str, SearchSetup]) -> None:
    setup = setups["exa"]
    assert setup.model_copy(update={"tariffs": {}, "failures": ()}).pin_hash == setup.pin_hash
    assert setup.model_copy(update={"tools": setup.tools[:1]}).pin_hash != setup.pin_hash


def test_a_project_adds_its_own_setups_to_the_shipped_ones(
    tmp_path: Path, setups: dict[str, SearchSetup]
) -> None:
    shipped = Path(__file__).parents[2] / "config"
    registry = Registry()
    register_setups(registry, [shipped, write_config(tmp_path, OWN_SETUP), tmp_path / "absent"])
    assert set(registry.setups) == {*setups, "own"}
    assert registry.setups.get("own").kind is SetupKind.PROVIDER


def test_a_name_that_is_taken_is_refused_with_both_files(tmp_path: Path) -> None:
    first, second = write_config(tmp_path / "a", OWN_SETUP), write_config(tmp_path / "b", OWN_SETUP)
    with pytest.raises(SettingsError, match=r"b/provider-arm-tools\.yaml: setup 'own' .*/a/provider-arm"):
        read_setups([first, second])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "must map names of setups to setups"),
        ("own: provider", r":1: own: 'provider' is not a setup"),
        ("own:\n  kind: search", r":2: own\.kind: 'search': "),
        ("own:\n  kind: provider\n  tols: []", r":3: own\.tols: .*no such field is read"),
        ("Own:\n  kind: floor", r"Own\.name: 'Own': "),
        ("not:\n  kind: floor", "operator"),
        ("own: {kind: floor}\nown: {kind: floor}", r":2: key 'own' is written twice"),
        ("own: {kind: floor, tools: [{name: x}]}", "brings no server"),
        ("own: {kind: provider, tools: [{name: x}]}", "needs `server`"),
        ("own: {kind: provider, server: {version: '1', command: [x]}}", "list every tool"),
        (HOSTED.replace("url: http://x", ""), "either `command`"),
        (HOSTED.replace("http://x", "ftp://x"), "must start with https"),
        (HOSTED.replace("url: http://x", "command: [x], headers: {a: b}"), "takes headers"),
        (HOSTED.replace("http://x", "http://x, environment: {a: b}"), "has an environment"),
        (HOSTED.replace("http://x", "http://x, key_variable: SHELF"), "'SHELF' must be named as a secret"),
        (HOSTED.replace("http://x", "http://x, headers: {a: '${PASS}'}"), "'PASS' must be named as a secret"),
        (HOSTED.replace("[{name: x}]", "[{name: x}, {name: x}]"), "names a tool twice"),
        (f"{HOSTED}  tariffs: {{y: [{TARIFF}]}}", r"tariffs\.y: no such tool"),
        (f"{HOSTED}  failures: [{RULE}]", r"failures\.0\.pattern: '\(' is not a regular expression"),
    ],
)
def test_a_broken_configuration_is_refused_with_file_place_value_and_rule(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as refusal:
        read_setups([write_config(tmp_path, text)])
    assert SETUPS_FILE in str(refusal.value)


def test_a_configuration_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / SETUPS_FILE).write_bytes(b"own: {kind: \xff}")
    with pytest.raises(SettingsError, match="UTF-8"):
        read_setups([tmp_path])


def test_every_failure_kind_is_used_by_some_shipped_provider(setups: dict[str, SearchSetup]) -> None:
    used = {rule.kind for setup in setups.values() for rule in setup.failures}
    assert used == set(FailureKind)
