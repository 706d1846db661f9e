"""Where two JSON values differ, by path."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from pydantic import JsonValue

from pytest_searchlight.summary_schema import Summary

ROUNDING: Final = 1e-9
"""The share by which a number may differ because another machine's libraries round in another way."""

_LONGEST_VALUE: Final = 60


class Difference(NamedTuple):
    """A place, such as ``results[0].pass_rate``, with what stands there and what belongs there, as JSON."""

    path: str
    found: str
    expected: str

    def __str__(self) -> str:
        """The difference of a summary in words."""
        return f"{self.path} is {self.found}, and the rows give {self.expected}"


def compare_summaries(
    found: Summary, recomputed: Summary, *, rounding: float = ROUNDING
) -> Iterator[Difference]:
    """Where a summary is not what its rows give; what no row tells, the session's facts, is left out."""
    if found == recomputed:
        return
    numbers = (summary.model_dump(mode="json", exclude={"session"}) for summary in (found, recomputed))
    yield from find_differences(*numbers, rounding=rounding)


def find_differences(
    found: JsonValue, expected: JsonValue, *, rounding: float, path: str = ""
) -> Iterator[Difference]:
    """Every place at which `found` is not `expected`; numbers may differ by the share `rounding`."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in dict.fromkeys((*expected, *found)):
            place = f"{path}.{key}" if path else key
            if key in found and key in expected:
                yield from find_differences(found[key], expected[key], rounding=rounding, path=place)
            else:
                yield Difference(place, _show_member(found, key), _show_member(expected, key))
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, pair in enumerate(zip(found, expected, strict=True)):
            yield from find_differences(*pair, rounding=rounding, path=f"{path}[{index}]")
    elif not _is_same(found, expected, rounding):
        yield Difference(path, _show(found), _show(expected))


def _is_same(found: JsonValue, expected: JsonValue, rounding: float) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=rounding)
    return found == expected and isinstance(found, bool) == isinstance(expected, bool)


def _show_member(members: dict[str, JsonValue], key: str) -> str:
    return _show(members[key]) if key in members else "absent"


def _show(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
