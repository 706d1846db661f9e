"""Proves a catalog before anybody pays for running it: the right answers pass, the wrong ones fail.

A *problem* makes the catalog's numbers untrue; a *note* tells the author something to look at. Both read
``file: task 'id', field: value → rule → what to do``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from pydantic import JsonValue

from pytest_searchlight.answers import find_answer
from pytest_searchlight.catalog import Catalog
from pytest_searchlight.deliverables import find_subschema, find_violations, join_pointer, shorten
from pytest_searchlight.domain import CatalogTask, CheckOutcome, Score, Task
from pytest_searchlight.errors import CatalogError
from pytest_searchlight.extensions import Registry, Shelf
from pytest_searchlight.grading.scoring import RUBRIC_UNJUDGED, score_answer
from pytest_searchlight.validators.values import DATE, NUMBER, VERSION, read_date, read_number, read_version
from pytest_searchlight.validators.wording import normalise, tidy


@dataclass(frozen=True, kw_only=True)
class CatalogProof:
    """What proving a catalog brought to light.

    `problems` make its numbers untrue, `notes` ask the author to look, and `catches` say which checks each
    wrong answer fails.
    """

    catalog: Catalog
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    catches: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the catalog may be run."""
        return not self.problems


_Finding = tuple[str, str]
"""The field of a task, and what to say about it."""


def prove_catalog(catalog: Catalog, registry: Registry, *, today: date) -> CatalogProof:
    """Hold every task of `catalog` against its own reference and wrong answers, as of `today`."""
    problems: list[str] = []
    notes: list[str] = []
    catches: list[str] = []
    for task in catalog.tasks:
        assert isinstance(task, CatalogTask), "only a catalog that was read from a file can be proven"
        misfits = list(_check_kinds(task, registry))
        problems.extend(_place(catalog, task, each) for each in misfits or _disprove(task, registry))
        notes.extend(_place(catalog, task, each) for each in _take_notes(task, today))
        if not misfits:
            catches.extend(_place(catalog, task, each) for each in _list_catches(task, registry))
    return CatalogProof(catalog=catalog, problems=tuple(problems), notes=tuple(notes), catches=tuple(catches))


def list_unknown_defaults(catalog: Catalog, registry: Registry) -> Iterator[str]:
    """What a catalog names as its default and no session would find."""
    named: dict[str, tuple[Shelf[Any], tuple[str, ...]]] = {
        "agents": (registry.agents, catalog.defaults.agents),
        "setups": (registry.setups, catalog.defaults.setups),
        "judge": (registry.judges, (catalog.defaults.judge,)),
    }
    for field, (shelf, names) in named.items():
        for name in names:
            if name not in shelf:
                rule = f"no such {shelf.sort} → use one of {', '.join(shelf)}"
                yield f"{catalog.path}: defaults/{field}: {name!r} → {rule}"


def check_tasks(catalog: Catalog, registry: Registry) -> None:
    """Raise CatalogError when a check's kind is unknown or its parameters are wrong; quick."""
    problems = [
        _place(catalog, task, found) for task in catalog.tasks for found in _check_kinds(task, registry)
    ]
    if problems:
        raise CatalogError("\n".join(problems))


def _place(catalog: Catalog, task: Task, finding: _Finding) -> str:
    field, message = finding
    return f"{catalog.path}: task {task.id!r}, {field}: {message}"


def _check_kinds(task: Task, registry: Registry) -> Iterator[_Finding]:
    for index, check in enumerate(task.checks):
        if check.kind not in registry.validators:
            known = ", ".join(registry.validators)
            yield f"checks/{index}/kind", f"{check.kind!r} → no such check → use one of {known}"
            continue
        problem = registry.validators.get(check.kind).explain_params(check.params, task=task)
        if problem is not None:
            yield f"checks/{index} ({check.kind})", problem


# --- problems ---------------------------------------------------------------------------------------------

_WRAPPINGS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("bare", lambda answer: answer),
    ("fenced", lambda answer: f"```json\n{answer}\n```"),
    ("within prose", lambda answer: f"Here is what I found.\n\n```\n{answer}\n```\n\nAsk me for {{more}}."),
)
"""Ways in which agents write the same answer."""


def _disprove(task: Task, registry: Registry) -> Iterator[_Finding]:
    """What shows that the task's checks do not tell right from wrong."""
    yield from _check_schema(task)
    yield from _check_reference(task, registry)
    yield from _check_wrong_answers(task, registry)
    yield from _check_declines(task, registry)


