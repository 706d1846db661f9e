"""Catalogs: YAML files of tasks, read into frozen records or refused with every problem they have.

A problem reads ``file:line: task 'id', field /a/b: value → rule → what to do``.
"""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pydantic import Field, JsonValue, PositiveInt, ValidationError

from pytest_searchlight.deliverables import (
    ABSENT,
    find_subschema,
    join_pointer,
    list_fields,
    resolve_pointer,
    shorten,
)
from pytest_searchlight.domain import (
    RESERVED_WORDS,
    Budgets,
    Freshness,
    KeyFact,
    Record,
    Reference,
    Rubric,
    Slug,
    Task,
    Text,
    WrongAnswer,
    hash_content,
)
from pytest_searchlight.errors import CatalogError
from pytest_searchlight.schema_rules import find_schema_faults
from pytest_searchlight.yaml_source import YamlSource, read_yaml

SUFFIXES: Final = frozenset({".yaml", ".yml"})
PEEK_BYTES: Final = 8192
SHOWN_PROBLEMS: Final = 50

_MARK: Final = re.compile(rb"^catalog[ \t]*:", re.MULTILINE)
_Location = tuple[str | int, ...]


class Defaults(Record):
    """What a catalog sets for all its tasks; options of the session win over it."""

    agents: tuple[Slug, ...] = ()
    setups: tuple[Slug, ...] = ()
    repetitions: PositiveInt = 1
    budgets: Budgets = Budgets()


class CatalogFile(Record):
    """A catalog as it is written."""

    catalog: Slug
    title: Text
    description: Text
    defaults: Defaults = Defaults()
    tasks: tuple[Task, ...] = Field(min_length=1)


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


@dataclass(frozen=True)
class Problem:
    """One rule that a catalog breaks: where, and what to say about it."""

    location: _Location
    message: str


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
        raise CatalogError(
            f"{path}:1: {_name_type(source.value)} → a catalog is a mapping → start with 'catalog: <name>'"
        )
    written = _fill_defaults(source.value)
    try:
        read = CatalogFile.model_validate(written)
    except ValidationError as error:
        problems = [_explain_error(each, written) for each in error.errors(include_url=False)]
        raise _compose_error(path, source, [*problems, *_find_faults_beside(written, problems)]) from None
    faults = list(_find_faults(read.tasks))
    if faults:
        raise _compose_error(path, source, faults)
    return _make_catalog(read, path)


def _make_catalog(read: CatalogFile, path: Path) -> Catalog:
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


# --- problems ---------------------------------------------------------------------------------------------

_RECORDS: Final[Mapping[str, type[Record]]] = {
    "": CatalogFile,
    "defaults": Defaults,
    "tasks": Task,
    "budgets": Budgets,
    "reference": Reference,
    "freshness": Freshness,
    "rubric": Rubric,
    "key_facts": KeyFact,
    "wrong_answers": WrongAnswer,
}
"""Which record stands under which key, so that an unknown field can be told its nearest name."""

_TEXT_ADVICE: Final = "put it in quotes"
_ADVICE: Final[Mapping[str, str]] = {
    "missing": "add it",
    "string_type": _TEXT_ADVICE,
    "string_pattern_mismatch": "use lower-case letters, digits, '.', '_' and '-', and start with a letter or digit",
    "too_short": "add one",
    "string_too_short": "write something",
    "date_from_datetime_parsing": "write it as YYYY-MM-DD",
}


def _compose_error(path: Path, source: YamlSource, problems: list[Problem]) -> CatalogError:
    lines = [
        f"{path}:{source.find_line(problem.location)}: {_name_place(source.value, problem.location)}"
        f"{problem.message}"
        for problem in problems[:SHOWN_PROBLEMS]
    ]
    if len(problems) > SHOWN_PROBLEMS:
        lines.append(f"{path}: and {len(problems) - SHOWN_PROBLEMS} more")
    return CatalogError("\n".join(lines))


def _name_place(written: JsonValue, location: _Location) -> str:
    """``task 'id', field /a/b: ``, or the part of it that is known."""
    task = ""
    if location[:1] == ("tasks",) and len(location) > 1:
        identity = resolve_pointer(written, join_pointer((*location[:2], "id")))
        task = f"task {identity!r}" if isinstance(identity, str) else f"task number {int(location[1]) + 1}"
        location = location[2:]
    field = f"field {join_pointer(location)}" if location else ""
    return ", ".join(part for part in (task, field) if part) + (": " if task or field else "")


