"""The environment and ``.env``; the only place where the process's own is read."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import SettingsError

_SECRET_NAME: Final = re.compile(
    r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_|$)", re.IGNORECASE
)
_ENV_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*\Z")


def looks_secret(name: str) -> bool:
    """Whether an environment variable's name says that its value is a secret."""
    return _SECRET_NAME.search(name) is not None


def select_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables whose names say that their values are secrets."""
    return {name: value for name, value in environment.items() if looks_secret(name) and value}


def read_env_file(path: Path) -> dict[str, str]:
    """Variables of a ``.env`` file: ``NAME=value`` lines, optional quotes, ``#`` comments.

    Raises:
        SettingsError: the file cannot be read, or a line is neither; the message gives file and line, never
            the line's text.
    """
    if not path.is_file():
        return {}
    variables: dict[str, str] = {}
    for number, line in enumerate(_read_text(path).split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ENV_LINE.match(line)
        if match is None:
            raise SettingsError(f"{path}:{number}: expected NAME=value; correct or comment out the line")
        variables[match[1]] = _unquote(match[2])
    return variables


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}); make it readable") from None


def _unquote(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return re.split(r"\s+#", value, maxsplit=1)[0]


def read_process_environment() -> dict[str, str]:
    """The process environment, read here and nowhere else."""
    return dict(os.environ)