def _check_schema(task: Task) -> Iterator[_Finding]:
    """What the reference implementation of JSON Schema has against the deliverable's schema."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(task.deliverable)
    except SchemaError as error:
        yield "deliverable", f"{shorten(error.message)} → must be JSON Schema 2020-12 → correct it"


def _check_reference(task: Task, registry: Registry) -> Iterator[_Finding]:
    answer = json.dumps(task.reference_answer, ensure_ascii=False, indent=2)
    for name, wrap in _WRAPPINGS:
        score = _score_text(wrap(answer), task=task, registry=registry)
        if not (score.passed or RUBRIC_UNJUDGED in score.verdicts):
            yield (
                "reference_answer",
                f"{_tell_failures(score)} ({name}) → it must pass → correct it or the check",
            )
            return


def _check_wrong_answers(task: Task, registry: Registry) -> Iterator[_Finding]:
    for index, wrong in enumerate(task.wrong_answers):
        score = _score_text(_write(wrong.answer), task=task, registry=registry)
        if score.passed:
            message = f"passes every check → it must fail ({wrong.why}) → tighten a check"
            yield f"wrong_answers/{index}", message


def _list_catches(task: Task, registry: Registry) -> Iterator[_Finding]:
    """Which checks each wrong answer fails."""
    for index, wrong in enumerate(task.wrong_answers):
        score = _score_text(_write(wrong.answer), task=task, registry=registry)
        failed = [each for each in score.verdicts if each.outcome is not CheckOutcome.PASS]
        if failed:
            told = ", ".join(f"{each.kind} {each.target}".strip() for each in failed)
            yield f"wrong_answers/{index}", f"({wrong.why}) fails {told}"


def _check_declines(task: Task, registry: Registry) -> Iterator[_Finding]:
    """Saying nothing must fail, unless there is nothing to say."""
    for name, text in (("an empty answer", ""), ("an empty object", "{}")):
        if _score_text(text, task=task, registry=registry).passed:
            yield "checks", f"{name} passes → an answer that says nothing must fail → require a field"
    declined = {name: _decline_field(task, name) for name in _list_names(task.reference_answer)}
    if not task.control and _score_text(_write(declined), task=task, registry=registry).passed:
        rule = "a decline is no answer"
        yield "checks", f"{shorten(declined)} passes → {rule} → check a field, or set 'control: true'"


def _list_names(answer: JsonValue) -> list[str]:
    return list(answer) if isinstance(answer, dict) else []


def _decline_field(task: Task, name: str) -> JsonValue:
    """How an agent that found nothing would fill a field within the deliverable's schema."""
    schema = find_subschema(task.deliverable, join_pointer((name,))) or {}
    declines: tuple[JsonValue, ...] = (None, [], "unknown")
    return next((each for each in declines if not any(find_violations(each, schema))), None)


def _write(answer: JsonValue) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _score_text(text: str, *, task: Task, registry: Registry) -> Score:
    return score_answer(task, find_answer(text, task.deliverable), registry)


def _tell_failures(score: Score) -> str:
    failed = [each for each in score.verdicts if each.outcome is not CheckOutcome.PASS]
    return "; ".join(f"{each.kind} {each.target}: {each.reason}" for each in failed[:4])


# --- notes ------------------------------------------------------------------------------------------------


def _take_notes(task: CatalogTask, today: date) -> Iterator[_Finding]:
    yield from _note_freshness(task, today)
    yield from _note_excerpt(task)
    if task.control and not any(check.kind == "decline" for check in task.checks):
        yield "checks", "no decline check → a control has no answer → name the fields that must claim nothing"


def _note_freshness(task: CatalogTask, today: date) -> Iterator[_Finding]:
    window = task.freshness
    if window.valid_until is not None and window.valid_until < window.checked:
        yield (
            "freshness",
            f"valid until {window.valid_until}, checked {window.checked} → ends before it starts",
        )
    elif window.valid_until is not None and window.valid_until < today:
        yield (
            "freshness",
            f"valid until {window.valid_until} → has lapsed → check the answer against its source",
        )
    if window.checked > today:
        yield "freshness", f"checked {window.checked} → lies in the future → correct the date"
    if task.reference.event_date > window.checked:
        yield (
            "reference",
            f"event date {task.reference.event_date} → is later than the check on {window.checked}",
        )


def _note_excerpt(task: CatalogTask) -> Iterator[_Finding]:
    """Expected values that the ceiling setup would have to give without being told them."""
    excerpt = tidy(task.reference.excerpt)
    for check in task.checks:
        field = check.params.get("field")
        schema = find_subschema(task.deliverable, field) if isinstance(field, str) else None
        if schema is None or "enum" in schema or _is_told(check.params, excerpt):
            continue
        yield "reference/excerpt", f"does not say what {field} should be → add the passage that does"


def _is_told(params: dict[str, JsonValue], excerpt: str) -> bool:
    """Whether the excerpt holds the value that a check expects, if it expects one that can be looked up."""
    match params:
        case {"date": str(day)}:
            return read_date(day) in {read_date(found.group()) for found in DATE.finditer(excerpt)}
        case {"version": str(version)}:
            stated = {read_version(found.group()) for found in VERSION.finditer(excerpt)}
            return read_version(version) in stated
        case {"number": {"is": int(number) | float(number)}}:
            return number in {read_number(found.group()) for found in NUMBER.finditer(excerpt)}
        case {"equals": str(text)}:
            return normalise(text) in normalise(excerpt)
        case {"any_of": [*texts]}:
            return any(normalise(str(text)) in normalise(excerpt) for text in texts)
    return True
