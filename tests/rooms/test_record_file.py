"""A file that holds a record is complained of by place, rule and value, and with its caller's own advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_searchlight.domain import Record
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.record_file import read_record_file


class Ship(Record):
    name: str
    masts: int


def read(path: Path) -> Ship:
    return read_record_file(path, Ship, complain=lambda problem: SettingsError(f"{problem}; build another"))


def test_a_record_is_read(tmp_path: Path) -> None:
    file = tmp_path / "ship.json"
    file.write_text('{"name": "Fram", "masts": 3}')
    assert read(file) == Ship(name="Fram", masts=3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '{"name": "Fram", "masts": "three"}',
            "masts: Input should be a valid integer.*, got 'three'; build",
        ),
        ('{"name": "Fram"}', "^masts: Field required; build"),
        ("[1", "^Invalid JSON.*; build"),
    ],
)
def test_what_is_wrong_is_told_with_the_callers_advice(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "ship.json"
    file.write_text(content)
    with pytest.raises(SettingsError, match=said):
        read(file)


def test_a_file_that_is_not_there_is_told_too(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file or directory; build"):
        read(tmp_path / "ship.json")
