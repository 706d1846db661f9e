"""Typed reading of raw option values; every refusal names the option, the value and the rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.gates import Gate, read_rate_gates, read_regression_gates

OptionReader = Callable[[str], object]
"""Gives the raw value of an option by its dest: command line first, then ini, else None."""


class OptionValues:
    """The values of options, by name. What was not given is None, empty, False or the first choice.

    Every reader raises SettingsError when a value breaks its rule.
    """

    def __init__(self, read_option: OptionReader) -> None:
        self._read_option = read_option

    def _read(self, name: str) -> object:
        return self._read_option(f"searchlight_{name.replace('-', '_')}")

    def _refuse(self, name: str, raw: object, rule: str) -> SettingsError:
        return SettingsError(f"--searchlight-{name}: {str(raw)!r} {rule}")

    def read_names(self, name: str) -> tuple[str, ...]:
        """Names separated by commas or, in an ini file, by lines; none of them twice."""
        text = str(self._read(name) or "").replace("\n", ",")
        names = tuple(part.strip() for part in text.split(",") if part.strip())
        if text and not names:
            raise self._refuse(name, text, "names nothing; name one, or leave the option out")
        if len(set(names)) != len(names):
            raise self._refuse(name, text, "gives a name twice; name each once")
        return names

    def read_text(self, name: str) -> str | None:
        """Any text."""
        raw = self._read(name)
        return None if raw in (None, "") else str(raw)

    def read_whole(self, name: str, *, least: int, most: int) -> int | None:
        """A whole number from `least` to `most`."""
        raw = self._read(name)
        if raw in (None, ""):
            return None
        text = str(raw)
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not (is_number and least <= int(text) <= most):
            raise self._refuse(name, raw, f"is not a whole number from {least} to {most}")
        return int(text)

    def read_limit(self, name: str) -> float | None:
        """A finite number of 0 or more."""
        raw = self._read(name)
        if raw in (None, ""):
            return None
        try:
            limit = float(str(raw))
        except ValueError:
            limit = -1.0
        if not 0 <= limit < float("inf"):
            raise self._refuse(name, raw, "is not a number of 0 or more")
        return limit

    def read_flag(self, name: str) -> bool:
        """A word for true or false, as ini files have them."""
        raw = self._read(name)
        text = str(raw or "false").lower()
        if text not in _TRUE | _FALSE:
            raise self._refuse(name, raw, "is neither true nor false")
        return text in _TRUE

    def refuse_both(self, name: str, other: str) -> None:
        """Refuse two options that exclude each other."""
        given, raw = self._read(name), self._read(other)
        if given and raw:
            raise self._refuse(other, raw, f"cannot be given with --searchlight-{name}; give one of them")

    def read_gates(self) -> tuple[Gate, ...]:
        """All limits that the session is held to; those on a change need a baseline."""
        regressions = read_regression_gates(self._read_joined("fail-on"))
        if regressions and not self._read("baseline"):
            raise self._refuse("fail-on", regressions[0].text, "needs --searchlight-baseline to compare with")
        return regressions + read_rate_gates(self._read_joined("fail-under"))

    def _read_joined(self, name: str) -> str:
        """The values of an option that may be given several times, or its one ini value."""
        raw = self._read(name) or ""
        return "\n".join(map(str, raw)) if isinstance(raw, list) else str(raw)

    def read_choice(self, name: str, *, choices: tuple[str, ...]) -> str:
        """One of `choices`."""
        raw = self._read(name) or choices[0]
        if raw not in choices:
            raise self._refuse(name, raw, f"is none of {', '.join(choices)}")
        return str(raw)

    def read_path(self, name: str, root: Path) -> Path | None:
        """A path, relative to `root`."""
        raw = self._read(name)
        return None if isinstance(raw, bool) or raw in (None, "") else root / str(raw)


_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off"})
