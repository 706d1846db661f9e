"""Fields: what each place of the deliverable wants, read from its JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from pytest_searchlight.baseline.values import is_unit
from pytest_searchlight.baseline.words import split_name, stem_words

Schema = Mapping[str, Any]


class Kind(Enum):
    """What sort of thing a field holds; it decides how the field is filled."""

    OBJECT = auto()
    ROWS = auto()
    LIST = auto()
    CITATIONS = auto()
    CITATION = auto()
    BOOLEAN = auto()
    CHOICE = auto()
    NUMBER = auto()
    YEAR = auto()
    DATE = auto()
    MONTH = auto()
    VERSION = auto()
    URL = auto()
    EMAIL = auto()
    PATTERN = auto()
    CODE = auto()
    NAME = auto()
    PHRASE = auto()
    PROSE = auto()


@dataclass(frozen=True, kw_only=True, eq=False)
class Field:
    """One place of the deliverable.

    Attributes:
        name: its key, or its parent's key for the items of an array.
        terms: stems of the name, which say most about what is wanted.
        hints: stems of title and description that are not in the name.
        unit: the unit of measure that name or description ask for, or empty.
        choices: values of an enumeration that say something, with their stems, the longest first.
        schema: the schema itself, references and null alternatives resolved.
    """

    name: str
    kind: Kind
    terms: tuple[str, ...]
    hints: tuple[str, ...]
    unit: str
    choices: tuple[tuple[str, frozenset[str]], ...]
    schema: Schema

    @property
    def words(self) -> str:
        """Name and description as a phrase to search for."""
        return f"{split_name(self.name)} {self.schema.get('description', '')}".strip()


_CITATION_WORDS: Final = frozenset(stem_words("source citation cite evidence reference provenance"))
_URL_WORDS: Final = frozenset(stem_words("url uri link links href website homepage"))
_DATE_WORDS: Final = frozenset(stem_words("date day deadline")) | {"on", "at"}
_VERSION_WORDS: Final = frozenset(stem_words("version release revision"))
_PROSE_WORDS: Final = frozenset(
    stem_words(
        "brief summary reason rationale explanation explain description text statement quote note detail"
        " justification finding claim caveat analysis background impact answer sentence paragraph"
    )
)
_CODE_WORDS: Final = frozenset(
    stem_words(
        "code id identifier flag option header command setting parameter variable function method algorithm"
        " cipher package module key endpoint token class license licence cve sku hash digest suite format"
    )
)
_NAME_WORDS: Final = frozenset(
    stem_words(
        "name who author maintainer person organisation company vendor owner member product editor project"
        " chair team institute location city country place lead leader ceo successor winner codename"
        " standard title publisher body host venue steward fork"
    )
)
_EMPTY_CHOICES: Final = frozenset({"unknown", "none", "other", "n/a", "unclear", "not found", "undetermined"})
_META_WORDS: Final = _PROSE_WORDS | frozenset(
    stem_words(
        "date iso format yyyy mm dd string number integer value field list null page state url address name"
        " exact exactly sentence short long one two three four five array object json"
    )
)
"""Words that describe the deliverable rather than the world; hardly a page says them."""
_UNIT_WORD: Final = re.compile(
    r"\b(?:in )?(?P<unit>(?<=in )[a-zA-Z%]+|percent|percentage|USD|EUR|GBP|[a-z]+s)\b"
)
_ISO_MONTH: Final = re.compile(r"YYYY-MM(?!-)|\bmonth\b.*\byear\b")


def read_fields(schema: Schema) -> list[Field]:
    """The properties of an object schema as fields, in the schema's own order."""
    return _read_properties(schema, root=schema)


def read_item_field(field: Field, root: Schema) -> Field:
    """The field that one item of the array `field` is."""
    return _read_field(field.name, _resolve(field.schema.get("items", {}), root), inherited=field)


def read_item_fields(field: Field, root: Schema) -> list[Field]:
    """The properties of the objects in the array `field`, or of the object `field`."""
    schema = field.schema
    if field.kind is Kind.ROWS:
        schema = _resolve(schema.get("items", {}), root)
    return _read_properties(schema, root=root)


def _read_properties(schema: Schema, *, root: Schema) -> list[Field]:
    properties = schema.get("properties", {})
    return [_read_field(name, _resolve(part, root)) for name, part in properties.items()]


def _read_field(name: str, schema: Schema, *, inherited: Field | None = None) -> Field:
    terms = stem_words(split_name(name))
    described = f"{schema.get('title', '')} {schema.get('description', '')}"
    hints = tuple(stem for stem in stem_words(described) if stem not in terms and stem not in _META_WORDS)
    if inherited and not hints:
        hints = inherited.hints
    return Field(
        name=name,
        kind=_judge_kind(
            schema, name=split_name(name).casefold(), terms=frozenset(terms), described=described
        ),
        terms=terms,
        hints=hints,
        unit=_find_unit(name, described),
        choices=_list_choices(schema),
        schema=schema,
    )


