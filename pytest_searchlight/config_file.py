"""A YAML file of the configuration, read as the shape it must have."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.yaml_source import read_yaml

_ShapeT = TypeVar("_ShapeT")


def read_config(file: Path, shape: TypeAdapter[_ShapeT]) -> _ShapeT:
    """What `file` holds; a file without content, or of comments only, counts as an empty mapping.

    Raises:
        SettingsError: the file cannot be read or breaks a rule; names the line, the field and the value.
    """
    try:
        source = read_yaml(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file}: not UTF-8 ({error}); save it as UTF-8") from error
    for problem in source.problems:
        raise SettingsError(f"{file}:{problem.line}: {problem.message}")
    try:
        return shape.validate_python({} if source.value is None else source.value)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        field = ".".join(map(str, detail["loc"])) or "the file"
        line = source.find_line(detail["loc"])
        raise SettingsError(f"{file}:{line}: {field}: {explain_fault(detail)}") from error


def explain_fault(detail: ErrorDetails) -> str:
    """A value and the rule that it breaks, in words of YAML rather than Python's."""
    if detail["type"] == "missing":
        return "is missing; add it"
    return f"{detail['input']!r}: {_PLAIN_RULES.get(detail['type'], detail['msg'])}"


_PLAIN_RULES: Final = {
    "extra_forbidden": "no such field is read; correct its name or remove it",
    "string_type": "should be text; put it in quotes",
    "tuple_type": "should be a list; write it as [one, two]",
    "list_type": "should be a list; write it as [one, two]",
    "dict_type": "should be a mapping; write it as {name: value}",
    "model_type": "should be a mapping; write it as {name: value}",
}
