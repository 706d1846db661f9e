"""YAML read the way it is written: no value changes its meaning, and every value knows its line.

YAML 1.1 turns an unquoted ``no`` into false, ``12:30`` into 750 and ``2026-03-01`` into a date object, takes
the last of two equal keys and lets a few aliases grow without bound. Catalogs hold facts, so here plain words
and dates stay text, only JSON's own literals are anything else, and the rest is refused with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import yaml
from pydantic import JsonValue

MAX_NODES: Final = 200_000
"""Nodes after aliases are expanded; a catalog of 300 large tasks has about 20,000."""

MAX_DEPTH: Final = 64

_BASE: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER: Final = "tag:yaml.org,2002:int"
_NUMBER: Final = "tag:yaml.org,2002:float"
_BOOLEAN: Final = "tag:yaml.org,2002:bool"
_NULL: Final = "tag:yaml.org,2002:null"
_TEXT: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "tag:yaml.org,2002:merge"
_MAPPING: Final = "tag:yaml.org,2002:map"
_SEQUENCE: Final = "tag:yaml.org,2002:seq"


class _Loader(_BASE):  # type: ignore[misc, valid-type]  # the base is chosen at run time
    """A loader that resolves JSON's literals and the merge key, and leaves everything else text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - yaml's API


for _tag, _pattern, _first in (
    (_NULL, r"^(?:~|null|)$", ["~", "n", ""]),
    (_BOOLEAN, r"^(?:true|false)$", list("tf")),
    (_INTEGER, r"^-?(?:0|[1-9]\d*)$", list("-0123456789")),
    (_NUMBER, r"^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$", list("-0123456789")),
    (_MERGE, r"^<<$", ["<"]),
):
    _Loader.add_implicit_resolver(_tag, re.compile(_pattern), _first)


@dataclass(frozen=True, kw_only=True)
class YamlProblem:
    """What is wrong with the text of a YAML file, at a 1-based line."""

    line: int
    message: str


@dataclass(frozen=True)
class YamlSource:
    """A YAML document as JSON-ready `value`, with the problems met on the way and the lines of its parts."""

    value: JsonValue
    problems: tuple[YamlProblem, ...] = ()
    _root: yaml.Node | None = None

    def find_line(self, location: tuple[str | int, ...]) -> int:
        """1-based line of the deepest part of `location` (keys and indexes) that the document has."""
        node, line = self._root, 1
        for step in location:
            node, line = _step_into(node, step, line)
        return line


def read_yaml(text: str) -> YamlSource:
    """Read one YAML document; what is wrong with it is listed rather than raised."""
    try:
        root = yaml.compose(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError) as error:
        return YamlSource(None, (_explain_syntax(error),))
    builder = _Builder()
    value = builder.build(root) if root is not None else None
    return YamlSource(value, tuple(builder.problems), root)


def _explain_syntax(error: Exception) -> YamlProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = getattr(error, "problem", None) or (str(error).splitlines() or ["nested too deeply"])[0]
    tab = "cannot start any token" in said or "tab" in said
    advice = "look for a tab, or quote the value" if tab else "correct the YAML"
    return YamlProblem(line=mark.line + 1 if mark else 1, message=f"not YAML: {said} → {advice}")


def _step_into(node: yaml.Node | None, step: str | int, line: int) -> tuple[yaml.Node | None, int]:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        below: yaml.Node = node.value[step]
        return below, below.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, below in node.value:
            if key.value == step:
                return below, key.start_mark.line + 1
    return None, line


@dataclass
class _Builder:
    """Turns composed nodes into JSON-ready values and notes what cannot be one."""

    problems: list[YamlProblem] = field(default_factory=list)
    _open: set[int] = field(default_factory=set)
    _nodes: int = 0

    def build(self, node: yaml.Node) -> JsonValue:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._note_once(node, f"more than {MAX_NODES} values once aliases are expanded → write them out")
            return None
        if isinstance(node, yaml.ScalarNode):
            return self._build_scalar(node)
        if id(node) in self._open or len(self._open) > MAX_DEPTH:
            self._note(node, f"contains itself, or nests deeper than {MAX_DEPTH} levels → write it out flat")
            return None
        if node.tag not in {_MAPPING, _SEQUENCE}:
            self._note(node, f"tag {node.tag!r} is no JSON type → remove the tag")
        self._open.add(id(node))
        built = self._build_mapping(node) if isinstance(node, yaml.MappingNode) else self._build_list(node)
        self._open.discard(id(node))
        return built

    def _build_list(self, node: yaml.Node) -> JsonValue:
        return [self.build(item) for item in node.value]

    def _build_mapping(self, node: yaml.MappingNode) -> JsonValue:
        merged: dict[str, JsonValue] = {}
        written: dict[str, JsonValue] = {}
        for key, below in node.value:
            if key.tag == _MERGE:
                for base in self._merge_bases(below):
                    merged = {**base, **merged}
            elif key.tag != _TEXT or not isinstance(key, yaml.ScalarNode):
                self._note(key, f"key {key.value!r} is not text → quote it")
            elif key.value in written:
                self._note(key, f"key {key.value!r} is written twice in one mapping → keep one of them")
            else:
                written[key.value] = self.build(below)
        return {**merged, **written}

    def _merge_bases(self, node: yaml.Node) -> Iterator[dict[str, JsonValue]]:
        for base in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            built = self.build(base)
            if isinstance(built, dict):
                yield built
            else:
                self._note(base, "'<<' merges mappings only → name an anchor that is a mapping")

    def _build_scalar(self, node: yaml.ScalarNode) -> JsonValue:
        text: str = node.value
        if node.tag == _TEXT:
            return text
        if node.tag == _NULL:
            return None
        if node.tag == _BOOLEAN:
            return text == "true"
        if node.tag == _INTEGER and len(text) < 400:
            return int(text)
        if node.tag == _NUMBER and abs(number := float(text)) != float("inf"):
            return number
        self._note(node, f"{text[:40]!r} with tag {node.tag!r} is no JSON value → quote it or remove the tag")
        return None

    def _note(self, node: yaml.Node, message: str) -> None:
        self.problems.append(YamlProblem(line=node.start_mark.line + 1, message=message))

    def _note_once(self, node: yaml.Node, message: str) -> None:
        if all(problem.message != message for problem in self.problems):
            self._note(node, message)
