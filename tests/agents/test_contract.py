from __future__ import annotations

from pathlib import Path

import pytest
from agent_stage import AGENTS, REPOSITORY, make_server, make_setup, read_pin

from pytest_searchlight.agents.claude_code import build_command as build_claude_command
from pytest_searchlight.agents.codex import build_command as build_codex_command
from pytest_searchlight.agents.codex import write_config
from pytest_searchlight.agents.contract import Contract, name_server_tool, write_contract
from pytest_searchlight.agents.installation import Installation
from pytest_searchlight.agents.pins import read_agent_pins
from pytest_searchlight.agents.products import register_products
from pytest_searchlight.domain import SetupKind
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.extensions import McpServer, Registry


def make_contract(agent: str, kind: SetupKind) -> Contract:
    server = make_server() if kind is SetupKind.PROVIDER else None
    return write_contract(read_pin(agent), setup=make_setup(kind), server=server)


def find_option(command: list[str], option: str) -> set[str]:
    return {part.partition("(")[0] for part in command[command.index(option) + 1].split(",") if part}


@pytest.mark.parametrize("kind", SetupKind)
def test_claude_code_approves_exactly_what_it_exposes(kind: SetupKind) -> None:
    contract = make_contract("claude-code", kind)
    command = build_claude_command("claude", contract=contract, model="m", config=Path("mcp.json"))
    exposed = find_option(command, "--tools") | set(contract.server_tools)
    assert find_option(command, "--allowedTools") == exposed == set(contract.tools)


@pytest.mark.parametrize("kind", SetupKind)
def test_codex_says_of_every_setup_whether_it_searches(kind: SetupKind) -> None:
    contract = make_contract("codex", kind)
    config = write_config(contract, installation=Installation(program="codex"))
    command = build_codex_command("codex", contract=contract, model="m", pin=read_pin("codex"))
    searches = kind is SetupKind.BUILT_IN
    assert f'web_search = "{"live" if searches else "disabled"}"\n' in config
    assert ("--search" in command) == searches
    assert command.index("exec") == (2 if searches else 1)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("kind", [SetupKind.NO_SEARCH, SetupKind.FLOOR, SetupKind.CEILING])
def test_setups_without_search_expose_nothing(agent: str, kind: SetupKind) -> None:
    assert make_contract(agent, kind).tools == ()


def test_names_are_found_again_whatever_characters_they_have() -> None:
    server = McpServer(name="my.search", command=("x",), tools=("web/find",), start_timeout_s=1.0)
    contract = Contract(own_tools=(), server=server)
    (offered,) = contract.tools
    assert offered == "mcp__my_search__web_find" == name_server_tool("my.search", "web/find")
    assert contract.locate_tool(offered) == ("my.search", "web/find")
    assert contract.allows(server="my.search", tool="web/find")


def test_names_outside_the_contract_are_taken_apart() -> None:
    contract = make_contract("claude-code", SetupKind.PROVIDER)
    assert contract.locate_tool("mcp__other__find") == ("other", "find")
    assert contract.locate_tool("Bash") == (None, "Bash")
    assert not contract.allows(server="other", tool="find")
    assert not contract.allows(server=None, tool="Bash")


def test_codex_quotes_what_toml_would_misread() -> None:
    command = ("/opt/a b/python", "--spec", 'C:\\x"y\nz')
    server = McpServer(name="my.search", command=command, tools=("find",), start_timeout_s=120.0)
    config = write_config(Contract(own_tools=(), server=server), installation=Installation(program="codex"))
    assert '[mcp_servers."my.search"]' in config
    assert 'args = ["--spec", "C:\\\\x\\"y\\nz"]' in config
    assert "startup_timeout_sec = 120" in config


def test_both_products_are_registered_installed_or_not() -> None:
    registry = Registry()
    register_products(registry, folders=[REPOSITORY / "config"], environment={})
    assert list(registry.agents) == list(AGENTS)
    assert registry.agents.get("codex").find_version() is None
    assert registry.agents.get("claude-code").default_model == "claude-opus-5-5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("codex: {package: x}", r"agents\.yaml:1: codex\.version"),
        ("- codex", "should be a mapping"),
        ("a: 1\na: 2", "written twice"),
        ("other: &o\n  package: x\n  nonsense: 1", r"other\."),
    ],
)
def test_a_wrong_file_is_refused_with_place_value_and_rule(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "agents.yaml").write_text(text)
    with pytest.raises(SettingsError, match=message):
        read_agent_pins([tmp_path])


def test_an_agent_may_not_be_defined_twice(tmp_path: Path) -> None:
    (tmp_path / "agents.yaml").write_text((REPOSITORY / "config" / "agents.yaml").read_text())
    with pytest.raises(SettingsError, match="already defined"):
        read_agent_pins([REPOSITORY / "config", tmp_path])


def test_an_agent_without_an_adapter_is_refused(tmp_path: Path) -> None:
    text = (REPOSITORY / "config" / "agents.yaml").read_text().replace("codex:\n", "gemini:\n")
    (tmp_path / "agents.yaml").write_text(text)
    with pytest.raises(SettingsError, match="no adapter for 'gemini'"):
        register_products(Registry(), folders=[tmp_path], environment={})


def test_own_tools_and_those_that_nothing_takes_away_are_inside_the_contract() -> None:
    contract = Contract(own_tools=("web_search",), inert_tools=("read_mcp_resource",), server=None)
    tools = ("web_search", "read_mcp_resource", "shell")
    assert [contract.allows(server=None, tool=tool) for tool in tools] == [True, True, False]
    assert not contract.allows(server="my.search", tool="web_search")
