"""How hard providers and agents may be driven at once, from ``config/limits.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import PositiveFloat, PositiveInt, TypeAdapter, ValidationError

from pytest_searchlight.domain import Record
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.yaml_source import read_yaml

LIMITS_FILE: Final = "limits.yaml"


class Limits(Record):
    """What one search setup or agent allows over all workers of a session; None is no limit.

    `calls_per_s` paces the calls to a provider's server, `concurrent_runs` bounds the runs in flight.
    """

    calls_per_s: PositiveFloat | None = None
    concurrent_runs: PositiveInt | None = None


UNLIMITED: Final = Limits()
_FILE_SHAPE: Final = TypeAdapter(dict[str, Limits])


def read_limits(folders: Sequence[Path]) -> Mapping[str, Limits]:
    """Limits by the name of a search setup or agent; a later folder's entry replaces an earlier one.

    Raises:
        SettingsError: a file breaks a rule.
    """
    limits: dict[str, Limits] = {}
    for file in (folder / LIMITS_FILE for folder in folders):
        if file.is_file():
            limits |= _read_file(file)
    return limits


def _read_file(file: Path) -> dict[str, Limits]:
    source = read_yaml(file.read_text("utf-8"))
    for problem in source.problems:
        raise SettingsError(f"{file}:{problem.line}: {problem.message}")
    try:
        return _FILE_SHAPE.validate_python(source.value or {})
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        field = ".".join(map(str, detail["loc"]))
        line = source.find_line(detail["loc"])
        raise SettingsError(f"{file}:{line}: {field}: {detail['input']!r}: {detail['msg']}") from error