def _explain_error(error: Any, written: JsonValue) -> Problem:  # noqa: ANN401 - pydantic's own dictionary
    location: _Location = tuple(step for step in error["loc"] if not _is_union_label(step))
    kind: str = error["type"]
    if kind == "extra_forbidden":
        return Problem(location, _suggest_field(location))
    found = resolve_pointer(written, join_pointer(location))
    value = "absent" if found is ABSENT else shorten(found)  # type: ignore[arg-type]
    advice = _ADVICE.get(kind, "correct the value")
    if kind == "string_type" and isinstance(found, dict | list):
        advice = "write text"
    return Problem(location, f"{value} → {error['msg'].lower()} → {advice}")


def _is_union_label(step: object) -> bool:
    """Whether pydantic put the name of a union's branch into the location."""
    return isinstance(step, str) and step in {"str", "int", "float", "bool", "list[any]", "dict[str,any]"}


def _suggest_field(location: _Location) -> str:
    parents = [step for step in location[:-1] if isinstance(step, str)]
    record = _RECORDS.get(parents[-1] if parents else "")
    names = list(record.model_fields) if record else []
    near = difflib.get_close_matches(str(location[-1]), names, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"remove it; known are {', '.join(names)}"
    return f"unknown field → only known fields are read → {advice}"


def _find_faults_beside(written: dict[str, JsonValue], problems: list[Problem]) -> Iterator[Problem]:
    """The faults of those tasks that could be read although others could not."""
    tasks = written.get("tasks")
    bad = {problem.location[1] for problem in problems if len(problem.location) > 1}
    readable = {
        index: Task.model_validate(task)
        for index, task in enumerate(tasks if isinstance(tasks, list) else [])
        if index not in bad and problems and not any(each.location == ("tasks",) for each in problems)
    }
    for index, task in readable.items():
        yield from _find_task_faults(task, ("tasks", index))


def _find_faults(tasks: tuple[Task, ...]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for index, task in enumerate(tasks):
        first = seen.setdefault(task.id, index)
        if first != index:
            yield Problem(
                ("tasks", index, "id"),
                f"{task.id!r} → ids are unique in a catalog → rename this one or task number {first + 1}",
            )
        yield from _find_task_faults(task, ("tasks", index))


def _find_task_faults(task: Task, place: _Location) -> Iterator[Problem]:
    if task.id in RESERVED_WORDS:
        yield Problem((*place, "id"), f"{task.id!r} → pytest -k reads it as an operator → choose another id")
    faults = list(find_schema_faults(task.deliverable))
    for location, message in faults:
        yield Problem((*place, "deliverable", *location), message)
    if not faults:
        yield from _find_pointer_faults(task, place)
    if not task.checks and task.rubric is None:
        yield Problem(
            (*place, "checks"), "absent → an answer must be graded by something → add checks or a rubric"
        )


def _find_pointer_faults(task: Task, place: _Location) -> Iterator[Problem]:
    """Pointers in the checks that the deliverable has no field for."""
    for index, check in enumerate(task.checks):
        for word, pointer in _list_pointers(check.params):
            message = _explain_pointer(pointer, task.deliverable)
            if message is not None:
                yield Problem((*place, "checks", index, word), message)


def _list_pointers(params: dict[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    if "field" in params:
        yield "field", params["field"]
    several = params.get("fields", [])
    for pointer in several if isinstance(several, list) else [several]:
        yield "fields", pointer


def _explain_pointer(pointer: JsonValue, schema: dict[str, JsonValue]) -> str | None:
    if not isinstance(pointer, str) or not pointer.startswith("/"):
        return f"{shorten(pointer)} → fields are JSON pointers into the deliverable → write it as '/name'"
    if find_subschema(schema, pointer) is not None:
        return None
    fields = list_fields(schema)
    near = difflib.get_close_matches(pointer, fields, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"its fields are {', '.join(fields) or 'none'}"
    return f"{pointer!r} → the deliverable has no such field → {advice}"


def _name_type(value: JsonValue) -> str:
    names = {"list": "a list", "str": "text", "int": "a number", "float": "a number", "NoneType": "nothing"}
    return names.get(type(value).__name__, type(value).__name__)


# --- schema for editors -----------------------------------------------------------------------------------


def export_catalog_schema(validators: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """JSON Schema of a catalog file, for editors; `validators` maps each check's kind to its params' schema."""
    schema: dict[str, Any] = CatalogFile.model_json_schema()
    definitions: dict[str, Any] = schema["$defs"]
    branches = []
    for kind, params in validators.items():
        own: dict[str, Any] = dict(params)
        definitions.update(own.pop("$defs", {}))
        own["properties"] = {"kind": {"const": kind}, **own.get("properties", {})}
        own["required"] = ["kind", *own.get("required", [])]
        branches.append(own)
    if branches:
        definitions["Check"] = {"title": "Check", "oneOf": branches}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
