"""Finds and reads catalog files."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from pydantic import JsonValue, ValidationError

from pytest_searchlight.catalog.faults import Problem, explain_errors, find_faults, name_place
from pytest_searchlight.catalog.format import Defaults, WrittenCatalog
from pytest_searchlight.domain import CatalogTask, Task, hash_content
from pytest_searchlight.errors import CatalogError
from pytest_searchlight.yaml_source import YamlSource, read_yaml

SUFFIXES: Final = frozenset({".yaml", ".yml"})
PEEK_BYTES: Final = 8192
SHOWN_PROBLEMS: Final = 50

_MARK: Final = re.compile(rb"^catalog[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """A catalog that was read: its tasks in file order, with the catalog's defaults filled in.

    `closed_web` is the folder ``web`` beside the file, or None when there is none.
    """

    name: str
    title: str
    description: str
    path: Path
    defaults: Defaults
    tasks: tuple[Task, ...]
    closed_web: Path | None

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 (hex) of everything the catalog says, independent of where the file lies."""
        texts: list[JsonValue] = [self.name, self.title, self.description]
        defaults: JsonValue = self.defaults.model_dump(mode="json")
        return hash_content([*texts, defaults, *(task.content_hash for task in self.tasks)])


# --- finding ----------------------------------------------------------------------------------------------


def looks_like_catalog(path: Path) -> bool:
    """Whether the first 8 kB of a YAML file hold a line ``catalog:``. Never raises."""
    if path.suffix not in SUFFIXES:
        return False
    try:
        with path.open("rb") as file:
            head = file.read(PEEK_BYTES)
    except OSError:
        return False
    return _MARK.search(head.removeprefix(codecs.BOM_UTF8)) is not None


def find_catalogs(folder: Path) -> tuple[Path, ...]:
    """The catalog files under `folder`, sorted; hidden folders and closed webs are left out."""
    found = (path for path in folder.rglob("*") if looks_like_catalog(path))
    return tuple(sorted(path for path in found if not _is_hidden(path.relative_to(folder))))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "web" for part in path.parts[:-1])


# --- reading ----------------------------------------------------------------------------------------------


def read_catalog(path: Path) -> Catalog:
    """Read the catalog at `path`. Raises CatalogError that lists every problem found."""
    source = read_yaml(_read_text(path))
    if source.problems:
        raise CatalogError("\n".join(f"{path}:{each.line}: {each.message}" for each in source.problems))
    if not isinstance(source.value, dict):
        raise CatalogError(f"{path}:1: is no mapping → a catalog is one → start with 'catalog: <name>'")
    written = _fill_defaults(source.value)
    try:
        read = WrittenCatalog.model_validate(written)
    except ValidationError as error:
        problems = [*explain_errors(error, written), *find_faults(_list_readable(written))]
        raise _compose_error(path, source, problems) from None
    faults = list(find_faults(enumerate(read.tasks)))
    if faults:
        raise _compose_error(path, source, faults)
    return _make_catalog(read, path)


def _list_readable(written: dict[str, JsonValue]) -> Iterator[tuple[int, CatalogTask]]:
    """The tasks that can be read although something else in the file cannot, with their places."""
    tasks = written.get("tasks")
    for index, task in enumerate(tasks if isinstance(tasks, list) else []):
        with suppress(ValidationError):
            yield index, CatalogTask.model_validate(task)


def _compose_error(path: Path, source: YamlSource, problems: list[Problem]) -> CatalogError:
    lines = [
        f"{path}:{source.find_line(each.location)}: {name_place(each.location, source.value)}{each.message}"
        for each in problems[:SHOWN_PROBLEMS]
    ]
    if len(problems) > SHOWN_PROBLEMS:
        lines.append(f"{path}: and {len(problems) - SHOWN_PROBLEMS} more")
    return CatalogError("\n".join(lines))


def _make_catalog(read: WrittenCatalog, path: Path) -> Catalog:
    web = path.parent / "web"
    return Catalog(
        name=read.catalog,
        title=read.title,
        description=read.description,
        path=path,
        defaults=read.defaults,
        tasks=read.tasks,
        closed_web=web if web.is_dir() else None,
    )


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read: {error.strerror} → check the path") from error
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CatalogError(
            f"{path}:{line}: byte 0x{data[error.start]:02x} → catalogs are UTF-8 → save the file as UTF-8"
        ) from None
    return text.replace("\r\n", "\n")


def _fill_defaults(written: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Put the catalog's default budgets under those that a task sets itself."""
    defaults, tasks = written.get("defaults"), written.get("tasks")
    budgets = defaults.get("budgets") if isinstance(defaults, dict) else None
    if not isinstance(budgets, dict) or not isinstance(tasks, list):
        return written
    filled: list[JsonValue] = [_fill_budgets(task, budgets) for task in tasks]
    return {**written, "tasks": filled}


def _fill_budgets(task: JsonValue, budgets: dict[str, JsonValue]) -> JsonValue:
    own = task.get("budgets", {}) if isinstance(task, dict) else None
    if not isinstance(task, dict) or not isinstance(own, dict):
        return task
    return {**task, "budgets": {**budgets, **own}}
