"""`sew init`: a starter catalog with its own small closed web, and a configuration file, for a project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import UserError
from pytest_searchlight.settings import find_shipped

_NEXT: Final = (
    "next: sew validate",
    "then: pytest --searchlight-setup=closed-web,no-search",
)


def write_starter(project: Path) -> Iterator[str]:
    """Copy the starter files that ``config/starter`` holds into `project`; existing files are left alone.

    Yields:
        A line per file, then what to do next.

    Raises:
        UserError: `project` is not a folder that can be written.
    """
    if not project.is_dir():
        raise UserError(f"{project}: not a folder; create it first, or name another")
    source = find_shipped("config") / "starter"
    for path in sorted(source.rglob("*")):
        if path.is_file():
            yield _copy_file(path, project / path.relative_to(source))
    yield from _NEXT


def _copy_file(source: Path, target: Path) -> str:
    if target.exists():
        return f"kept     {target} (exists already)"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    except OSError as error:
        raise UserError(f"{target}: cannot be written ({error.strerror}); choose another folder") from error
    return f"written  {target}"
