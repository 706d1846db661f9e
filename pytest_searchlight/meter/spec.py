"""What a meter is told: which server to reach, where to record, how many tool calls to let through.

The spec is a JSON file with mode 0600, kept outside the agent's workspace because it carries the
provider's key. Neither the key nor the rest of the spec ever stands in arguments or in the environment.
"""

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from typing import Any

DEFAULT_STOP_GRACE_S = 2.0
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "AUTH", "PASSWORD", "CREDENTIAL", "COOKIE")
SHORTEST_SECRET = 8


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
        max_tool_calls: number of ``tools/call`` let through to the server, None for no limit.
        stop_grace_s: patience between the polite and the forceful ways to end the server.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        server = _take(document, "server", dict)
        self.url: str | None = _take(server, "url", str, default=None)
        self.headers: dict[str, str] = _take_strings(server, "headers")
        self.ca_file: str | None = _take(server, "ca_file", str, default=None)
        self.command: list[str] = _take_command(server) if self.url is None else []
        self.env: dict[str, str] = _take_strings(server, "env")
        self.cwd: str = _take_folder(server, "cwd", default="/")
        self.spool: str = _take_folder(document, "spool", default=None)
        self.max_tool_calls: int | None = _take(document, "max_tool_calls", int, default=None)
        self.stop_grace_s = float(_take(document, "stop_grace_s", (int, float), default=DEFAULT_STOP_GRACE_S))

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
            document = json.loads(file.read())
    except OSError as error:
        raise SpecError(f"{path}: the spec cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise SpecError(f"{path}: the spec is not JSON ({error})") from error
    try:
        if not isinstance(document, dict):
            raise SpecError("the spec must be a JSON object")
        return Spec(document)
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from None


_REQUIRED: Any = object()


def _take(table: dict[str, Any], key: str, kind: type | tuple[type, ...], *, default: Any = _REQUIRED) -> Any:
    value = table.get(key)
    if value is None:
        if default is _REQUIRED:
            raise SpecError(f"{key!r} is missing")
        return default
    if not isinstance(value, kind) or isinstance(value, bool) or (kind is int and value < 0):
        raise SpecError(f"{key!r} has the wrong type or range: {type(value).__name__}")
    return value


def _take_command(server: dict[str, Any]) -> list[str]:
    command = server.get("command")
    if not isinstance(command, list) or not command or not all(isinstance(part, str) for part in command):
        raise SpecError("'server' needs either a 'url' or a 'command', a list of strings")
    return command


def _take_strings(table: dict[str, Any], key: str) -> dict[str, str]:
    value: dict[str, str] = _take(table, key, dict, default={})
    if not all(isinstance(part, str) for part in value.values()):
        raise SpecError(f"every value of {key!r} must be a string")
    return value


def _take_folder(table: dict[str, Any], key: str, *, default: str | None) -> str:
    folder: str = _take(table, key, str, default=_REQUIRED if default is None else default)
    if not os.path.isabs(folder) or not os.path.isdir(folder):  # noqa: PTH112, PTH117
        raise SpecError(f"{key!r} must be the absolute path of an existing folder, not {folder!r}")
    return folder


def _is_secret(name: str) -> bool:
    return any(word in name.upper() for word in SECRET_WORDS)
