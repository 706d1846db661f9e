"""Configuration files are complained of with file, line, field and value."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pytest_searchlight.config_file import read_config
from pytest_searchlight.errors import SettingsError

_SHAPE = TypeAdapter(dict[str, dict[str, int]])


def write(folder: Path, content: bytes) -> Path:
    file = folder / "some.yaml"
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("content", [b"", b"# nothing yet\n"])
def test_a_file_without_content_is_an_empty_mapping(tmp_path: Path, content: bytes) -> None:
    assert read_config(write(tmp_path, content), _SHAPE) == {}


@pytest.mark.parametrize(
    ("content", "place", "rule"),
    [
        (b"exa:\n  calls: many\n", ":2: exa.calls: 'many': ", "valid integer"),
        (b"- exa\n", ":1: the file: ['exa']: ", "should be a mapping; write it as {name: value}"),
        (b"exa: {calls: 1, calls: 2}\n", ":1: key 'calls' is written twice", "keep one"),
        (b"exa: \xff\n", ": not UTF-8", "save it as UTF-8"),
    ],
)
def test_what_breaks_a_rule_is_named_with_its_place(
    tmp_path: Path, content: bytes, place: str, rule: str
) -> None:
    file = write(tmp_path, content)

    with pytest.raises(SettingsError) as raised:
        read_config(file, _SHAPE)

    assert f"{file}{place}" in str(raised.value)
    assert rule in str(raised.value)


def test_a_folder_in_place_of_the_file_is_said_to_be_unreadable(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot be read"):
        read_config(tmp_path, _SHAPE)