def _resolve(schema: object, root: Schema) -> Schema:
    """`schema` with a local reference followed and the null alternative taken away."""
    for _ in range(8):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        options = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(reference, str) and reference.startswith("#/"):
            schema = _merge(schema, _follow(reference, root))
        elif isinstance(options, list) and options:
            real = [option for option in options if option != {"type": "null"}]
            schema = _merge(schema, real[0] if real else {})
        else:
            return schema
    return {}


def _merge(outer: Schema, inner: object) -> Schema:
    kept = {key: value for key, value in outer.items() if key not in {"$ref", "anyOf", "oneOf"}}
    return {**inner, **kept} if isinstance(inner, Mapping) else kept


def _follow(reference: str, root: Schema) -> object:
    target: object = root
    for part in reference.removeprefix("#/").split("/"):
        target = target.get(part, {}) if isinstance(target, Mapping) else {}
    return target


def _find_type(schema: Schema) -> str:
    declared = schema.get("type")
    options = declared if isinstance(declared, list) else [declared]
    named = [option for option in options if option not in {None, "null"}]
    if named:
        return str(named[0])
    return "object" if "properties" in schema else "array" if "items" in schema else "string"


def _judge_kind(schema: Schema, *, name: str, terms: frozenset[str], described: str) -> Kind:
    choices = [choice for choice in schema.get("enum", ()) if choice is not None]
    match _find_type(schema):
        case "object":
            return Kind.OBJECT
        case "array":
            return _judge_array(schema, terms)
        case "boolean":
            return Kind.BOOLEAN
        case "integer" | "number":
            return Kind.YEAR if "year" in terms and "number" not in terms else Kind.NUMBER
    return Kind.CHOICE if choices else _judge_string(schema, name=name, terms=terms, described=described)


def _judge_array(schema: Schema, terms: frozenset[str]) -> Kind:
    items = schema.get("items")
    items = items if isinstance(items, Mapping) else {}
    if _find_type(items) == "object" or "$ref" in items:
        return Kind.ROWS
    if _CITATION_WORDS & terms or _URL_WORDS & terms or items.get("format") in {"uri", "url"}:
        return Kind.CITATIONS
    return Kind.LIST


def _judge_string(schema: Schema, *, name: str, terms: frozenset[str], described: str) -> Kind:
    """The kind of a text field: its format decides, then its name, then its description."""
    shape = str(schema.get("format", ""))
    pattern = str(schema.get("pattern", ""))
    rules = (
        (_CITATION_WORDS & terms and (_URL_WORDS & terms or shape in {"uri", "url"}), Kind.CITATION),
        (shape in {"uri", "url"} or _URL_WORDS & terms, Kind.URL),
        (shape == "email" or "email" in terms, Kind.EMAIL),
        (_asks_month(pattern, described, shape), Kind.MONTH),
        (shape.startswith("date") or _asks_date(pattern, described, name), Kind.DATE),
        (pattern, Kind.PATTERN),
        (_VERSION_WORDS & terms and not _NAME_WORDS & terms, Kind.VERSION),
        (_PROSE_WORDS & terms or int(schema.get("maxLength", 0)) > 200, Kind.PROSE),
        (_CODE_WORDS & terms, Kind.CODE),
        (_NAME_WORDS & terms, Kind.NAME),
        (_VERSION_WORDS & set(stem_words(" ".join(described.split()[:4]))), Kind.VERSION),
        (re.search(r"\bsentences?\b|\bparagraphs?\b", described, re.IGNORECASE), Kind.PROSE),
        (_NAME_WORDS & set(stem_words(" ".join(described.split()[:4]))), Kind.NAME),
        (_CODE_WORDS & set(stem_words(" ".join(described.split()[:4]))), Kind.CODE),
    )
    return next((kind for holds, kind in rules if holds), Kind.PHRASE)


def _asks_month(pattern: str, described: str, shape: str) -> bool:
    if shape:
        return False
    return bool(_ISO_MONTH.search(described)) or pattern.strip("^$") in {r"\d{4}-\d{2}", "[0-9]{4}-[0-9]{2}"}


def _asks_date(pattern: str, described: str, name: str) -> bool:
    by_name = bool(_DATE_WORDS & {*stem_words(name), *name.split()[-1:]})
    return (
        by_name
        or "YYYY-MM-DD" in described
        or pattern.strip("^$").startswith((r"\d{4}-\d{2}-", "[0-9]{4}-[0-9]{2}-"))
    )


def _list_choices(schema: Schema) -> tuple[tuple[str, frozenset[str]], ...]:
    texts = [choice for choice in schema.get("enum", ()) if isinstance(choice, str)]
    worded = [(text, frozenset(stem_words(re.sub(r"[_-]", " ", text)))) for text in texts]
    telling = [(text, stems) for text, stems in worded if stems and text.casefold() not in _EMPTY_CHOICES]
    return tuple(sorted(telling, key=lambda pair: -len(pair[1])))


def _find_unit(name: str, described: str) -> str:
    """The unit that the name ends in, or that the description says the value is "in"."""
    last = split_name(name).casefold().split()[-1:]
    if last and is_unit(last[0]) and "_" in name:
        return last[0]
    words = (match["unit"].casefold() for match in _UNIT_WORD.finditer(described))
    return next((word for word in words if is_unit(word) and len(word) > 1), "")
