"""How hard providers and agents may be driven at once, from ``config/limits.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import PositiveFloat, PositiveInt, TypeAdapter

from pytest_searchlight.config_file import read_config
from pytest_searchlight.domain import Record

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
            found = read_config(file, _FILE_SHAPE)
            limits |= found
    return limits
