"""A JSON file that holds one record, and the one way to say what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from pytest_searchlight.domain.base import Record
from pytest_searchlight.errors import SearchlightError

_RecordT = TypeVar("_RecordT", bound=Record)
_LONGEST_VALUE = 80


def read_record_file(
    path: Path, kind: type[_RecordT], *, complain: Callable[[str], SearchlightError]
) -> _RecordT:
    """The record in `path`.

    Args:
        path: a JSON file.
        kind: what it must hold.
        complain: makes the error of what is wrong with the file; the caller knows what to do about it.

    Raises:
        SearchlightError: what `complain` makes, when the file cannot be read or is not of its kind.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        problem = error.strerror or str(error)
    except ValidationError as error:
        problem = explain_invalid(error)
    raise complain(problem)


def explain_invalid(error: ValidationError) -> str:
    """The first thing that is wrong: place, rule and value, which a missing field has none of."""
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    value = "" if first["type"] == "missing" else f", got {str(first['input'])[:_LONGEST_VALUE]!r}"
    return f"{place}: {first['msg']}{value}" if place else f"{first['msg']}{value}"
