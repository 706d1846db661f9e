"""What is wrong with a catalog: every broken rule with its place, value, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue, ValidationError

from pytest_searchlight.catalog.format import Defaults, WrittenCatalog
from pytest_searchlight.catalog.schema_rules import find_schema_faults
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
    CatalogTask,
    Freshness,
    KeyFact,
    Record,
    Reference,
    Rubric,
    Task,
    WrongAnswer,
)

Location = tuple[str | int, ...]
"""Keys and indexes that lead to a part of the file."""


@dataclass(frozen=True)
class Problem:
    """One rule that a catalog breaks: where, and what to say about it."""

    location: Location
    message: str


# --- fields that cannot be read ---------------------------------------------------------------------------

_RECORDS: Final[Mapping[str, type[Record]]] = {
    "": WrittenCatalog,
    "defaults": Defaults,
    "tasks": CatalogTask,
    "budgets": Budgets,
    "reference": Reference,
    "freshness": Freshness,
    "rubric": Rubric,
    "key_facts": KeyFact,
    "wrong_answers": WrongAnswer,
}
"""Which record stands under which key, so that an unknown field can be told its nearest name."""

_ADVICE: Final[Mapping[str, str]] = {
    "missing": "add it",
    "string_type": "put it in quotes",
    "string_pattern_mismatch": "use a-z, 0-9, '.', '_' and '-', and start with a letter or digit",
    "too_short": "add one",
    "string_too_short": "write something",
    "date_from_datetime_parsing": "write it as YYYY-MM-DD",
}


def name_place(location: Location, written: JsonValue) -> str:
    """``task 'id', field /a/b: ``, or the part of it that is known."""
    task = ""
    if location[:1] == ("tasks",) and len(location) > 1:
        identity = resolve_pointer(written, join_pointer((*location[:2], "id")))
        task = f"task {identity!r}" if isinstance(identity, str) else f"task number {int(location[1]) + 1}"
        location = location[2:]
    field = f"field {join_pointer(location)}" if location else ""
    return ", ".join(part for part in (task, field) if part) + (": " if task or field else "")


def explain_errors(error: ValidationError, written: JsonValue) -> list[Problem]:
    """The problems behind a pydantic error about `written`; none of a whole whose part has one already."""
    problems = [_explain_error(each, written) for each in error.errors(include_url=False)]
    above = {each.location[:length] for each in problems for length in range(len(each.location))}
    return [each for each in problems if each.location not in above]


def _explain_error(error: Any, written: JsonValue) -> Problem:  # noqa: ANN401 - pydantic's own dictionary
    location: Location = error["loc"]
    kind: str = error["type"]
    if kind == "extra_forbidden":
        return Problem(location, _suggest_field(location))
    found = resolve_pointer(written, join_pointer(location))
    value = "absent" if found is ABSENT else shorten(found)
    advice = _ADVICE.get(kind, "correct the value")
    if kind == "string_type" and isinstance(found, dict | list):
        advice = "write text"
    return Problem(location, f"{value} → {error['msg'].lower()} → {advice}")


def _suggest_field(location: Location) -> str:
    parents = [step for step in location[:-1] if isinstance(step, str)]
    record = _RECORDS.get(parents[-1] if parents else "")
    names = list(record.model_fields) if record else []
    near = difflib.get_close_matches(str(location[-1]), names, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"remove it; known are {', '.join(names)}"
    return f"unknown field → only known fields are read → {advice}"


# --- tasks that can be read but not run -------------------------------------------------------------------


def find_faults(tasks: Iterable[tuple[int, Task]]) -> Iterator[Problem]:
    """What is wrong with readable tasks; each comes with its place in the file's list."""
    seen: dict[str, int] = {}
    for index, task in tasks:
        first = seen.setdefault(task.id, index)
        if first != index:
            yield Problem(
                ("tasks", index, "id"),
                f"{task.id!r} → ids are unique in a catalog → rename this one or task number {first + 1}",
            )
        yield from _find_task_faults(task, ("tasks", index))


def _find_task_faults(task: Task, place: Location) -> Iterator[Problem]:
    if task.id in RESERVED_WORDS:
        yield Problem((*place, "id"), f"{task.id!r} → pytest -k reads it as an operator → choose another id")
    for location, message in find_schema_faults(task.deliverable):
        yield Problem((*place, "deliverable", *location), message)
    yield from _find_pointer_faults(task, place)
    if not task.checks and task.rubric is None:
        yield Problem(
            (*place, "checks"), "absent → an answer must be graded by something → add checks or a rubric"
        )


def _find_pointer_faults(task: Task, place: Location) -> Iterator[Problem]:
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
