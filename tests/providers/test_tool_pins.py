from __future__ import annotations

import difflib
import shutil
from pathlib import Path

import pytest

from pytest_searchlight.domain import SearchSetup, ToolPin
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.providers import SETUPS_FILE, compare_pin, read_setups, write_pin

SHIPPED = Path(__file__).parents[2] / "config" / SETUPS_FILE
NEW_HASH = "0" * 64


def test_the_order_in_which_tools_are_advertised_is_no_drift(setups: dict[str, SearchSetup]) -> None:
    setup = setups["brave"]
    assert compare_pin(setup, setup.tools) is None
    assert compare_pin(setup, tuple(reversed(setup.tools))) is None


def test_drift_names_each_tool_that_came_went_or_changed(setups: dict[str, SearchSetup]) -> None:
    setup = setups["exa"]
    search, fetch = setup.tools
    changed = ToolPin(name=search.name, schema_sha256=NEW_HASH)
    drift = compare_pin(setup, (changed, ToolPin(name="answer_exa", schema_sha256=NEW_HASH)))
    assert drift is not None
    assert drift.changed == ((search, changed),)
    text = drift.explain()
    assert f"- {fetch.name}: pinned, but no longer advertised" in text
    assert "+ answer_exa: advertised, but not pinned" in text
    assert f"~ {search.name}: schema {str(search.schema_sha256)[:12]} pinned, 000000000000 advertised" in text
    assert "sew pin exa" in text


def test_a_tool_pinned_without_a_hash_agrees_with_any_schema(setups: dict[str, SearchSetup]) -> None:
    setup = setups["parallel"]
    advertised = [ToolPin(name=tool.name, schema_sha256=NEW_HASH) for tool in setup.tools]
    assert compare_pin(setup, advertised) is None


@pytest.mark.parametrize("name", ["exa", "firecrawl", "closed-web", "perplexity"])
def test_a_new_pin_changes_the_tools_of_that_setup_and_no_other_line(name: str, tmp_path: Path) -> None:
    file = Path(shutil.copy(SHIPPED, tmp_path))
    before = file.read_text().splitlines()
    setup = read_setups([tmp_path])[name]
    tools = [ToolPin(name=tool.name, schema_sha256=NEW_HASH) for tool in setup.tools]
    tools.append(ToolPin(name="odd: tool", schema_sha256=NEW_HASH))
    write_pin(name, file, tools=tools)
    assert read_setups([tmp_path]) == {
        **read_setups([SHIPPED.parent]),
        name: setup.model_copy(update={"tools": tuple(tools)}),
    }
    changes = list(difflib.unified_diff(before, file.read_text().splitlines(), n=0, lineterm=""))[2:]
    assert sum(line.startswith("-") for line in changes) == len(setup.tools)
    assert sum(line.startswith("+") for line in changes) == len(tools)


def test_a_pin_that_would_break_the_configuration_is_not_written(tmp_path: Path) -> None:
    file = Path(shutil.copy(SHIPPED, tmp_path))
    with pytest.raises(SettingsError, match=r"exa: tariffs\.web_\w+_exa: no such tool"):
        write_pin("exa", file, tools=[ToolPin(name="answer_exa")])
    assert file.read_text() == SHIPPED.read_text()
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "message"),
    [("floor", "floor: no list of `tools`"), ("nobody", "defines no setup 'nobody'")],
)
def test_a_setup_without_a_list_of_tools_cannot_be_pinned(name: str, message: str, tmp_path: Path) -> None:
    file = Path(shutil.copy(SHIPPED, tmp_path))
    with pytest.raises(SettingsError, match=message):
        write_pin(name, file, tools=[ToolPin(name="x")])
