"""What a meter is told: which server to reach, where to record, how many tool calls to let through.

The spec is a JSON file with mode 0600, kept outside the agent's workspace because it carries the
provider's key. Neither the key nor the rest of the spec ever stands in arguments or in the environment.
"""

from __future__ import annotations

import os
import stat

from pytest_searchlight.meter.quick_json import parse_json

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

DEFAULT_STOP_GRACE_S = 2.0
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "AUTH", "PASSWORD", "CREDENTIAL", "COOKIE")
SHORTEST_SECRET = 8
LONGEST_S = 3600.0


class SpecError(Exception):
    """The spec breaks a rule; the message is one sentence that says where and what to do."""


class Spec:
    """A validated spec.

    Attributes:
        command: argument list of a stdio server, empty for a hosted one.
        env: the stdio server's whole environment.
        cwd: the stdio server's working folder.
        url: address of a hosted server, None for a stdio one.
        headers: HTTP headers sent with every request to a hosted server.
        ca_file: certificates to trust instead of the system's, for a hosted server.
        spool: folder in which the session is recorded.
        pace_file: file through which all meters of a session take turns at calling, None for no pacing.
        calls_per_s: how many calls a second they may make together.
        max_tool_calls: number of ``tools/call`` let through to the server, None for no limit.
        stop_grace_s: patience between the polite and the forceful ways to end the server.
    """

    def __init__(self, document: Table) -> None:
        server = document.take_table("server")
        self.url = server.take("url", str, default=None)
        self.headers = server.take_strings("headers")
        self.ca_file = server.take("ca_file", str, default=None)
        self.command = server.take_command("command") if self.url is None else []
        self.env = server.take_strings("env")
        self.cwd = server.take_folder("cwd", default="/")
        self.spool = document.take_folder("spool")
        pace = document.take_optional_table("pace")
        self.pace_file = pace.take("file", str, default=None)
        self.calls_per_s = pace.take_rate("calls_per_s", default=1.0)
        pace.expect_empty()
        self.max_tool_calls = document.take_limit("max_tool_calls")
        self.stop_grace_s = document.take_seconds("stop_grace_s", default=DEFAULT_STOP_GRACE_S)
        server.expect_empty()
        document.expect_empty()

    @property
    def secrets(self) -> list[bytes]:
        """Values of environment and headers whose names mark them as secret, longest first."""
        named = [*self.env.items(), *self.headers.items()]
        values = {part for name, value in named if _is_secret(name) for part in (value, *value.split())}
        return sorted((v.encode() for v in values if len(v) >= SHORTEST_SECRET), key=len, reverse=True)


def read_spec(path: str) -> Spec:
    """Reads and validates the spec at `path`.

    Raises:
        SpecError: the file cannot be read, is open to other users, or breaks a rule.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs 10 ms to import
            if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise SpecError(f"{path}: other users may open this spec; give it mode 0600")
            document = parse_json(file.read())
    except OSError as error:
        raise SpecError(f"{path}: the spec cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SpecError(f"{path}: the spec is not JSON: {error}") from error
    return Spec(Table(document, place=path))


def complain(text: str) -> None:
    """Says on stderr, if there is one, why the meter ends."""
    try:
        os.write(2, f"searchlight meter: {text}\n".encode(errors="replace"))
    except OSError:
        return


class Table:
    """An object of the spec, from which fields are taken one by one.

    Args:
        content: what JSON made of it.
        place: where it stands, for messages.
    """

    def __init__(self, content: object, *, place: str) -> None:
        if not isinstance(content, dict):
            raise SpecError(f"{place}: must be a JSON object, not {type(content).__name__}")
        self._content: dict[str, object] = dict(content)
        self._place = place

    def take(self, name: str, kind: type[T], *, default: T | None) -> T | None:
        """The field if it is there and of the kind, or the default."""
        value = self._content.pop(name, None)
        if value is None:
            return default
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self._complain(name, f"must be of type {kind.__name__}, not {type(value).__name__}")
        return value

    def take_table(self, name: str) -> Table:
        """An object within this one."""
        return Table(self._content.pop(name, None), place=f"{self._place}: {name!r}")

    def take_optional_table(self, name: str) -> Table:
        """An object within this one; an empty one if it is not there."""
        return Table(self._content.pop(name, None) or {}, place=f"{self._place}: {name!r}")

    def take_rate(self, name: str, *, default: float) -> float:
        """A positive number."""
        value = self._content.pop(name, default)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not value > 0:
            raise self._complain(name, f"must be a positive number, not {value!r}")
        return float(value)

    def take_strings(self, name: str) -> dict[str, str]:
        """A table of strings by name, empty by default."""
        table = self.take(name, dict, default={}) or {}
        for key, value in table.items():
            if not isinstance(value, str) or "\0" in key + value or not key or "=" in key:
                raise self._complain(name, f"{key!r} must be a name with a string without NUL as its value")
        return table

    def take_command(self, name: str) -> list[str]:
        """A program and its arguments."""
        command = self.take(name, list, default=None) or []
        if not command or not all(isinstance(part, str) and "\0" not in part for part in command):
            raise self._complain(
                name, "must be a list of strings that names a program, unless there is a 'url'"
            )
        return command

    def take_folder(self, name: str, *, default: str = "") -> str:
        """The absolute path of an existing folder."""
        folder = self.take(name, str, default=default) or default
        if not os.path.isabs(folder) or not os.path.isdir(folder):  # noqa: PTH112, PTH117 - as above
            raise self._complain(name, f"must be the absolute path of an existing folder, not {folder!r}")
        return folder

    def take_limit(self, name: str) -> int | None:
        """A number that is not negative, or None."""
        limit = self.take(name, int, default=None)
        if limit is not None and limit < 0:
            raise self._complain(name, f"must not be negative, but is {limit}")
        return limit

    def take_seconds(self, name: str, *, default: float) -> float:
        """A time span."""
        value = self._content.pop(name, default)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < LONGEST_S:
            raise self._complain(name, f"must be a number of seconds from 0 to {LONGEST_S}, not {value!r}")
        return float(value)

    def expect_empty(self) -> None:
        """Complains about fields that nobody took."""
        if self._content:
            raise self._complain(next(iter(self._content)), "is not a field of the spec; remove it")

    def _complain(self, name: str, rule: str) -> SpecError:
        return SpecError(f"{self._place}: {name!r} {rule}")


def _is_secret(name: str) -> bool:
    return any(word in name.upper() for word in SECRET_WORDS)
