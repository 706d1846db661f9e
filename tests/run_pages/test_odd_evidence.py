"""Evidence whose hashes hold and whose content is nonsense: its page still comes, and says what is wrong."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from run_pages.staged_session import StagedSession

from pytest_searchlight.run_pages import RunPages
from pytest_searchlight.run_pages.listing import RunList

FILES = (
    "run.json",
    "tool_calls.jsonl",
    "metering.jsonl",
    "audit.json",
    "verdicts.json",
    "judgement.json",
    "deliverable.json",
)
NONSENSE: tuple[object, ...] = (None, 0, -1, 1e308, "", "x", [], {}, [1], {"a": 1}, True, "\ud800", 10**30)
TRIES = 40


@pytest.mark.parametrize("name", FILES)
def test_nonsense_under_a_seal_is_shown_or_told_and_never_an_exception(
    staged: StagedSession, name: str
) -> None:
    run_id = staged.add_full_run()
    folder, dice = staged.folder.runs / run_id, random.Random(name)
    sound = {file: (folder / file).read_text() for file in ("run.json", name)}
    told = 0
    for _ in range(TRIES):
        damage(folder, name, sound=sound, dice=dice)
        pages = RunPages(session=staged.folder, runs=RunList(staged.folder).read(), shown_root="staged")
        assert pages.render("index.html")
        page = pages.render(f"runs/{run_id}.html")
        assert page is not None
        told += b"cannot be trusted" in page
    assert told or name == "deliverable.json"


def damage(folder: Path, name: str, *, sound: dict[str, str], dice: random.Random) -> None:
    """Put nonsense at some place of the file `name`, and seal it."""
    lines = [json.loads(line) for line in sound[name].splitlines() if line]
    number = dice.randrange(len(lines))
    place = dice.choice(list(list_places(lines[number])))
    lines[number] = put(lines[number], place, dice.choice(NONSENSE))
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / name).write_text(text)
    if name != "run.json":
        head = json.loads(sound["run.json"])
        head["files"][name] = hashlib.sha256(text.encode()).hexdigest()
        (folder / "run.json").write_text(json.dumps(head))


def list_places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - JSON
    """Where a JSON value has values: itself, and all in it."""
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from list_places(each, (*place, key))


def put(value: Any, place: tuple[Any, ...], nonsense: object) -> Any:  # noqa: ANN401 - JSON
    """`value` with `nonsense` at `place`."""
    if not place:
        return nonsense
    value[place[0]] = put(value[place[0]], place[1:], nonsense)
    return value
